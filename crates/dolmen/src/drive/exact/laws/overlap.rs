//! Bodies do not overlap, nor pass through planes.
//!
//! Overlaps are measured anew, without what detection remembers of a pair: what detection has lost is what this is to find.

use super::Laws;
use super::tolerances::ON_PLANE;
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::state::law_record::PlaneSide;
use crate::drive::exact::tolerances::TOUCHING;
use crate::narrow_phase::{Statistics, Tolerance, Witness, separate_within};
use crate::record::CheckedLaw;
use crate::shape::Sides;

impl Laws<'_> {
    /// On which sides of planes bodies are at the start.
    pub(super) fn begin_sides(&mut self) {
        if !self.state.detection.is_off() {
            self.state.laws.sides = self.sides_now();
        }
    }

    /// The deepest overlap of any pair at present, and bodies whose centre has passed to the other side of a plane.
    pub(super) fn check_overlaps(&mut self) {
        let known = self.state.log.deepest_relative;
        self.note(CheckedLaw::Overlap, &self.state.log.deepest_pair.clone(), known);
        if self.state.detection.is_off() {
            return;
        }
        let mut worst: Option<(f64, [u32; 2])> = None;
        for pair in self.state.detection.near_pairs() {
            let Some(depth) = self.overlap_of(pair) else { continue };
            if worst.is_none_or(|(most, _)| depth > most || depth.is_nan()) {
                worst = Some((depth, pair));
            }
        }
        if let Some((depth, pair)) = worst {
            self.note(CheckedLaw::Overlap, &pair, depth);
        }
        self.check_sides();
    }

    /// How deep two bodies overlap at present, by the contact tolerance; none if they do not.
    fn overlap_of(&self, pair: [u32; 2]) -> Option<f64> {
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
        else {
            return None;
        };
        let [pose_a, pose_b] = pair.map(|body| self.state.pose_and_twist(self.world, self.state.t, body).0);
        let distance = pose_a.position.distance(pose_b.position);
        if distance > collider_a.radius + collider_b.radius {
            return None;
        }
        let (placed_a, placed_b) = (collider_a.placed(&pose_a), collider_b.placed(&pose_b));
        // The side of a plane is remembered; where detection lost it, `check_sides` sees that.
        let mut witness = if collider_a.is_plane() || collider_b.is_plane() {
            self.state.detection.witness(pair)
        } else {
            Witness::Unknown
        };
        let found =
            separate_within(0.0, (&placed_a, &placed_b), &mut witness, &mut Statistics::default()).ok()??;
        let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
        (found.distance < 0.0).then_some(-found.distance / tolerance)
    }

    /// That the centres of bodies stay on their side of infinite planes.
    fn check_sides(&mut self) {
        let sides = self.sides_now();
        let before = std::mem::replace(&mut self.state.laws.sides, sides);
        let mut now = self.state.laws.sides.clone();
        now.sort_unstable_by_key(|side| side.pair);
        for side in before {
            let found = now.binary_search_by_key(&side.pair, |other| other.pair);
            let has_crossed = found.is_ok_and(|at| now[at].is_in_front != side.is_in_front);
            // A plane with one side lets pass what comes from behind.
            let is_wall = side.is_in_front || self.has_two_sides(side.pair[0]);
            if is_wall && has_crossed {
                let depth = self
                    .height_over_plane(side.pair)
                    .map_or(f64::NAN, |(height, size)| height.abs() / (TOUCHING * size));
                self.note(CheckedLaw::Overlap, &side.pair, depth);
            }
        }
    }

    fn has_two_sides(&self, plane: u32) -> bool {
        let plane = self.state.detection.collider(plane).and_then(Collider::plane);
        plane.is_some_and(|plane| plane.sides() == Sides::Both)
    }

    /// The sides on which bodies are now, of all planes that they cannot pass.
    fn sides_now(&self) -> Vec<PlaneSide> {
        let mut sides = Vec::new();
        for pair in self.state.detection.plane_pairs() {
            if let Some((height, size)) = self.height_over_plane(pair)
                && height.abs() > ON_PLANE * size
            {
                sides.push(PlaneSide { pair, is_in_front: height > 0.0 });
            }
        }
        sides
    }

    /// How high the centre of a body is above a plane, and the size of the body, m.
    fn height_over_plane(&self, [plane, body]: [u32; 2]) -> Option<(f64, f64)> {
        let size = self.state.detection.collider(body)?.radius;
        let collider = self.state.detection.collider(plane)?;
        let shape = collider.plane()?;
        let pose = self.state.pose_and_twist(self.world, self.state.t, plane).0;
        let centre = self.state.pose_and_twist(self.world, self.state.t, body).0.position;
        let local = pose.orientation.conjugate() * (centre - pose.position) - collider.frame().position;
        Some((shape.normal().dot(local) - shape.offset(), size))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::drive::exact::Simulation;
    use crate::record::CheckedLaw;
    use crate::scene::Document;

    fn ball_over_plane(sides: &str) -> Simulation {
        let text = format!(
            "format = 1\n[run]\nduration = 1\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n\
             shape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \"{sides}\" }}\n\
             [[body]]\nname = \"ball\"\ndensity = 1\nposition = [0, 0, 2]\nshape = {{ kind = \"sphere\", radius = 1 }}\n"
        );
        let world =
            Document::parse("test.toml", &text).expect("a scene").build(Path::new(".")).expect("a world");
        Simulation::new(world).expect("a start")
    }

    /// A body that is on the other side of a plane than before has passed through it; a plane with one side lets pass what
    /// comes from behind.
    #[test]
    fn passing_through_a_plane_is_a_violation() {
        for (sides, was_in_front, is_broken) in
            [("both", false, true), ("both", true, false), ("front", false, false), ("front", true, false)]
        {
            let mut simulation = ball_over_plane(sides);
            simulation.check_laws().expect("finite numbers");
            assert_eq!(simulation.state.laws.sides.len(), 1);
            simulation.state.laws.sides[0].is_in_front = was_in_front;
            simulation.check_laws().expect("finite numbers");
            let broken = simulation.laws().violations.iter().any(|found| found.law == CheckedLaw::Overlap);
            assert_eq!(broken, is_broken, "{sides}, in front before: {was_in_front}");
        }
    }
}
