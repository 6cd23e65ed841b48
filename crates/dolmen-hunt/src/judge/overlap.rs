//! Bodies that overlap, and bodies beyond planes, from poses and shapes.

use super::depth::deeper_than;
use super::scene::{Body, Scene};
use super::solid::{Part, Plane, Solid};
use super::vector::{Pose, Vector};
use super::{Class, Finding, Run, Sample};

/// An overlap by more than this share of the smaller body is a finding; the engine promises 1e-9.
const SHARE: f64 = 1e-5;

/// The same where time steps were taken; the engine promises 1e-3.
const SHARE_IN_TIME_STEPS: f64 = 2e-3;

/// Of coordinates: what their rounding can do, times ten thousand.
const ROUNDING: f64 = 1e-12;

/// A body with a shape, at an instant.
struct Placed<'s> {
    body: &'s Body,
    solid: &'s Solid,
    pose: Pose,
}

/// The first overlap of each pair at any sample; pairs that overlap at the start are let be.
pub(super) fn check(scene: &Scene, run: &Run) -> Vec<Finding> {
    let share = if run.has_time_steps() { SHARE_IN_TIME_STEPS } else { SHARE };
    let mut findings = Vec::new();
    let mut passed: Vec<(&str, &str)> = Vec::new();
    // Which side of a two-sided plane a body began on.
    let mut sides: Vec<(&str, &str, f64)> = Vec::new();
    for (k, sample) in run.samples().iter().enumerate() {
        let placed: Vec<Placed<'_>> = scene.bodies.iter().filter_map(|body| placed(body, sample)).collect();
        for (i, a) in placed.iter().enumerate() {
            for b in &placed[i + 1..] {
                let names = (a.body.name.as_str(), b.body.name.as_str());
                if passed.contains(&names) || !scene.collide(a.body, b.body) {
                    continue;
                }
                let found = match (&a.solid.plane, &b.solid.plane) {
                    (None, None) => bodies(a, b, share).map(|depth| (Class::Overlap, depth)),
                    (Some(plane), None) => beyond(plane, a, b, share, &mut sides),
                    (None, Some(plane)) => beyond(plane, b, a, share, &mut sides),
                    (Some(_), Some(_)) => None,
                };
                if let Some((class, depth)) = found {
                    passed.push(names);
                    let how = if class == Class::Overlap {
                        "overlap by"
                    } else {
                        "have passed through each other by"
                    };
                    let text =
                        format!("{} and {} {how} {depth:.3e} m at t = {:?} s", names.0, names.1, sample.t);
                    // At the start the scene is to blame, or `overlaps` allows it.
                    if k > 0 {
                        findings.push(Finding::new(class, text));
                    }
                }
            }
        }
    }
    findings
}

fn placed<'s>(body: &'s Body, sample: &Sample<'_>) -> Option<Placed<'s>> {
    let solid = body.solid.as_ref()?;
    Some(Placed { body, solid, pose: sample.frame(body)? })
}

fn allowed(share: f64, size: f64, at: &[Vector]) -> f64 {
    share * size + ROUNDING * at.iter().map(|x| x.length()).fold(0.0, f64::max)
}

/// The depth to which two bodies overlap, where it is a finding.
fn bodies(a: &Placed<'_>, b: &Placed<'_>, share: f64) -> Option<f64> {
    let (radius_a, radius_b) = (a.solid.radius(), b.solid.radius());
    let between = b.pose.position - a.pose.position;
    if between.length() > radius_a + radius_b {
        return None;
    }
    let bound = allowed(share, radius_a.min(radius_b), &[a.pose.position, b.pose.position]);
    let depths = a.solid.parts.iter().flat_map(|p| b.solid.parts.iter().map(move |q| (p, q)));
    // What separates the bodies separates all of their parts: the deepest pair is a lower bound.
    depths.filter_map(|(p, q)| parts(p, &a.pose, q, &b.pose, bound)).reduce(f64::max)
}

fn parts(p: &Part, pose_p: &Pose, q: &Part, pose_q: &Pose, bound: f64) -> Option<f64> {
    // About q, so that coordinates do not round what is small beside them.
    let origin = pose_q.position;
    let [pose_p, pose_q] = [pose_p, pose_q].map(|pose| Pose { position: pose.position - origin, ..*pose });
    let difference = |n: Vector| p.support(&pose_p, n) - q.support(&pose_q, -n);
    let start = pose_q.place(q.pose.position) - pose_p.place(p.pose.position);
    deeper_than(&difference, start, bound)
}

/// How far a body is behind a plane or in it, where it is a finding.
fn beyond<'s>(
    plane: &Plane,
    support: &Placed<'s>,
    body: &Placed<'s>,
    share: f64,
    sides: &mut Vec<(&'s str, &'s str, f64)>,
) -> Option<(Class, f64)> {
    let bound = allowed(share, body.solid.radius(), &[body.pose.position]);
    if let Some(piece) = &plane.piece {
        // What comes from behind passes a one-sided piece.
        if !plane.is_two_sided {
            return None;
        }
        let depths =
            body.solid.parts.iter().filter_map(|part| parts(part, &body.pose, piece, &support.pose, bound));
        return depths.reduce(f64::max).map(|depth| (Class::Overlap, depth));
    }
    let normal = support.pose.rotation.apply(plane.normal);
    let offset = plane.offset + normal.dot(support.pose.position);
    let height =
        |along: Vector| body.solid.parts.iter().map(move |part| part.support(&body.pose, along).dot(along));
    let lowest = -height(-normal).reduce(f64::max)? - offset;
    let highest = height(normal).reduce(f64::max)? - offset;
    if !plane.is_two_sided {
        return (lowest < -bound).then_some((Class::Overlap, -lowest));
    }
    let depth = highest.min(-lowest);
    if depth > bound {
        return Some((Class::Overlap, depth));
    }
    let side = if highest > -lowest { 1.0 } else { -1.0 };
    let names = (support.body.name.as_str(), body.body.name.as_str());
    match sides.iter().find(|known| (known.0, known.1) == names) {
        None => sides.push((names.0, names.1, side)),
        Some((_, _, before)) if *before != side && highest.max(-lowest) > bound => {
            return Some((Class::Tunnelled, highest.max(-lowest)));
        }
        Some(_) => {}
    }
    None
}
