//! Energy and momentum: the ledger, the losses of events, and both recomputed from states and masses.

use toml::Table as Toml;

use super::read::{list_of, number_of, tables_of, text_of};
use super::scene::{Kind, Scene};
use super::vector::Vector;
use super::{Class, Finding, Run};

/// Of the energy in play: by how much the ledger may be off; the engine promises 1e-10.
const LEDGER: f64 = 1e-8;

/// By how much what time steps and projections take may shrink again.
const CLOSING: f64 = 1e-6;

/// The same where time steps were taken: bodies are lifted out of overlaps, of which the engine promises 1e-3 of the smaller body. And a
/// sample within a step has the velocities of its end and not yet the positions: what its bodies have yet to fall is missing there.
const CLOSING_IN_TIME_STEPS: f64 = 2e-3;

/// Relative: by how much an energy or a momentum may differ from that of the states.
const STATES: f64 = 1e-9;

/// Less energy than this is none, J: bodies are heavier than 1e-12 kg and move by more than 1e-9 m.
const NOTHING: f64 = 1e-30;

/// Per step tolerances that add up.
const STEPS: f64 = 1e3;

pub(super) fn check(scene: &Scene, run: &Run) -> Vec<Finding> {
    if run.energy.rows.is_empty() {
        return Vec::new();
    }
    let scale = in_play(run);
    let steps = STEPS * scene.tolerance;
    // With steps of a given length errors are those of the method, whatever they come to.
    let slack = if scene.has_fixed_step() { f64::INFINITY } else { steps };
    let mut findings = Vec::new();
    findings.extend(ledger(scene, run, scale, slack));
    findings.extend(losses(run, scale, steps));
    findings.extend(bodies(scene, run));
    findings.extend(potential(scene, run, scale));
    findings.extend(momentum(scene, run, slack));
    findings
}

/// The most energy that was in play: kinetic, exchanged, put in and lost.
fn in_play(run: &Run) -> f64 {
    let energy = &run.energy;
    let start = energy.number(0, "potential");
    let turnover = |row: usize| {
        let lost = ["collisions", "friction", "closing", "work", "kinetic"]
            .map(|name| energy.number(row, name).abs());
        lost.iter().sum::<f64>() + (energy.number(row, "potential") - start).abs()
    };
    energy.places().map(turnover).filter(|x| x.is_finite()).fold(NOTHING, f64::max)
}

/// The ledger balances, its columns are what they say, and no loss shrinks.
fn ledger(scene: &Scene, run: &Run, scale: f64, slack: f64) -> Vec<Finding> {
    let energy = &run.energy;
    let column = |row: usize, name: &str| energy.number(row, name);
    let total = |row: usize| column(row, "kinetic") + column(row, "potential");
    let lost = |row: usize| column(row, "collisions") + column(row, "friction") + column(row, "closing");
    // Something may have happened at the start before the first row: rows are compared with the first, not with zero.
    let balance = |row: usize| total(row) - column(row, "work") + lost(row);
    let mut findings = Vec::new();
    let rounding = 1e-13 * (total(0).abs() + column(0, "potential").abs());
    let closing = if run.has_time_steps() { CLOSING_IN_TIME_STEPS } else { CLOSING };
    // Of an impact only the sum along and across the normals is a loss; either alone may be negative.
    let accounts: [(&str, &[&str], f64); 2] =
        [("collisions + friction", &["collisions", "friction"], LEDGER), ("closing", &["closing"], closing)];
    let mut most = [0.0_f64; 2];
    for row in energy.places() {
        let t = column(row, "t");
        let off = balance(row) - balance(0);
        if off.abs() > (LEDGER + slack) * scale + rounding {
            let text =
                format!("{off:.3e} J are not accounted for at t = {t:?} s, with {scale:.3e} J in play");
            findings.push(Finding::new(Class::Ledger, text));
        }
        let said = column(row, "error") - column(0, "error");
        if (off - said).abs() > 1e-9 * scale + rounding {
            let text = format!("error is {said:?} at t = {t:?} s, the other columns give {off:?}");
            findings.push(Finding::new(Class::Ledger, text));
        }
        for (k, (name, columns, allowed)) in accounts.iter().enumerate() {
            let lost = columns.iter().map(|name| column(row, name)).sum::<f64>();
            let drop = most[k] - lost;
            if drop > (allowed + slack) * scale + rounding {
                let text =
                    format!("`{name}` fell by {drop:.3e} J until t = {t:?} s, with {scale:.3e} J in play");
                findings.push(Finding::new(Class::Energy, text));
            }
            most[k] = most[k].max(lost);
        }
        if !has_sources(scene) && column(row, "work").abs() > (LEDGER + slack) * scale + rounding {
            let text = format!("work of {:.3e} J at t = {t:?} s, and nothing does work", column(row, "work"));
            findings.push(Finding::new(Class::Energy, text));
        }
    }
    findings
}

/// Whether anything in the scene can do work that has no potential.
fn has_sources(scene: &Scene) -> bool {
    let damps = |table: &Toml| number_of(table, "damping").is_some_and(|damping| damping != 0.0);
    let conserves = |force: &Toml| match text_of(force, "kind") {
        Some("spring" | "short-range") => !damps(force),
        Some("attract" | "nbody") => true,
        _ => false,
    };
    scene.bodies.iter().any(|body| body.kind == Kind::Kinematic)
        || scene.forces().any(|force| !conserves(force))
        || scene
            .joints()
            .any(|joint| !list_of(joint, "motor").is_empty() || tables_of(joint, "spring").any(damps))
}

/// No event has a negative loss: what is solved together is added up, with what joints lose at the same instant.
fn losses(run: &Run, scale: f64, slack: f64) -> Option<Finding> {
    // Time, group, sum, who.
    let mut sums: Vec<(f64, String, f64, String)> = Vec::new();
    let (events, joints) = (&run.events, &run.joint_events);
    for row in events.places() {
        let (t, group, lost) =
            (events.number(row, "t"), events.text(row, "group"), events.number(row, "lost"));
        match sums.last_mut() {
            Some(last) if last.0 == t && last.1 == group => last.2 += lost,
            _ => {
                let who = ["kind", "body_a", "body_b"].map(|name| events.text(row, name)).join(" ");
                sums.push((t, group.to_owned(), lost, who));
            }
        }
    }
    let mut of_joints: Vec<(f64, f64, String)> = Vec::new();
    for row in joints.places() {
        let (t, lost) = (joints.number(row, "t"), joints.number(row, "lost"));
        match of_joints.last_mut() {
            Some(last) if last.0 == t => last.1 += lost,
            _ => of_joints.push((t, lost, ["kind", "joint"].map(|name| joints.text(row, name)).join(" "))),
        }
    }
    for (t, lost, who) in of_joints {
        // Tables do not say to which group of an instant a joint belongs: it may pay for the one that gives most.
        let first = sums.partition_point(|sum| sum.0 < t);
        let same = sums[first..].iter().take_while(|sum| sum.0 == t).count();
        match (first..first + same).min_by(|i, j| sums[*i].2.total_cmp(&sums[*j].2)) {
            Some(k) => sums[k].2 += lost,
            None => sums.insert(first, (t, String::new(), lost, who)),
        }
    }
    let worst = sums.into_iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
    let bound = (LEDGER + slack) * scale;
    (worst.2 < -bound).then(|| {
        let text =
            format!("{} at t = {:?} s lost {:.3e} J, with {scale:.3e} J in play", worst.3, worst.0, worst.2);
        Finding::new(Class::Loss, text)
    })
}

/// Energies and momenta of bodies are those of their states.
fn bodies(scene: &Scene, run: &Run) -> Option<Finding> {
    let table = &run.bodies;
    let samples = run.samples();
    let mut rows = table.places().peekable();
    for sample in &samples {
        let mut sum = 0.0;
        let mut complete = true;
        while let Some(row) = rows.next_if(|row| table.number(*row, "t") == sample.t) {
            let name = table.text(row, "body");
            sum += table.number(row, "kinetic");
            let (Some(body), Some(state)) = (scene.body(name), sample.row(name)) else { continue };
            let Some(mass) = body.mass else { continue };
            let velocity = run.states.vector(state, ["vx", "vy", "vz"]);
            let spin = run.states.vector(state, ["wx", "wy", "wz"]);
            let linear = 0.5 * mass.mass * velocity.dot(velocity);
            let tell = |what: &str, found: f64, expected: f64| {
                let text = format!(
                    "{what} of {name} is {found:?} at t = {:?} s, by its state {expected:?}",
                    sample.t
                );
                Some(Finding::new(Class::States, text))
            };
            let whole = table.number(row, "kinetic");
            let found = whole - table.number(row, "rotational");
            if (found - linear).abs() > STATES * whole.abs() + f64::MIN_POSITIVE {
                return tell("the kinetic energy without rotation", found, linear);
            }
            let momentum = table.vector(row, ["px", "py", "pz"]);
            let off = (momentum - velocity * mass.mass).length();
            if off > STATES * momentum.length() {
                return tell("momentum", momentum.length(), mass.mass * velocity.length());
            }
            if let Some(inertia) = mass.inertia {
                let rotation = sample.pose(state).rotation;
                let l = rotation.apply(inertia.apply(rotation.apply_transposed(spin)));
                let found = table.vector(row, ["lx", "ly", "lz"]);
                if (found - l).length() > STATES * inertia.trace() * spin.length() + f64::MIN_POSITIVE {
                    return tell("angular momentum", found.length(), l.length());
                }
                let rotational = 0.5 * l.dot(spin);
                let found = table.number(row, "rotational");
                if (found - rotational).abs() > STATES * inertia.trace() * spin.dot(spin) + f64::MIN_POSITIVE
                {
                    return tell("rotational energy", found, rotational);
                }
            }
        }
        for row in run.particles.places().filter(|row| run.particles.number(*row, "t") == sample.t) {
            let (set, index) = (run.particles.text(row, "set"), run.particles.number(row, "index") as usize);
            let masses = scene.particles.iter().find(|(name, _)| name == set);
            match masses.and_then(|(_, masses)| masses.get(index)) {
                Some(mass) => {
                    let v = run.particles.vector(row, ["vx", "vy", "vz"]);
                    sum += 0.5 * mass * v.dot(v);
                }
                None => complete = false,
            }
        }
        let row = run.energy.places().find(|row| run.energy.number(*row, "t") == sample.t)?;
        let kinetic = run.energy.number(row, "kinetic");
        if complete && (kinetic - sum).abs() > STATES * kinetic.abs() + f64::MIN_POSITIVE {
            let text =
                format!("kinetic energy is {kinetic:?} at t = {:?} s, that of all members {sum:?}", sample.t);
            return Some(Finding::new(Class::States, text));
        }
    }
    None
}

/// Where gravity alone has a potential, it is −Σ m g·x.
fn potential(scene: &Scene, run: &Run, scale: f64) -> Option<Finding> {
    let dynamic = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
    let has_others = scene.forces().next().is_some()
        || scene.joints().any(|joint| !list_of(joint, "spring").is_empty())
        || !scene.particles.is_empty();
    if has_others || dynamic.clone().any(|body| body.mass.is_none()) {
        return None;
    }
    let mut start: Option<(f64, f64)> = None;
    for (row, sample) in run.samples().iter().enumerate().filter(|(row, _)| *row < run.energy.rows.len()) {
        let height = |body: &super::scene::Body| {
            let x = sample.pose(sample.row(&body.name)?).position;
            Some((
                -body.mass?.mass * scene.gravity.dot(x),
                (body.mass?.mass * scene.gravity.length() * x.length()).abs(),
            ))
        };
        let parts: Vec<(f64, f64)> = dynamic.clone().filter_map(height).collect();
        let (own, size) = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let found = run.energy.number(row, "potential");
        let (own_start, found_start) = *start.get_or_insert((own, found));
        let off = (found - found_start) - (own - own_start);
        if off.abs() > STATES * scale + 1e-12 * size {
            let text = format!(
                "the potential energy is off by {off:.3e} J at t = {:?} s from that of the heights",
                sample.t
            );
            return Some(Finding::new(Class::States, text));
        }
    }
    None
}

/// Until something from outside acts, momentum is p(0) + M g t.
fn momentum(scene: &Scene, run: &Run, slack: f64) -> Option<Finding> {
    let is_outer = |name: Option<&str>| {
        name.is_none_or(|name| scene.body(name).is_none_or(|body| body.kind != Kind::Dynamic))
    };
    let end = |force: &Toml, key: &str| {
        let end = force.get(key).and_then(toml::Value::as_table);
        end.is_none_or(|end| !end.contains_key("particles") && is_outer(text_of(end, "body")))
    };
    let inner = |force: &Toml| match text_of(force, "kind") {
        Some("spring") => !end(force, "a") && !end(force, "b"),
        Some("nbody" | "short-range") => true,
        Some("penalty") => !is_outer(text_of(force, "a")) && !is_outer(text_of(force, "b")),
        _ => false,
    };
    let hangs = scene.joints().any(|joint| {
        !joint.contains_key("joints") && (is_outer(text_of(joint, "a")) || is_outer(text_of(joint, "b")))
    });
    if hangs || !scene.forces().all(inner) {
        return None;
    }
    let table_end = |table: &super::Table| {
        let touches =
            |row: &usize| ["body_a", "body_b"].iter().any(|name| is_outer(Some(table.text(*row, name))));
        table.places().find(touches).map_or(f64::INFINITY, |row| table.number(row, "t"))
    };
    let until = table_end(&run.events).min(table_end(&run.forces));
    let mut mass = scene.particles.iter().flat_map(|(_, masses)| masses).sum::<f64>();
    for body in scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic) {
        mass += body.mass?.mass;
    }
    let table = &run.momentum;
    let at = |row: usize| table.vector(row, ["px", "py", "pz"]);
    let mut size = 0.0_f64;
    for row in table.places() {
        let t = table.number(row, "t");
        if t >= until {
            return None;
        }
        let absolute: f64 = run
            .bodies
            .places()
            .filter(|k| run.bodies.number(*k, "t") == t)
            .map(|k| run.bodies.vector(k, ["px", "py", "pz"]).length())
            .sum();
        size = size.max(absolute + mass * scene.gravity.length() * t);
        let off: Vector = at(row) - at(0) - scene.gravity * (mass * t);
        if off.length() > (LEDGER + slack) * size + f64::MIN_POSITIVE && scene.particles.is_empty() {
            let text = format!(
                "momentum is off by {:.3e} N·s of {size:.3e} at t = {t:?} s, and nothing acts from outside",
                off.length()
            );
            return Some(Finding::new(Class::Momentum, text));
        }
    }
    None
}
