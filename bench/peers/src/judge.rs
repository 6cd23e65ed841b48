//! What the poses of an engine are worth: recomputed from poses alone, in double precision, for all engines alike.

use dolmen::broad_phase::{Filter, Method};
use dolmen::math::{Aabb, DVec3, Pose};
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Witness, separate_within};
use dolmen::shape::Shape;

use crate::scene::Scene;

/// The worst that was seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Verdict {
    /// m.
    pub overlap: f64,
    /// m.
    pub joint_error: f64,
    /// How far the watched piece has sunk at the end, m.
    pub sunk: f64,
    /// Pieces that fell out of the scene, or are no numbers.
    pub lost: usize,
}

pub struct Judge<'a> {
    scene: &'a Scene,
    geometries: Vec<Geometry>,
    pub verdict: Verdict,
}

impl<'a> Judge<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        let geometries = scene.pieces.iter().map(|piece| Geometry::new(&piece.shape)).collect();
        Self { scene, geometries, verdict: Verdict::default() }
    }

    fn bounds(shape: &Shape, pose: &Pose) -> Aabb {
        let back = pose.orientation.inverse();
        let reach = |d: DVec3| shape.reach(back * d);
        let max = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let min = -DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z));
        Aabb { min: pose.position + min, max: pose.position + max }
    }

    /// Looks at the poses of a step.
    pub fn look(&mut self, poses: &[Pose]) {
        let scene = self.scene;
        let mut worst = 0.0_f64;
        let boxes: Vec<Aabb> =
            scene.pieces.iter().zip(poses).map(|(piece, pose)| Self::bounds(&piece.shape, pose)).collect();
        self.verdict.lost = 0;
        for ((piece, pose), bounds) in scene.pieces.iter().zip(poses).zip(&boxes) {
            if !pose.position.is_finite()
                || (!piece.fixed && (scene.floor || scene.balls.is_empty()) && pose.position.z < -10.0)
            {
                self.verdict.lost += 1;
                continue;
            }
            if scene.floor {
                worst = worst.max(-bounds.min.z);
            }
            if let Some(half) = scene.room {
                worst = worst.max(bounds.max.x - half).max(bounds.max.y - half);
                worst = worst.max(-half - bounds.min.x).max(-half - bounds.min.y);
            }
        }
        // Neighbours of joints do not touch each other.
        let mut joined: Vec<[u32; 2]> =
            scene.balls.iter().map(|(a, b, _)| [*a.min(b) as u32, *a.max(b) as u32]).collect();
        joined.sort_unstable();
        let mut phase = Method::UniformGrid.start();
        let mut statistics = Statistics::default();
        for pair in phase.update(&boxes, &Filter::new()) {
            let [i, j] = pair.map(|k| k as usize);
            if scene.pieces[i].fixed && scene.pieces[j].fixed || joined.binary_search(pair).is_ok() {
                continue;
            }
            let placed = |k: usize| Placed { geometry: &self.geometries[k], pose: poses[k] };
            let found =
                separate_within(0.0, (&placed(i), &placed(j)), &mut Witness::Unknown, &mut statistics);
            if let Ok(Some(found)) = found {
                worst = worst.max(-found.distance);
            }
        }
        for (a, b, at) in &scene.balls {
            let point = |i: usize| {
                let piece = &scene.pieces[i];
                poses[i].point(piece.turned.inverse() * (*at - piece.at))
            };
            let error = (point(*a) - point(*b)).length();
            self.verdict.joint_error = self.verdict.joint_error.max(error);
        }
        self.verdict.overlap = self.verdict.overlap.max(worst);
        if let Some(watched) = scene.watched {
            self.verdict.sunk = scene.pieces[watched].at.z - poses[watched].position.z;
        }
    }
}
