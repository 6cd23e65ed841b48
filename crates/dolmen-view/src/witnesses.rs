//! The planes between bodies that are near each other: what proves that they do not touch.

use std::collections::BTreeMap;

use dolmen::broad_phase::Filter;
use dolmen::math::{Aabb, DMat3, DVec3, Pose};
use dolmen::narrow_phase::{Feature, Geometry, Placed, Statistics, Witness, separate};
use dolmen::shape::Shape;
use dolmen::world::World;

use crate::describe::radius;
use crate::recording::Frame;

/// How far apart bodies may be to be shown with the plane between them, by the radius of the smaller.
const NEAR: f64 = 1.0;

/// Pairs that are tested in one frame; beyond, those that come first.
const MOST_PAIRS: usize = 20_000;

/// Planes that are shown in one frame: the nearest pairs.
const MOST_PLANES: usize = 600;

/// The plane between two bodies, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WitnessKey {
    /// Ranks of the bodies; the normal points from the second to the first.
    pub bodies: [u32; 2],
    /// A point of the plane, midway between the nearest features, m.
    pub point: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Across the plane, m; negative where they overlap.
    pub separation: f32,
    /// Half side of the piece that is drawn, m.
    pub reach: f32,
    /// Whether the plane is along an edge of each, and not that of a face.
    pub is_of_edges: bool,
    /// The rank of the body whose face it is, which it moves with; of two edges, the first.
    pub owner: u32,
}

/// The shapes of a world, prepared, and what was found about pairs of them.
#[derive(Debug)]
pub struct Witnesses {
    /// By rank: the shape's box, the place of its geometry, and its origin from the centre of mass.
    items: Vec<Option<(Aabb, usize, DVec3)>>,
    radii: Vec<f64>,
    geometries: Vec<Geometry>,
    filter: Filter,
    known: BTreeMap<[u32; 2], Witness>,
    statistics: Statistics,
}

impl Witnesses {
    /// Nothing known yet.
    pub fn new(world: &World) -> Self {
        let mut shapes: Vec<&Shape> = Vec::new();
        let mut filter = Filter::new();
        let mut items = Vec::with_capacity(world.described_bodies().len());
        for (rank, body) in world.described_bodies().iter().enumerate() {
            filter.set_groups(rank as u32, body.groups());
            filter.set_immobile(rank as u32, !body.is_dynamic());
            items.push(body.shape().map(|shape| {
                let place = shapes.iter().position(|other| *other == shape).unwrap_or_else(|| {
                    shapes.push(shape);
                    shapes.len() - 1
                });
                (shape.aabb(), place, body.shape_origin())
            }));
        }
        for [a, b] in world.jointed_pairs() {
            filter.exclude(a.index() as u32, b.index() as u32);
        }
        Self {
            items,
            radii: world.described_bodies().iter().map(radius).collect(),
            geometries: shapes.into_iter().map(Geometry::new).collect(),
            filter,
            known: BTreeMap::new(),
            statistics: Statistics::default(),
        }
    }

    /// The planes of all pairs that are near each other in a frame, nearest first; of one body only, if one is named.
    pub fn of(&mut self, frame: &Frame, body: Option<u32>) -> Vec<WitnessKey> {
        let poses: Vec<Option<Pose>> = self
            .items
            .iter()
            .zip(frame.bodies.iter())
            .map(|(item, key)| {
                let (_, _, origin) = item.as_ref()?;
                let orientation = key.orientation();
                Some(Pose { position: key.position() + orientation * *origin, orientation })
            })
            .collect();
        let mut found: Vec<WitnessKey> = Vec::new();
        for [a, b] in self.near_pairs(&poses, body) {
            found.extend(self.between(&poses, a, b));
        }
        found.sort_by(|p, q| p.separation.total_cmp(&q.separation).then(p.bodies.cmp(&q.bodies)));
        found.truncate(MOST_PLANES);
        // What is far apart now is found anew when it comes back.
        let near: BTreeMap<_, _> =
            found.iter().filter_map(|key| Some((key.bodies, *self.known.get(&key.bodies)?))).collect();
        self.known = near;
        found
    }

    /// Pairs whose boxes, grown by what counts as near, meet: boxes are swept along x.
    fn near_pairs(&self, poses: &[Option<Pose>], body: Option<u32>) -> Vec<[u32; 2]> {
        let mut boxes: Vec<(u32, Aabb)> = Vec::new();
        let mut endless: Vec<u32> = Vec::new();
        for (rank, (item, pose)) in self.items.iter().zip(poses).enumerate() {
            let (Some((local, _, _)), Some(pose)) = (item, pose) else { continue };
            if local.min.is_finite() && local.max.is_finite() {
                boxes.push((rank as u32, turned(local, pose).grown(0.5 * NEAR * self.radii[rank])));
            } else {
                endless.push(rank as u32);
            }
        }
        boxes.sort_by(|p, q| p.1.min.x.total_cmp(&q.1.min.x).then(p.0.cmp(&q.0)));
        let mut pairs = Vec::new();
        let mut add = |a: u32, b: u32| {
            let is_wanted = body.is_none_or(|body| a == body || b == body);
            if is_wanted && self.filter.allows(a, b) && pairs.len() < MOST_PAIRS {
                pairs.push([a.min(b), a.max(b)]);
            }
        };
        for (i, (a, box_a)) in boxes.iter().enumerate() {
            for plane in &endless {
                add(*a, *plane);
            }
            for (b, box_b) in boxes[i + 1..].iter().take_while(|(_, other)| other.min.x <= box_a.max.x) {
                if box_a.min.cmple(box_b.max).all() && box_b.min.cmple(box_a.max).all() {
                    add(*a, *b);
                }
            }
        }
        pairs
    }

    /// The plane between two, if they are near each other and there is an answer for their shapes.
    fn between(&mut self, poses: &[Option<Pose>], a: u32, b: u32) -> Option<WitnessKey> {
        let placed = |rank: u32| {
            let (_, place, _) = self.items[rank as usize].as_ref()?;
            Some(Placed { geometry: &self.geometries[*place], pose: poses[rank as usize]? })
        };
        let mut witness = self.known.get(&[a, b]).copied().unwrap_or_default();
        let found = separate(&placed(a)?, &placed(b)?, &mut witness, &mut self.statistics).ok()?;
        let reach = [a, b]
            .map(|rank| self.radii[rank as usize])
            .into_iter()
            .filter(|r| r.is_finite())
            .fold(f64::INFINITY, f64::min);
        if !(reach.is_finite() && found.distance <= NEAR * reach && found.normal.is_finite()) {
            return None;
        }
        self.known.insert([a, b], witness);
        let middle = 0.5 * (found.points[0] + found.points[1]);
        let narrow = |v: DVec3| v.to_array().map(|c| c as f32);
        let is_of_edges = matches!(witness, Witness::Plane { a: Feature::Edge(_), b: Feature::Edge(_) });
        Some(WitnessKey {
            bodies: [a, b],
            point: narrow(middle),
            normal: narrow(found.normal),
            separation: found.distance as f32,
            reach: reach as f32,
            is_of_edges,
            owner: if matches!(witness, Witness::Plane { b: Feature::Face(_), .. }) { b } else { a },
        })
    }
}

/// The box along the axes of the world around a box of a shape's frame.
fn turned(local: &Aabb, pose: &Pose) -> Aabb {
    let (centre, half) = (0.5 * (local.min + local.max), 0.5 * (local.max - local.min));
    let m = DMat3::from_quat(pose.orientation);
    let half = DVec3::new(m.row(0).abs().dot(half), m.row(1).abs().dot(half), m.row(2).abs().dot(half));
    let centre = pose.point(centre);
    Aabb { min: centre - half, max: centre + half }
}
