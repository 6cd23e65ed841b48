//! When points that move along straight lines meet: a vertex and a face, or two edges.
//!
//! Each point goes from its place at the start of a step to that at the end at constant speed, the points independently
//! of each other, so that edges may change their length. The question whether the closed figures have a common point at
//! some time of the closed step is answered without rounding: no meeting is missed and none invented.
//!
//! Comparisons of boxes and intervals of rounded arithmetic settle most questions; what they leave open, polynomials
//! with whole coefficients decide. Any finite coordinates will do.

mod exact;
mod filter;
mod integer;
mod polynomial;

use super::Feature;
use crate::math::DVec3;
use exact::Grid;
use filter::Verdict;
use integer::Integer;
use polynomial::Time;
use thiserror::Error;

/// A point that moves along a straight line, at constant speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moving {
    /// Where it is at the start of the step, m.
    pub start: DVec3,
    /// Where it is at the end of the step, m.
    pub end: DVec3,
}

impl Moving {
    /// Where it is after the share `t` of the step.
    pub fn at(&self, t: f64) -> DVec3 {
        // Exact at both ends.
        if t == 1.0 { self.end } else { self.start + (self.end - self.start) * t }
    }
}

/// The earliest meeting of two figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// When, as a share of the step: the time is not before the first and not after the second number. They are equal when
    /// the time is a number of the machine, else neighbours (down to times of 1e-300).
    pub time: [f64; 2],
    /// The feature of the first figure that takes part: `Vertex(0)` of a vertex, `Edge(0)` or an end of an edge.
    pub feature_a: Feature,
    /// The feature of the second figure that takes part.
    pub feature_b: Feature,
}

impl Meeting {
    fn new(time: [f64; 2], [feature_a, feature_b]: [Feature; 2]) -> Self {
        Self { time, feature_a, feature_b }
    }

    fn or_earlier(self, other: Self) -> Self {
        let earliest = if other.time < self.time { other } else { self };
        let time = [self.time[0].min(other.time[0]), self.time[1].min(other.time[1])];
        Self { time, ..earliest }
    }
}

/// What settled a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// The boxes around the paths are apart.
    Boxes,
    /// Intervals of rounded arithmetic.
    Intervals,
    /// Polynomials with whole coefficients.
    Integers,
}

/// Whether two figures meet during the step, and how that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The earliest meeting, if any.
    pub meeting: Option<Meeting>,
    /// What settled it.
    pub settled_by: SettledBy,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LinearCcdError {
    /// A coordinate is NaN or infinite.
    #[error(
        "point {point} goes from {start} to {end}; all coordinates must be finite numbers of metres: correct the motion"
    )]
    NotFinite {
        /// Which of the four points, in the order of the arguments.
        point: usize,
        /// Where it starts.
        start: DVec3,
        /// Where it ends.
        end: DVec3,
    },
}

/// Which two figures the four points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Primitive {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// Two ends of an edge, then two of another.
    EdgeEdge,
}

/// The earliest time at which a moving vertex is in a closed moving face; the face may be or become a segment or a point.
///
/// # Errors
/// When a coordinate is not finite.
pub fn vertex_face(vertex: Moving, face: [Moving; 3]) -> Result<Answer, LinearCcdError> {
    answer(Primitive::VertexFace, &[vertex, face[0], face[1], face[2]])
}

/// The earliest time at which two closed moving edges have a point in common; they may be or become points.
///
/// # Errors
/// When a coordinate is not finite.
pub fn edge_edge(a: [Moving; 2], b: [Moving; 2]) -> Result<Answer, LinearCcdError> {
    answer(Primitive::EdgeEdge, &[a[0], a[1], b[0], b[1]])
}

fn answer(primitive: Primitive, points: &[Moving; 4]) -> Result<Answer, LinearCcdError> {
    if let Some(point) = points.iter().position(|p| !(p.start.is_finite() && p.end.is_finite())) {
        return Err(LinearCcdError::NotFinite { point, start: points[point].start, end: points[point].end });
    }
    if filter::boxes_apart(primitive, points) {
        return Ok(Answer { meeting: None, settled_by: SettledBy::Boxes });
    }
    Ok(match filter::decide(primitive, points) {
        Verdict::Miss => Answer { meeting: None, settled_by: SettledBy::Intervals },
        Verdict::Hit { n, k } => {
            let low = Integer::from(n);
            let high = Integer::from(n + 1);
            let of = Grid::new(primitive, points).volume();
            let time = Time::Root { of, low, high, k }.polished();
            let features = match primitive {
                Primitive::VertexFace => [Feature::Vertex(0), Feature::Face],
                Primitive::EdgeEdge => [Feature::Edge(0); 2],
            };
            Answer { meeting: Some(Meeting::new(time.bounds(), features)), settled_by: SettledBy::Intervals }
        }
        Verdict::Unsure => {
            Answer { meeting: Grid::new(primitive, points).earliest(), settled_by: SettledBy::Integers }
        }
    })
}
