//! Measured tosses of a real cube (CASES A36): restitution and friction from a few of them, the others predicted.
//!
//! `cargo run --release -p dolmen-verify --example cube_tosses -- DATA [OUT]`, where DATA holds `tosses.csv`, prints the fit and
//! the distribution of the errors; into OUT go `cube-tosses.csv` with those of every toss and `cube-tosses.svg`.

#[path = "../../dolmen/examples/support/log_plot.rs"]
mod log_plot;

use std::fmt::Write;
use std::path::Path;

use dolmen_verify::tosses::{
    Errors, Facts, Fit, Grid, Model, Row, Split, Start, Toss, compare, errors_of, fit, quantile, read,
    simulate, start_of,
};
use log_plot::{Series, log_plot};

/// Every so many-th toss is fitted to, the others are predicted.
const EVERY: usize = 23;

/// The fall of a parabola through the rows in flight, the median over the tosses, m/s²: lengths in the data are a few per cent short.
const AS_MEASURED: f64 = 9.49;

/// What the data say by themselves, without a model.
fn print_facts(mut facts: Facts) {
    println!("the data by themselves:");
    if !facts.falls.is_empty() {
        let count = facts.falls.len();
        println!("  fall of {count} flights, median: {:.2} m/s^2", quantile(&mut facts.falls, 0.5));
    }
    println!("  at rest the centre is at {:.1} % of half the side", 100.0 * facts.rest);
    let (least, most) = (1e3 * quantile(&mut facts.dips, 0.0), 1e3 * quantile(&mut facts.dips, 1.0));
    println!("  corners sink {least:.1} to {most:.1} mm below the table");
    if !facts.frictions.is_empty() {
        let count = facts.frictions.len();
        let mut q = |share| quantile(&mut facts.frictions, share);
        let (low, median, high) = (q(0.1), q(0.5), q(0.9));
        println!("  friction of {count} slides: {median:.3} ({low:.3} to {high:.3})");
    }
}

fn print_fit(grid: &Grid, found: &Fit) {
    println!("loss over friction (columns) and restitution (rows):");
    print!("  e     ");
    for mu in &grid.frictions {
        print!("{mu:6.2}");
    }
    for (restitution, row) in grid.restitutions.iter().zip(&found.losses) {
        print!("\n  {restitution:.1}   ");
        for loss in row {
            print!("{loss:6.3}");
        }
    }
    let model = &found.model;
    println!(
        "\nbest: restitution {:.3}, friction {:.4}, loss {:.3}",
        model.restitution, model.friction, found.loss
    );
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
        let other = Row { velocity: 1.01 * first.velocity, spin_body: 1.01 * first.spin_body, ..first };
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
    let tosses = read(Path::new(&folder))?;
    let Split { fitted: train, predicted: test, table } = Split::new(&tosses, EVERY, 1);
    println!("{} tosses; fitted to {}; table at {:.2} mm", tosses.len(), train.len(), 1e3 * table);
    print_facts(Facts::of(&tosses, table));
    let start = Start::Flight;
    let grid = Grid {
        restitutions: (0..=6).map(|k| 0.1 * f64::from(k)).collect(),
        frictions: (1..=7).map(|k| 0.05 * f64::from(k)).collect(),
    };
    let found = fit(&train, table, start, &grid);
    print_fit(&grid, &found);
    let model = found.model;

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
