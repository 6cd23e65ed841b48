//! Measured tosses of a real cube (CASES A36): restitution and friction from a few of them, the others predicted.
//!
//! `cargo run --release -p dolmen --example cube_tosses -- DATA [OUT]`, where DATA holds `tosses.csv`, prints the fit and the
//! distribution of the errors; into OUT go `cube-tosses.csv` with those of every toss and `cube-tosses.svg`.

mod data;
mod facts;
#[path = "../support/log_plot.rs"]
mod log_plot;
mod model;

use std::fmt::Write;
use std::path::Path;

use data::{HALF_SIDE, Toss};
use log_plot::{Series, log_plot};
use model::{Errors, Model, Start, compare, simulate, start_of};

/// Every so many-th toss is fitted to, the others are predicted.
const EVERY: usize = 23;

/// Acceleration of fall, m/s².
const STANDARD: f64 = 9.81;

/// That of a parabola through the rows in flight, the median over the tosses: lengths in the data are a few per cent short.
const AS_MEASURED: f64 = 9.49;

/// What is made small: errors over the toss, in sides of the cube and in radians. A toss that cannot be simulated counts as
/// one that is off by a side and a radian.
fn loss(errors: Option<Errors>) -> f64 {
    errors.map_or(2.0, |e| e.position / (2.0 * HALF_SIDE) + e.rotation.to_radians())
}

fn errors_of(model: &Model, toss: &Toss, start: Start) -> Result<Errors, String> {
    let poses = simulate(model, &start_of(toss, model, start), toss.rows.len())?;
    Ok(compare(toss, &poses, model.table))
}

fn mean_loss(model: &Model, tosses: &[&Toss], start: Start) -> f64 {
    tosses.iter().map(|toss| loss(errors_of(model, toss, start).ok())).sum::<f64>() / tosses.len() as f64
}

/// Restitution and friction by a grid and then ever smaller steps around its best point.
fn fit(tosses: &[&Toss], table: f64, start: Start) -> (Model, f64) {
    let mut best = (Model { restitution: 0.0, friction: 0.0, table, gravity: STANDARD }, f64::INFINITY);
    let try_one = |restitution: f64, friction: f64, best: &mut (Model, f64)| {
        let model = Model { restitution, friction, table, gravity: STANDARD };
        let value = mean_loss(&model, tosses, start);
        if value < best.1 {
            *best = (model, value);
        }
        value
    };
    println!("loss over friction (columns) and restitution (rows):");
    let frictions: Vec<f64> = (1..=7).map(|k| 0.05 * f64::from(k)).collect();
    print!("  e     ");
    for mu in &frictions {
        print!("{mu:6.2}");
    }
    for k in 0..=6 {
        let restitution = 0.1 * f64::from(k);
        print!("\n  {restitution:.1}   ");
        for friction in &frictions {
            print!("{:6.3}", try_one(restitution, *friction, &mut best));
        }
    }
    println!();
    let (mut e_step, mut mu_step) = (0.05, 0.025);
    for _ in 0..3 {
        let centre = best.0;
        for (i, k) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            let restitution = (centre.restitution + i * e_step).clamp(0.0, 1.0);
            let friction = (centre.friction + k * mu_step).max(0.0);
            try_one(restitution, friction, &mut best);
        }
        e_step *= 0.5;
        mu_step *= 0.5;
    }
    best
}

/// The value below which a share of all is.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}

/// A line of the table: mean and quantiles of a quantity.
fn line(name: &str, unit: &str, all: &[Errors], of: impl Fn(&Errors) -> f64) {
    let mut values: Vec<f64> = all.iter().map(of).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut q = |share| quantile(&mut values, share);
    println!(
        "  {name:<26} {unit:<4} {mean:8.2} {:8.2} {:8.2} {:8.2} {:8.2} {:8.2}",
        q(0.1),
        q(0.25),
        q(0.5),
        q(0.75),
        q(0.9)
    );
}

fn report(title: &str, all: &[Errors], given_up: usize) {
    println!("{title}: {} tosses, {given_up} given up", all.len());
    if all.is_empty() {
        return;
    }
    println!("  error                      unit     mean     10 %     25 %   median     75 %     90 %");
    line("position over the toss", "mm", all, |e| 1e3 * e.position);
    line("rotation over the toss", "deg", all, |e| e.rotation);
    line("position at rest", "mm", all, |e| 1e3 * e.position_at_rest);
    line("rotation at rest", "deg", all, |e| e.rotation_at_rest);
    line("overshoot at rest", "mm", all, |e| 1e3 * e.overshoot);
    line("position in flight", "mm", all, |e| 1e3 * e.position_in_flight);
    line("rotation in flight", "deg", all, |e| e.rotation_in_flight);
    let share =
        |ok: &dyn Fn(&Errors) -> bool| 100.0 * all.iter().filter(|e| ok(e)).count() as f64 / all.len() as f64;
    println!("  within 1 cm over the toss: {:.0} %", share(&|e| e.position < 0.01));
    println!("  within 10 degrees over the toss: {:.0} %", share(&|e| e.rotation < 10.0));
    println!("  within both: {:.0} %", share(&|e| e.position < 0.01 && e.rotation < 10.0));
    println!("  the right face up at the end: {:.0} %", share(&|e| e.same_face));
}

/// How far apart two simulations end up whose starts differ by 1 % in both velocities: what no model could tell.
fn sensitivity(model: &Model, tosses: &[&Toss], start: Start) -> Vec<Errors> {
    let pair = |toss: &&Toss| {
        let first = start_of(toss, model, start);
        let other = data::Row { velocity: 1.01 * first.velocity, spin_body: 1.01 * first.spin_body, ..first };
        let poses = simulate(model, &first, toss.rows.len()).ok()?;
        let others = simulate(model, &other, toss.rows.len()).ok()?;
        let mut as_measured = Toss::clone(toss);
        for (row, (x, q)) in as_measured.rows.iter_mut().zip(&poses) {
            (row.position, row.orientation) = (*x, *q);
        }
        Some(compare(&as_measured, &others, model.table))
    };
    tosses.iter().filter_map(pair).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: cube_tosses DATA [OUT], where DATA holds tosses.csv")?;
    let tosses = data::read(Path::new(&folder))?;
    let train: Vec<&Toss> = tosses.iter().step_by(EVERY).collect();
    let test: Vec<&Toss> =
        tosses.iter().enumerate().filter(|(k, _)| k % EVERY != 0).map(|(_, t)| t).collect();
    // Where the cube rests tells where the table is.
    let table = train.iter().filter_map(|t| t.rows.last()).map(|row| row.position.z).sum::<f64>()
        / train.len() as f64
        - HALF_SIDE;
    println!("{} tosses; fitted to {}; table at {:.2} mm", tosses.len(), train.len(), 1e3 * table);
    facts::print(&tosses, table);
    let start = Start::Flight;
    let (model, value) = fit(&train, table, start);
    println!("best: restitution {:.3}, friction {:.4}, loss {value:.3}", model.restitution, model.friction);

    let mut rows =
        "toss,fitted,position_m,rotation_deg,position_at_rest_m,rotation_at_rest_deg,same_face\n".to_owned();
    let mut series = Vec::new();
    for (title, chosen) in [("fitted", &train), ("predicted", &test)] {
        let outcomes: Vec<(u32, Result<Errors, String>)> =
            chosen.iter().map(|toss| (toss.number, errors_of(&model, toss, start))).collect();
        let all: Vec<Errors> = outcomes.iter().filter_map(|(_, o)| o.clone().ok()).collect();
        report(title, &all, outcomes.len() - all.len());
        for (number, outcome) in &outcomes {
            match outcome {
                Ok(e) => writeln!(
                    rows,
                    "{number},{title},{:.5},{:.2},{:.5},{:.2},{}",
                    e.position, e.rotation, e.position_at_rest, e.rotation_at_rest, e.same_face
                )?,
                Err(why) => println!("  toss {number} was given up: {why}"),
            }
        }
        let points = all.iter().map(|e| (e.position, e.rotation)).collect();
        series.push(Series { name: title.to_owned(), points });
    }
    let plain: Vec<Errors> = test.iter().filter_map(|t| errors_of(&model, t, Start::FirstRow).ok()).collect();
    report("predicted from the first row alone", &plain, test.len() - plain.len());
    let as_measured = Model { gravity: AS_MEASURED, ..model };
    let slow: Vec<Errors> = test.iter().filter_map(|t| errors_of(&as_measured, t, start).ok()).collect();
    report("predicted with the fall as it was measured", &slow, test.len() - slow.len());
    let apart = sensitivity(&model, &test, start);
    report("two simulations whose starts differ by 1 %", &apart, test.len() - apart.len());

    if let Some(out) = arguments.next() {
        let title = "Measured cube tosses: errors over the toss";
        let picture = log_plot(title, ("position, m", "rotation, degrees"), &series);
        std::fs::write(Path::new(&out).join("cube-tosses.csv"), rows)?;
        std::fs::write(Path::new(&out).join("cube-tosses.svg"), picture)?;
    }
    Ok(())
}
