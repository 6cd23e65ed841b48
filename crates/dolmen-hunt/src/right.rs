//! What is right in a scene beyond the laws that hold in every scene.

use crate::judge::Run;
use crate::judge::vector::Vector;

/// What is expected of a scene.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Folder and name.
    scene: &'static str,
    /// Arguments of `dolmen run` besides the scene.
    pub arguments: &'static [&'static str],
    /// What must be true of its tables.
    pub check: fn(&Run) -> Result<(), String>,
}

/// What is expected of a scene, if more than the laws.
pub fn of(scene: &str) -> Option<&'static Expected> {
    EXPECTED.iter().find(|expected| expected.scene == scene)
}

const EXPECTED: [Expected; 13] = [
    Expected {
        scene: "defects/disc-falls-through-floor",
        arguments: &[],
        check: |run| stays_above(run, "disc", -1e-6),
    },
    Expected {
        scene: "defects/spinning-disc-falls-through-floor",
        arguments: &[],
        check: |run| stays_above(run, "disc", -1e-6),
    },
    Expected {
        scene: "defects/gripper-leaves-box-on-floor",
        arguments: &["--for", "2.6"],
        // The palm rises by 0.3 m, and the box with it but for some slip.
        check: |run| ends_within(run, "box", 2, [0.35, 0.45]),
    },
    Expected {
        scene: "defects/gripper-stalls-at-rest",
        arguments: &[],
        check: |run| ends_within(run, "box", 2, [0.35, 0.45]),
    },
    Expected {
        scene: "defects/lift-throws-box-at-22-km-s",
        arguments: &[],
        // The tray rises by 0.3 m at no more than half a metre per second; a fall from there ends at 4 m/s.
        check: |run| is_slower(run, "box", 5.0),
    },
    Expected {
        scene: "defects/friction-pushes-a-sliding-block-along",
        arguments: &[],
        check: |run| falls_no_faster(run, "block", 1, 9.8),
    },
    Expected {
        scene: "defects/arch-of-25-energy-rises",
        arguments: &[],
        // It closes its 24 gaps of 16 cm, by which the keystone comes down by 2.1 m; the stones are 5 m high.
        check: |run| every_body_moves_less(run, 2.5),
    },
    Expected {
        scene: "defects/billiards-endless-loop",
        arguments: &["--for", "1.42"],
        check: |run| ledger_balances(run, 1e-10),
    },
    Expected { scene: "defects/elevator-panics", arguments: &[], check: elevator },
    Expected {
        scene: "defects/conveyor-costs-a-minute",
        arguments: &[],
        // Boxes ride on the belt, 0.5 m/s, or slide along the deflector; none is thrown.
        check: |run| (0..6).try_for_each(|k| is_slower(run, &format!("box {k}"), 5.0)),
    },
    Expected {
        scene: "defects/weld-refused-as-contradiction",
        arguments: &[],
        // The weld is to a fixed body: nothing moves.
        check: |run| every_body_moves_less(run, 1e-9),
    },
    Expected {
        scene: "defects/touching-cylinders-not-finite",
        arguments: &[],
        // Hinges to the world: the axes stay.
        check: |run| every_body_moves_less(run, 1e-6),
    },
    Expected {
        scene: "defects/jointed-ball-hits-floor-ledger-off",
        arguments: &[],
        // It falls by 0.1 m at most.
        check: |run| is_slower(run, "ball", 1.5),
    },
];

/// Rows of a body.
fn rows<'r>(run: &'r Run, body: &'r str) -> impl DoubleEndedIterator<Item = usize> + 'r {
    run.states.places().filter(move |row| run.states.text(*row, "body") == body)
}

fn position(run: &Run, row: usize) -> Vector {
    run.states.vector(row, ["x", "y", "z"])
}

fn stays_above(run: &Run, body: &str, height: f64) -> Result<(), String> {
    match rows(run, body).find(|row| position(run, *row)[2] < height) {
        Some(row) => Err(format!(
            "{body} is at z = {:?} at t = {:?} s",
            position(run, row)[2],
            run.states.number(row, "t")
        )),
        None => Ok(()),
    }
}

fn ends_within(run: &Run, body: &str, axis: usize, range: [f64; 2]) -> Result<(), String> {
    let last = rows(run, body).next_back().ok_or_else(|| format!("there is no {body}"))?;
    let x = position(run, last)[axis];
    if (range[0]..=range[1]).contains(&x) {
        return Ok(());
    }
    Err(format!("{body} ends at {x:?} m instead of between {} and {} m", range[0], range[1]))
}

fn is_slower(run: &Run, body: &str, speed: f64) -> Result<(), String> {
    let of = |row: usize| run.states.vector(row, ["vx", "vy", "vz"]).length();
    match rows(run, body).find(|row| of(*row) > speed) {
        Some(row) => {
            Err(format!("{body} goes at {:.3e} m/s at t = {:?} s", of(row), run.states.number(row, "t")))
        }
        None => Ok(()),
    }
}

/// Between any two samples a body does not gain more speed downwards along an axis than by falling freely.
fn falls_no_faster(run: &Run, body: &str, axis: usize, gravity: f64) -> Result<(), String> {
    let rows: Vec<usize> = rows(run, body).collect();
    let velocity = |row: usize| run.states.vector(row, ["vx", "vy", "vz"])[axis];
    let time = |row: usize| run.states.number(row, "t");
    for pair in rows.windows(2) {
        let gained = velocity(pair[0]) - velocity(pair[1]);
        let fallen = gravity * (time(pair[1]) - time(pair[0]));
        if gained > fallen * (1.0 + 1e-6) + 1e-9 {
            return Err(format!(
                "{body} gains {gained:.3e} m/s until t = {:?} s, and free fall gives {fallen:.3e}",
                time(pair[1])
            ));
        }
    }
    Ok(())
}

fn every_body_moves_less(run: &Run, distance: f64) -> Result<(), String> {
    for row in run.states.places() {
        let body = run.states.text(row, "body");
        let Some(first) = rows(run, body).next() else { continue };
        let moved = (position(run, row) - position(run, first)).length();
        if moved > distance {
            return Err(format!(
                "{body} has moved by {moved:.3e} m at t = {:?} s",
                run.states.number(row, "t")
            ));
        }
    }
    Ok(())
}

fn ledger_balances(run: &Run, share: f64) -> Result<(), String> {
    let of =
        |name: &str| run.energy.places().map(|row| run.energy.number(row, name).abs()).fold(0.0, f64::max);
    let (error, scale) = (of("error"), of("kinetic") + of("work"));
    if error <= share * scale {
        Ok(())
    } else {
        Err(format!("the ledger is off by {error:.3e} J of {scale:.3e} J"))
    }
}

/// The platform waits until its first time, then rises, never beyond its path by more than a twentieth of it.
fn elevator(run: &Run) -> Result<(), String> {
    for row in rows(run, "lift") {
        let (t, z) = (run.states.number(row, "t"), position(run, row)[2]);
        let range = match t {
            t if t <= 1.0 => [0.1, 0.1],
            t if t >= 3.0 => [1.1, 1.1],
            _ => [0.05, 1.15],
        };
        if z < range[0] - 1e-9 || z > range[1] + 1e-9 {
            return Err(format!("the lift is at z = {z:?} at t = {t:?} s"));
        }
    }
    stays_above(run, "a", 0.3 - 1e-6)
}
