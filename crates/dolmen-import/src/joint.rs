//! Several coordinates between two bodies as one joint of the scene format, where there is such a joint.

use dolmen::math::DVec3;

use crate::frame::unit;
use crate::model::{Dof, DofKind};

/// Axes and lines that are off by less than this (rad, or m on a metre) are taken as they are meant.
const ROUNDING: f64 = 1e-10;

/// Off by less than this, files that give few digits mean it too; that is said.
const FEW_DIGITS: f64 = 1e-4;

/// A joint of the scene format.
#[derive(Debug)]
pub(crate) struct Grouped {
    pub(crate) kind: &'static str,
    pub(crate) locked: Option<Vec<&'static str>>,
    /// Origin and axes of its frame in the link at zero.
    pub(crate) point: DVec3,
    pub(crate) x: DVec3,
    pub(crate) z: DVec3,
    /// The axis of the joint for each coordinate and its sign; none for a ball.
    pub(crate) axes: Vec<Option<(&'static str, f64)>>,
    pub(crate) pitch: Option<f64>,
    /// By how much axes were off, if that is more than rounding.
    pub(crate) off: f64,
}

const NAMES: [&str; 6] = ["x", "y", "z", "turn-x", "turn-y", "turn-z"];

/// The joint that has exactly these coordinates, one after the other; none if there is none.
pub(crate) fn group(dofs: &[Dof]) -> Option<Grouped> {
    let turns: Vec<&Dof> = dofs.iter().filter(|dof| dof.kind == DofKind::Turn).collect();
    let slides: Vec<&Dof> = dofs.iter().filter(|dof| dof.kind == DofKind::Slide).collect();
    let balls: Vec<&Dof> = dofs.iter().filter(|dof| dof.kind == DofKind::Ball).collect();
    let mut off = 0.0_f64;

    if let [Dof { kind: DofKind::Screw(pitch), axis, anchor, .. }] = dofs {
        let (x, z) = (axis.any_orthonormal_vector(), *axis);
        return Some(Grouped {
            kind: "screw",
            locked: None,
            point: *anchor,
            x,
            z,
            axes: vec![Some(("turn-z", 1.0))],
            pitch: Some(*pitch),
            off,
        });
    }
    if turns.len() + slides.len() + balls.len() != dofs.len() || balls.len() > 1 {
        return None;
    }
    if !balls.is_empty() && !turns.is_empty() {
        return None;
    }
    // A coordinate along an axis that others turn is not one along an axis of the parent, unless it is theirs.
    let first_turn = dofs.iter().position(|dof| dof.kind != DofKind::Slide).unwrap_or(dofs.len());
    let in_order = dofs[first_turn..].iter().all(|dof| {
        dof.kind != DofKind::Slide || (turns.len() == 1 && parallel(dof.axis, turns[0].axis, &mut off))
    });
    if !in_order {
        return None;
    }

    // The axes x, y, z of the frame: Rx(α) Ry(β) Rz(γ) is the order of two and three turns.
    let (x, z) = match turns[..] {
        [] => match slides[..] {
            [] => (DVec3::X, DVec3::Z),
            [first] => (first.axis.any_orthonormal_vector(), first.axis),
            [first, second, ..] => (across(second.axis, first.axis, &mut off)?, first.axis),
        },
        [turn] => {
            let sideways = slides.iter().find(|slide| !parallel(slide.axis, turn.axis, &mut 0.0));
            match sideways {
                Some(slide) => (across(slide.axis, turn.axis, &mut off)?, turn.axis),
                None => (turn.axis.any_orthonormal_vector(), turn.axis),
            }
        }
        [first, second] | [first, second, _] => {
            let y = across(second.axis, first.axis, &mut off)?;
            (first.axis, first.axis.cross(y))
        }
        _ => return None,
    };
    let basis = [x, z.cross(x), z];
    let along = |axis: DVec3, off: &mut f64| {
        (0..3).find(|k| parallel(axis, basis[*k], off)).map(|k| (k, axis.dot(basis[k]).signum()))
    };

    let mut free = [false; 6];
    let mut axes = Vec::new();
    let mut turned = 0;
    for dof in dofs {
        let (k, sign) = match dof.kind {
            DofKind::Ball => {
                free[3..].fill(true);
                axes.push(None);
                continue;
            }
            DofKind::Slide => along(dof.axis, &mut off)?,
            DofKind::Turn | DofKind::Screw(_) => {
                let (k, sign) = along(dof.axis, &mut off)?;
                let expected = if turns.len() == 1 { 2 } else { turned };
                turned += 1;
                if k != expected {
                    return None;
                }
                (k + 3, sign)
            }
        };
        if std::mem::replace(&mut free[k], true) {
            return None;
        }
        axes.push(Some((NAMES[k], sign)));
    }

    let point = match (&turns[..], &balls[..]) {
        ([], [ball]) => ball.anchor,
        ([], _) => DVec3::ZERO,
        ([turn], _) => turn.anchor,
        ([first, rest @ ..], _) => {
            let point = crossing(first, rest[0], &mut off)?;
            for third in &rest[1..] {
                let away = point - third.anchor;
                let distance = (away - third.axis * third.axis.dot(away)).length();
                close_enough(distance, 1.0 + away.length(), &mut off).then_some(())?;
            }
            point
        }
    };
    let kind = match free {
        [false, false, false, false, false, true] => "hinge",
        [false, false, true, false, false, false] => "slider",
        [false, false, true, false, false, true] => "cylindrical",
        [false, false, false, true, true, false] => "universal",
        [true, true, false, false, false, true] => "planar",
        [false, false, false, true, true, true] => "ball",
        _ => "six-axis",
    };
    let locked = (kind == "six-axis").then(|| (0..6).filter(|k| !free[*k]).map(|k| NAMES[k]).collect());
    Some(Grouped { kind, locked, point, x, z, axes, pitch: None, off })
}

fn close_enough(error: f64, scale: f64, off: &mut f64) -> bool {
    if error > ROUNDING * scale {
        *off = off.max(error);
    }
    error <= FEW_DIGITS * scale
}

fn parallel(a: DVec3, b: DVec3, off: &mut f64) -> bool {
    let error = a.cross(b).length();
    // Only a direction that is meant to be parallel counts as off.
    error <= FEW_DIGITS && close_enough(error, 1.0, off)
}

/// The part of `a` across the unit vector `b`, if the two are meant to be at right angles.
fn across(a: DVec3, b: DVec3, off: &mut f64) -> Option<DVec3> {
    let along = a.dot(b);
    close_enough(along.abs(), 1.0, off).then(|| unit(a - b * along)).flatten()
}

/// Where two axes at right angles cross.
fn crossing(a: &Dof, b: &Dof, off: &mut f64) -> Option<DVec3> {
    let between = b.anchor - a.anchor;
    let common = a.axis.cross(b.axis);
    let distance = between.dot(common).abs();
    // The axes are at right angles: the foot on a is where b's part along a leads.
    let foot = a.anchor + a.axis * a.axis.dot(between);
    close_enough(distance, 1.0 + between.length(), off).then_some(foot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Place;

    fn dof(kind: DofKind, axis: DVec3, anchor: DVec3) -> Dof {
        Dof::new("q", &Place::file("t"), kind, axis.normalize(), anchor)
    }

    /// Every order of coordinates that robots have becomes the joint with these coordinates.
    #[test]
    fn coordinates_become_the_joint_that_has_them() {
        let [t, s] = [DofKind::Turn, DofKind::Slide];
        let cases: [(&str, Vec<Dof>); 8] = [
            ("hinge", vec![dof(t, DVec3::Y, DVec3::X)]),
            ("slider", vec![dof(s, DVec3::Y, DVec3::X)]),
            ("universal", vec![dof(t, DVec3::Z, DVec3::Z), dof(t, DVec3::Y, DVec3::ZERO)]),
            (
                "ball",
                vec![dof(t, DVec3::X, DVec3::X), dof(t, DVec3::Z, DVec3::ZERO), dof(t, DVec3::Y, DVec3::Y)],
            ),
            (
                "planar",
                vec![dof(s, DVec3::X, DVec3::X), dof(s, DVec3::Z, DVec3::ZERO), dof(t, DVec3::Y, DVec3::Y)],
            ),
            ("cylindrical", vec![dof(t, DVec3::Y, DVec3::X), dof(s, -DVec3::Y, DVec3::ZERO)]),
            ("six-axis", vec![dof(s, DVec3::X, DVec3::X), dof(t, DVec3::Y, DVec3::Y)]),
            ("ball", vec![dof(DofKind::Ball, DVec3::Z, DVec3::X)]),
        ];
        for (kind, dofs) in cases {
            let grouped = group(&dofs).unwrap_or_else(|| panic!("no joint for {kind}"));
            assert_eq!(grouped.kind, kind);
            assert_eq!(grouped.axes.len(), dofs.len());
        }
    }

    /// Axes that do not cross, or not at right angles, and slides that others turn have no joint of their own.
    #[test]
    fn what_no_joint_says_is_refused() {
        let [t, s] = [DofKind::Turn, DofKind::Slide];
        let skew = vec![dof(t, DVec3::Z, DVec3::ZERO), dof(t, DVec3::Y, DVec3::X)];
        let tilted = vec![dof(t, DVec3::Z, DVec3::ZERO), dof(t, DVec3::new(0.0, 1.0, 1.0), DVec3::ZERO)];
        let turned = vec![dof(t, DVec3::Z, DVec3::ZERO), dof(s, DVec3::X, DVec3::ZERO)];
        for dofs in [skew, tilted, turned] {
            assert!(group(&dofs).is_none());
        }
    }
}
