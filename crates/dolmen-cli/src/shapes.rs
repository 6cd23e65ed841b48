//! The outlines of shapes, for pictures: `shapes.json` of a run.

use dolmen::math::DVec3;
use dolmen::shape::{Fineness, Shape, triangulate};
use dolmen::world::World;
use serde_json::{Map, Value, json};

/// Corners of the polygon that stands for a circle.
const ROUND: Fineness = Fineness::Segments(24);

/// Every body's outline, seen from its centre of mass; an infinite plane has none.
pub(crate) fn to_json(world: &World) -> Value {
    let mut all = Map::new();
    for id in world.described_ids() {
        let body = world.body(id);
        let Some(shape) = body.shape() else { continue };
        // The short forms are drawn about the centre of mass.
        let centred = body.shape_origin() == DVec3::ZERO;
        let outline = match shape {
            Shape::Sphere { radius } if centred => json!({ "kind": "sphere", "radius": radius }),
            Shape::Cuboid { half } if centred => json!({ "kind": "box", "half": half.to_array() }),
            other => {
                let (points, lines) = triangulate(other, ROUND, 0.0).outline();
                let vertices: Vec<[f64; 3]> =
                    points.iter().map(|p| (*p + body.shape_origin()).to_array()).collect();
                json!({ "kind": "mesh", "vertices": vertices, "edges": lines })
            }
        };
        all.insert(world.body_name(id), outline);
    }
    Value::Object(all)
}
