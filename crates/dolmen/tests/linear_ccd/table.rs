//! Hard cases whose answers follow from a drawing.

use crate::queries::{Figures, Query};
use Feature::{Edge, Face, Vertex};
use Figures::{EdgeEdge, VertexFace};
use dolmen::triangle::Feature;
use dolmen::triangle::linear_ccd::Moving;

type Points = [[f64; 3]; 4];

pub(crate) struct Case {
    pub(crate) name: &'static str,
    figures: Figures,
    start: Points,
    end: Points,
    /// When they first meet; rounded.
    pub(crate) time: Option<f64>,
    pub(crate) features: Option<(Feature, Feature)>,
}

impl Case {
    pub(crate) fn query(&self) -> Query {
        let point = |i: usize| Moving { start: self.start[i].into(), end: self.end[i].into() };
        Query { figures: self.figures, points: [0, 1, 2, 3].map(point) }
    }
}

const fn hit(
    name: &'static str,
    figures: Figures,
    start: Points,
    end: Points,
    time: f64,
    features: (Feature, Feature),
) -> Case {
    Case { name, figures, start, end, time: Some(time), features: Some(features) }
}

const fn miss(name: &'static str, figures: Figures, start: Points, end: Points) -> Case {
    Case { name, figures, start, end, time: None, features: None }
}

/// A point and the triangle (0,0,0), (1,0,0), (0,1,0).
const fn over(p: [f64; 3]) -> Points {
    [p, [0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]
}

/// A point and a triangle (0,0,0), (1,0,0), (0,1,z).
const fn flap(p: [f64; 3], z: f64) -> Points {
    [p, [0., 0., 0.], [1., 0., 0.], [0., 1., z]]
}

/// A segment from x₀ to x₁ at y = 0 and height z, and one from (0,−1,0) to (0,1,0).
const fn bar(x: [f64; 2], z: f64) -> Points {
    [[x[0], 0., z], [x[1], 0., z], [0., -1., 0.], [0., 1., 0.]]
}

/// A segment from 0 to 2 along x at height z, and one along x at height 0.
const fn rails(z: f64, x: [f64; 2]) -> Points {
    [[0., 0., z], [2., 0., z], [x[0], 0., 0.], [x[1], 0., 0.]]
}

const LEAST: f64 = 5e-324;
const ULP: f64 = f64::EPSILON;
const ROOT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    // The near misses that are recorded with single-precision neighbours.
    miss("a vertex flies up, the face down", VertexFace,
        [[0., 1., 0.], [-1., 0., 1.], [1., 0., 1.], [0., 0., -1.]],
        [[0., 2., -1.0 / 8388608.0], [-1., -1., 1.], [1., -1., 1.], [0., -1., -1.]]),
    miss("edges fly apart, one beyond the other's end", EdgeEdge,
        [[-1., -1., 0.], [1., -1., 0.], [-8388609.0 / 8388608.0, 1., -1.], [-8388609.0 / 8388608.0, 1., 1.]],
        [[-1., -2., 0.], [1., -2., 0.], [-8388609.0 / 8388608.0, 2., -1.], [-8388609.0 / 8388608.0, 2., 1.]]),
    miss("edges pass, one beyond the other's end by a single-precision bit", EdgeEdge,
        [[-1., -1., 0.], [1., -1., 0.], [-8388609.0 / 8388608.0, 1., -1.], [-8388609.0 / 8388608.0, 1., 1.]],
        [[-1., 1., 0.], [1., 1., 0.], [-8388609.0 / 8388608.0, -1., -1.], [-8388609.0 / 8388608.0, -1., 1.]]),
    // A vertex falls on a face.
    hit("through the face", VertexFace, over([0.25, 0.25, 1.]), over([0.25, 0.25, -1.]), 0.5, (Vertex(0), Face)),
    hit("through an edge", VertexFace, over([0., 0.25, 1.]), over([0., 0.25, -1.]), 0.5, (Vertex(0), Edge(2))),
    hit("through the long edge", VertexFace, over([0.5, 0.5, 1.]), over([0.5, 0.5, -1.]), 0.5, (Vertex(0), Edge(1))),
    hit("through a vertex", VertexFace, over([0., 0., 1.]), over([0., 0., -1.]), 0.5, (Vertex(0), Vertex(0))),
    miss("beside an edge by the least number", VertexFace, over([-LEAST, 0.25, 1.]), over([-LEAST, 0.25, -1.])),
    miss("beside the long edge by a bit", VertexFace, over([0.5 + 0.5 * ULP, 0.5, 1.]), over([0.5 + 0.5 * ULP, 0.5, -1.])),
    hit("onto the face at the end", VertexFace, over([0.25, 0.25, 1.]), over([0.25, 0.25, 0.]), 1.0, (Vertex(0), Face)),
    hit("onto a vertex at the end", VertexFace, over([1., 0., 1.]), over([1., 0., 0.]), 1.0, (Vertex(0), Vertex(1))),
    miss("short of the face by the least number", VertexFace, over([0.25, 0.25, 1.]), over([0.25, 0.25, LEAST])),
    hit("off the face from the start", VertexFace, over([0.25, 0.25, 0.]), over([0.25, 0.25, 1.]), 0.0, (Vertex(0), Face)),
    miss("off the face, just above it", VertexFace, over([0.25, 0.25, LEAST]), over([0.25, 0.25, 1.])),
    // v_z − v_y c_z = (2t − 1)²: the face swings up to the vertex and away again.
    hit("touched by a swinging face", VertexFace, flap([0.25, 0., 1.], 1.), flap([0.25, 1., -2.], -3.), 0.5, (Vertex(0), Face)),
    miss("all but touched by a swinging face", VertexFace,
        flap([0.25, 0., 1. + ULP], 1.), flap([0.25, 1., -2. + 2. * ULP], -3.)),
    // v_z − v_y c_z = 1 − 2t².
    hit("met by a swinging face at an irrational time", VertexFace,
        flap([0.25, 0., 1.], 0.), flap([0.25, 1., 1.], 2.), ROOT_HALF, (Vertex(0), Face)),
    // In the plane of the face throughout.
    hit("along the plane, through an edge", VertexFace, over([-1., 0.25, 0.]), over([1., 0.25, 0.]), 0.5, (Vertex(0), Edge(2))),
    hit("along the plane, through a vertex", VertexFace, over([-1., 1., 0.]), over([1., 1., 0.]), 0.5, (Vertex(0), Vertex(2))),
    hit("along the plane, inside from the start", VertexFace, over([0.25, 0.25, 0.]), over([1., 1., 0.]), 0.0, (Vertex(0), Face)),
    hit("along the plane, on the line of an edge", VertexFace, over([-1., 0., 0.]), over([1., 0., 0.]), 0.5, (Vertex(0), Vertex(0))),
    miss("along the plane, past a vertex by a bit", VertexFace, over([-1., 1. + ULP, 0.]), over([1., 1. + ULP, 0.])),
    miss("at rest beside the face", VertexFace, over([-1., 0., 0.]), over([-1., 0., 0.])),
    // Faces without area.
    hit("onto a face that is a segment", VertexFace,
        [[0.25, 0., 1.], [0., 0., 0.], [1., 0., 0.], [0.5, 0., 0.]],
        [[0.25, 0., -1.], [0., 0., 0.], [1., 0., 0.], [0.5, 0., 0.]], 0.5, (Vertex(0), Edge(0))),
    hit("along a face that is a segment", VertexFace,
        [[-1., 0., 0.], [0., 0., 0.], [1., 0., 0.], [0.5, 0., 0.]],
        [[1., 0., 0.], [0., 0., 0.], [1., 0., 0.], [0.5, 0., 0.]], 0.5, (Vertex(0), Vertex(0))),
    hit("onto a face that is a point", VertexFace,
        [[-1., 0., 0.], [0., 0., 0.], [0., 0., 0.], [0., 0., 0.]],
        [[1., 0., 0.], [0., 0., 0.], [0., 0., 0.], [0., 0., 0.]], 0.5, (Vertex(0), Vertex(0))),
    miss("past a face that is a point", VertexFace,
        [[-1., LEAST, 0.], [0., 0., 0.], [0., 0., 0.], [0., 0., 0.]],
        [[1., LEAST, 0.], [0., 0., 0.], [0., 0., 0.], [0., 0., 0.]]),
    hit("all collapse at once: a triple root", VertexFace,
        [[0., 0., -1.], [0., 0., 0.], [-1., 0., 0.], [0., -1., 0.]],
        [[0., 0., 1.], [0., 0., 0.], [1., 0., 0.], [0., 1., 0.]], 0.5, (Vertex(0), Vertex(0))),
    // Edges that keep their length.
    hit("edges cross", EdgeEdge, bar([-1., 1.], 1.), bar([-1., 1.], -1.), 0.5, (Edge(0), Edge(0))),
    hit("an end on an edge", EdgeEdge, bar([0., 1.], 1.), bar([0., 1.], -1.), 0.5, (Vertex(0), Edge(0))),
    hit("an edge on an end", EdgeEdge,
        [[-1., 1., 1.], [1., 1., 1.], [0., -1., 0.], [0., 1., 0.]],
        [[-1., 1., -1.], [1., 1., -1.], [0., -1., 0.], [0., 1., 0.]], 0.5, (Edge(0), Vertex(1))),
    hit("an end on an end", EdgeEdge,
        [[0., 1., 1.], [1., 1., 1.], [0., -1., 0.], [0., 1., 0.]],
        [[0., 1., -1.], [1., 1., -1.], [0., -1., 0.], [0., 1., 0.]], 0.5, (Vertex(0), Vertex(1))),
    miss("an end beside an edge by the least number", EdgeEdge, bar([LEAST, 1.], 1.), bar([LEAST, 1.], -1.)),
    hit("parallel edges, overlapping", EdgeEdge, rails(1., [1., 3.]), rails(-1., [1., 3.]), 0.5, (Vertex(1), Edge(0))),
    hit("parallel edges, end to end", EdgeEdge, rails(1., [2., 3.]), rails(-1., [2., 3.]), 0.5, (Vertex(1), Vertex(0))),
    miss("parallel edges, a bit short", EdgeEdge, rails(1., [2. + 2. * ULP, 3.]), rails(-1., [2. + 2. * ULP, 3.])),
    hit("parallel edges at rest, overlapping", EdgeEdge, rails(0., [1., 3.]), rails(0., [1., 3.]), 0.0, (Vertex(1), Edge(0))),
    hit("in line, one runs into the other", EdgeEdge, rails(0., [3., 4.]), rails(0., [1., 2.]), 0.5, (Vertex(1), Vertex(0))),
    hit("in one plane, an edge runs into an end", EdgeEdge,
        [[-1., -1., 0.], [-1., 1., 0.], [0., 0., 0.], [1., 0., 0.]],
        [[1., -1., 0.], [1., 1., 0.], [0., 0., 0.], [1., 0., 0.]], 0.5, (Edge(0), Vertex(0))),
    hit("in one plane, crossed from the start", EdgeEdge, bar([-1., 1.], 0.), bar([-1., 1.], 0.), 0.0, (Edge(0), Edge(0))),
    miss("in one plane, apart", EdgeEdge, bar([1., 2.], 0.), bar([0.5, 2.], 0.)),
    // Edges that change their length, and edges without one.
    hit("an edge grows out of a point", EdgeEdge,
        [[0., 0., 1.], [0., 0., 1.], [0., -1., 0.], [0., 1., 0.]],
        [[0., 0., 1.], [0., 0., -1.], [0., -1., 0.], [0., 1., 0.]], 0.5, (Vertex(1), Edge(0))),
    hit("an edge shrinks to a point and crosses on the way", EdgeEdge,
        [[-1., 0., 1.], [1., 0., 1.], [1., -1., 0.], [1., 1., 0.]],
        [[2., 0., -1.], [2., 0., -1.], [1., -1., 0.], [1., 1., 0.]], 0.5, (Edge(0), Edge(0))),
    miss("an edge shrinks to a point and is too short by then", EdgeEdge,
        bar([-1., 1.], 1.), bar([2., 2.], -1.)),
    hit("an edge turns inside out where the other passes", EdgeEdge,
        [[-1., 0., 0.], [1., 0., 0.], [0., -1., 1.], [0., 1., 1.]],
        [[1., 0., 0.], [-1., 0., 0.], [0., -1., -1.], [0., 1., -1.]], 0.5, (Vertex(0), Edge(0))),
    hit("two edges that are points run into each other", EdgeEdge,
        [[-1., 0., 0.], [-1., 0., 0.], [1., 0., 0.], [1., 0., 0.]],
        [[1., 0., 0.], [1., 0., 0.], [-1., 0., 0.], [-1., 0., 0.]], 0.5, (Vertex(0), Vertex(0))),
    miss("two edges that are points pass", EdgeEdge,
        [[-1., 0., 0.], [-1., 0., 0.], [1., LEAST, 0.], [1., LEAST, 0.]],
        [[1., 0., 0.], [1., 0., 0.], [-1., LEAST, 0.], [-1., LEAST, 0.]]),
    // Numbers whose cubes are none.
    hit("huge", EdgeEdge,
        [[-1e200, 0., 1e200], [1e200, 0., 1e200], [0., -1e200, 0.], [0., 1e200, 0.]],
        [[-1e200, 0., -1e200], [1e200, 0., -1e200], [0., -1e200, 0.], [0., 1e200, 0.]], 0.5, (Edge(0), Edge(0))),
    hit("tiny", EdgeEdge,
        [[-1e-300, 0., 1e-300], [1e-300, 0., 1e-300], [0., -1e-300, 0.], [0., 1e-300, 0.]],
        [[-1e-300, 0., -1e-300], [1e-300, 0., -1e-300], [0., -1e-300, 0.], [0., 1e-300, 0.]], 0.5, (Edge(0), Edge(0))),
];
