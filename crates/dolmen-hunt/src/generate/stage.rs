//! Where bodies stand: bounding spheres that are apart from each other and on the right side of floors.

use dolmen::math::{DQuat, DVec3};

use super::random::{Random, rounded};
use super::text::{Table, exact_vector, number};

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Dynamic,
    Fixed,
    Kinematic,
}

/// A body of the scene in the making.
#[derive(Debug, Clone)]
pub(super) struct Staged {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Of the body's frame.
    pub(super) position: DVec3,
    pub(super) orientation: DQuat,
    /// Of a sphere about the position that holds the shape.
    pub(super) radius: f64,
    pub(super) table: Table,
    /// Infinite planes have no sphere.
    pub(super) is_plane: bool,
}

/// All bodies so far.
#[derive(Debug, Default)]
pub(super) struct Stage {
    pub(super) bodies: Vec<Staged>,
    /// Normal n and offset d of floors: everything has n·x − radius ≥ d.
    pub(super) floors: Vec<(DVec3, f64)>,
    /// Mechanisms so far.
    pub(super) mechanisms: usize,
}

/// Digits of a position.
const DIGITS: usize = 7;

impl Stage {
    /// Bodies other than planes, by place.
    pub(super) fn solids(&self) -> Vec<usize> {
        (0..self.bodies.len()).filter(|k| !self.bodies[*k].is_plane).collect()
    }

    /// Bodies that forces move.
    pub(super) fn dynamic(&self) -> Vec<usize> {
        (0..self.bodies.len()).filter(|k| self.bodies[*k].kind == Kind::Dynamic).collect()
    }

    /// Whether a sphere overlaps nothing.
    fn is_free(&self, position: DVec3, radius: f64) -> bool {
        let apart = |other: &Staged| {
            other.is_plane || position.distance(other.position) > (radius + other.radius) * (1.0 + 1e-6)
        };
        self.bodies.iter().all(apart)
            && self
                .floors
                .iter()
                .all(|(normal, offset)| normal.dot(position) - radius > offset + 1e-6 * radius)
    }

    /// A place for a sphere next to body `near`, or anywhere, and the direction from there.
    pub(super) fn place(&self, random: &mut Random, radius: f64, near: Option<usize>) -> (DVec3, DVec3) {
        let (centre, beside) =
            near.map_or((DVec3::ZERO, 0.0), |k| (self.bodies[k].position, self.bodies[k].radius));
        let mut gap = random.decades(0.01, 1.0);
        loop {
            for _ in 0..8 {
                let direction = random.direction();
                let position = rounded(centre + direction * (beside + radius) * (1.0 + gap), DIGITS);
                if self.is_free(position, radius) {
                    return (position, direction);
                }
            }
            gap *= 1.2;
        }
    }

    /// A body at a place, turned any way or not at all.
    pub(super) fn begin(&mut self, random: &mut Random, kind: Kind, position: DVec3, radius: f64) -> Staged {
        let name = format!("b{:02}", self.bodies.len());
        let mut table = Table::new("[[body]]");
        table.text("name", &name);
        match kind {
            Kind::Dynamic => {}
            Kind::Fixed => drop(table.text("kind", "fixed")),
            Kind::Kinematic => drop(table.text("kind", "kinematic")),
        }
        table.put("position", exact_vector(position));
        let mut orientation = DQuat::IDENTITY;
        if random.chance(0.7) {
            let (axis, degrees) = (random.direction(), super::random::short(random.between(-180.0, 180.0)));
            orientation = DQuat::from_axis_angle(axis.normalize(), degrees.to_radians());
            let turn = format!("{{ axis = {}, angle_deg = {} }}", exact_vector(axis), number(degrees));
            table.put("orientation", turn);
        }
        Staged { name, kind, position, orientation, radius, table, is_plane: false }
    }
}
