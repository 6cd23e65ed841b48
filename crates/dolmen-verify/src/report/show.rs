//! What a case looks like: a strip of pictures, the paths of bodies without shapes, and curves over time.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dolmen::math::DVec3;
use dolmen::world::BodyId;
use dolmen_view::export::png::Picture;
use dolmen_view::export::{png, record};

use super::plot::{Axes, Curve, Kind, draw};
use crate::case::{Case, MOST_STEPS, Run, SAMPLES, Subject, Wanted};
use crate::expression::{Expression, Value, Variables, evaluate};
use crate::format::ProblemKind;
use crate::measure::Cloud;
use crate::problem;
use crate::run::{self, SceneRun};
use crate::suite::{Options, Outcome, data_of, started};

/// Pictures in a strip, and the size of each, px.
const FRAMES: usize = 3;
const WIDTH: usize = 250;
const HEIGHT: usize = 190;

/// Sizes of the scene that things may go before a strip ends.
const SIGHT: f64 = 6.0;

/// Instants of a curve.
const INSTANTS: u32 = 400;

/// Paths that are drawn at most.
const MOST_PATHS: usize = 6;

/// Quantities that are drawn where nothing moves.
const MOST_EXPECTED: usize = 3;

/// Size of a plot.
const PLOT: (f64, f64) = (420.0, 252.0);

/// Pictures and curves of a case, as pieces of the page; empty where there is nothing to see.
pub(super) fn show(outcome: &Outcome, options: &Options) -> String {
    let case = &outcome.case;
    if !matches!(case.subject, Subject::Scene { .. }) {
        let clouds: String = outcome.clouds.iter().map(draw_cloud).collect();
        return clouds + &problems(case) + &answers(case);
    }
    let Ok(data) = data_of(case, options) else { return String::new() };
    let data = data.display().to_string();
    shown_runs(case).iter().map(|run| show_run(case, run, &data)).collect()
}

/// Pictures and curves of one run.
fn show_run(case: &Case, run: &Run, data: &str) -> String {
    let Subject::Scene { name, text, folder } = &case.subject else { return String::new() };
    let mut variables = run.variables.clone();
    variables.texts.insert("data".to_owned(), data.to_owned());
    let Ok((mut scene, end)) = started(name, text, folder, run, &variables) else {
        return String::new();
    };
    let world = scene.simulation.world();
    let has_shapes = world.described_bodies().iter().any(|body| body.shape().is_some() && body.is_dynamic())
        || world.sets().iter().any(|set| !set.is_empty());
    let world = world.clone();
    let (drawn, path) = curves(case, &mut scene, end, !has_shapes);
    let title =
        if run.name.is_empty() { case.title.clone() } else { format!("{}: {}", case.title, run.name) };
    let mut html =
        if has_shapes { strip(world, in_sight(end, &path), &title, &run.name) } else { String::new() };
    html += &drawn;
    html
}

/// What a measurement found, point by point.
fn draw_cloud(cloud: &Cloud) -> String {
    let curve =
        |(name, points): &(String, Vec<(f64, f64)>)| Curve { name: name.clone(), points: points.clone() };
    let curves: Vec<Curve> = cloud.groups.iter().map(curve).collect();
    let [x, y] = cloud.axes;
    draw(&curves, &[], Axes { x, y, kind: if cloud.is_log { Kind::LogCloud } else { Kind::Cloud } }, PLOT)
}

/// Answers of problems for solvers: zᵢ and wᵢ are on one of the two axes; the friction of a contact, by what its cone allows, is
/// below the diagonal or on it.
fn answers(case: &Case) -> String {
    let mut curves: [Vec<Curve>; 2] = [Vec::new(), Vec::new()];
    for (run, problem) in case.runs.iter().filter_map(|run| Some((run, run.problem.as_ref()?))) {
        let found = problem::solve(problem);
        let list = |word: &str| found.0.get(word).map(Value::numbers).unwrap_or_default();
        let (z, w) = (list("z"), list("w"));
        let name = run.name.clone();
        if problem.kind == ProblemKind::Coulomb {
            let of_contact = |(r, mu): (&[f64], &f64)| (r[0], (r[1] * r[1] + r[2] * r[2]).sqrt() / mu);
            let points = z.chunks_exact(3).zip(&problem.friction).map(of_contact).collect();
            curves[1].push(Curve { name, points });
        } else {
            curves[0].push(Curve { name, points: z.into_iter().zip(w).collect() });
        }
    }
    let axes = [["z", "w = M z + q"], ["normal force", "friction by μ"]];
    let plots = curves.iter().zip(axes).filter(|(curves, _)| !curves.is_empty());
    plots.map(|(curves, [x, y])| draw(curves, &[], Axes { x, y, kind: Kind::Cloud }, PLOT)).collect()
}

/// Matrices and vectors of problems for solvers, as they were given.
fn problems(case: &Case) -> String {
    let mut html = String::new();
    for (name, problem) in case.runs.iter().filter_map(|run| Some((&run.name, run.problem.as_ref()?))) {
        html += "<figure><table class=\"matrix\">";
        for (row, q) in problem.matrix.iter().zip(&problem.q) {
            html += "<tr>";
            for number in row {
                let _ = write!(html, "<td>{number}");
            }
            let _ = write!(html, "<td class=\"right\">{q}");
        }
        let friction: Vec<String> = problem.friction.iter().map(f64::to_string).collect();
        let friction =
            if friction.is_empty() { String::new() } else { format!(", friction {}", friction.join(", ")) };
        let _ = writeln!(
            html,
            "</table><figcaption>{}: matrix and right-hand side{friction}</figcaption></figure>",
            super::escape(name)
        );
    }
    html
}

/// The plain scene, or the first variant; not longer than the scene itself or its laws. Where variants bring shapes of their own
/// from recorded data, each of these once, for as long as it is known to go.
fn shown_runs(case: &Case) -> Vec<Run> {
    let until = case.laws.as_ref().and_then(|laws| laws.until).or_else(|| duration(case));
    let plain = |run: Option<&Run>, name: String, until: Option<f64>| Run {
        name,
        set: run.map(|run| run.set.clone()).unwrap_or_default(),
        until,
        samples: SAMPLES,
        most_steps: MOST_STEPS,
        known: None,
        variables: run.map(|run| run.variables.clone()).unwrap_or_default(),
        problem: None,
        expectations: Vec::new(),
    };
    if case.needs.is_none() {
        return vec![plain(case.runs.first(), String::new(), until)];
    }
    let mut shown: Vec<Run> = Vec::new();
    for run in case.runs.iter().filter(|run| run.known.is_none()) {
        if shown.iter().all(|one| one.set != run.set) {
            shown.push(plain(Some(run), run.name.clone(), run.until.or(until)));
        }
    }
    shown
}

fn duration(case: &Case) -> Option<f64> {
    let Subject::Scene { name, text, folder } = &case.subject else { return None };
    Some(run::duration(&run::document(name, text, folder, &[]).ok()?))
}

/// Three pictures of a run; `name` is that of its variant, or empty.
fn strip(world: dolmen::world::World, end: f64, title: &str, name: &str) -> String {
    let Ok(take) = record(world, end) else { return String::new() };
    let times = (0..FRAMES).map(|i| end * i as f64 / (FRAMES - 1) as f64).collect();
    let Ok(bytes) = png::png(&take, &Picture { times, width: WIDTH, height: HEIGHT }) else {
        return String::new();
    };
    let [first, second, third] = [0.0, 0.5 * end, end].map(instant);
    let name = if name.is_empty() { String::new() } else { format!("{}, ", super::escape(name)) };
    format!(
        "<figure><img class=\"strip\" loading=\"lazy\" width=\"{}\" height=\"{HEIGHT}\" alt=\"{}: at the start, half-way and at the end\" \
         src=\"data:image/png;base64,{}\"><figcaption>{name}t = {first}, {second}, {third} s</figcaption></figure>\n",
        WIDTH * FRAMES,
        super::escape(title),
        STANDARD.encode(bytes)
    )
}

/// A time with three digits.
fn instant(t: f64) -> String {
    let decimals = if t >= 10.0 {
        1
    } else if t >= 0.1 || t == 0.0 {
        2
    } else {
        5
    };
    let text = format!("{t:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How far one that moves is from where it began, over time.
type Way = Vec<(f64, f64)>;

/// Until when everything is in sight: not further from its start than `SIGHT` sizes of the scene.
fn in_sight(end: f64, way: &[(f64, f64)]) -> f64 {
    way.iter().take_while(|(_, share)| *share <= SIGHT).last().map_or(end, |(t, _)| *t).max(1e-3 * end)
}

/// The size of the scene at its start, m: how far bodies that move are apart, and how large the largest is.
fn size(scene: &SceneRun) -> f64 {
    let world = scene.simulation.world();
    let ids = || world.described_ids().filter(|id| world.body(*id).is_dynamic());
    let count = ids().count().max(1) as f64;
    let middle = ids().map(|id| scene.simulation.pose(id).position).sum::<DVec3>() / count;
    let mut size = 0.0_f64;
    for id in ids() {
        let inertia = world.body(id).inertia();
        // The radius of a ball of such moments.
        let radius = (2.5 * inertia.moments.max_element() * inertia.inv_mass).sqrt();
        size = size.max(scene.simulation.pose(id).position.distance(middle) + radius);
    }
    size
}

fn curves(case: &Case, scene: &mut SceneRun, end: f64, with_paths: bool) -> (String, Way) {
    let energies: Vec<(String, Expression)> = ["kinetic", "potential - start(potential)", "work", "lost"]
        .iter()
        .filter_map(|text| parsed(text))
        .collect();
    let asked: Vec<(String, Expression)> =
        case.plot.iter().map(|curve| (curve.text.clone(), curve.clone())).collect();
    let is_energy = asked.is_empty();
    // Where nothing moves, energies say nothing: then what is expected is drawn, over time.
    let energies_count = if is_energy { energies.len() } else { 0 };
    let wanted = if is_energy { [energies, expected(case)].concat() } else { asked };
    for (_, expression) in &wanted {
        scene.wish(expression);
    }
    let mut found: Vec<Curve> =
        wanted.iter().map(|(name, _)| Curve { name: name.clone(), points: Vec::new() }).collect();
    let bodies: Vec<_> = scene.simulation.world().described_ids().take(MOST_PATHS).collect();
    let mut paths: Vec<Vec<DVec3>> = vec![Vec::new(); bodies.len()];
    let (size, mut way) = (size(scene), Vec::new());
    let starts: Vec<DVec3> =
        scene.simulation.world().described_ids().map(|id| scene.simulation.pose(id).position).collect();
    for i in 0..=INSTANTS {
        scene.advance(end * f64::from(i) / f64::from(INSTANTS));
        scene.look();
        let t = scene.simulation.time();
        let variables = scene.variables.clone();
        for (curve, (_, expression)) in found.iter_mut().zip(&wanted) {
            if let Ok(value) = evaluate(&expression.node, scene, &variables) {
                curve.points.push((t, value.number().unwrap_or_else(|_| value.size())));
            }
        }
        let gone = |id: BodyId| scene.simulation.pose(id).position.distance(starts[id.index()]);
        let furthest = scene.simulation.world().described_ids().map(gone).fold(0.0, f64::max);
        way.push((t, if size > 0.0 { furthest / size } else { 0.0 }));
        for (path, id) in paths.iter_mut().zip(&bodies) {
            path.push(scene.simulation.pose(*id).position);
        }
    }
    let others = found.split_off(energies_count);
    // A line that never leaves zero says nothing.
    found.retain(|curve| curve.points.iter().any(|point| point.1 != 0.0));
    let is_energy = !found.is_empty();
    let found = if is_energy { found } else { others };
    let axes = Axes { x: "t, s", y: if is_energy { "energy, J" } else { "SI units" }, kind: Kind::Lines };
    let mut html = String::new();
    if with_paths {
        let names: Vec<String> = bodies.iter().map(|id| scene.simulation.world().body_name(*id)).collect();
        html += &draw_paths(&names, &paths);
    }
    if !found.is_empty() {
        html += &draw(&found, &marks(case), axes, PLOT);
    }
    (html, way)
}

/// Quantities of the first run that have a value at every instant, some of them.
fn expected(case: &Case) -> Vec<(String, Expression)> {
    let has_values = |text: &str| !text.contains("event(") && !text.contains("stopped");
    let expectations = case.runs.iter().take(1).flat_map(|run| &run.expectations);
    let mut found: Vec<(String, Expression)> = Vec::new();
    for expectation in expectations.filter(|e| has_values(&e.quantity.text)) {
        if found.iter().all(|(_, known)| known.text != expectation.quantity.text) {
            found.push((expectation.label.clone(), expectation.quantity.clone()));
        }
    }
    found.truncate(MOST_EXPECTED);
    found
}

fn parsed(text: &str) -> Option<(String, Expression)> {
    let name = text.split(' ').next().unwrap_or(text).to_owned();
    Expression::parse(text).ok().map(|expression| (name, expression))
}

/// Expected values of quantities that are drawn.
fn marks(case: &Case) -> Vec<(f64, f64)> {
    let drawn = |text: &str| case.plot.iter().any(|curve| curve.text == text);
    let Some(run) = case.runs.first() else { return Vec::new() };
    let mut found = Vec::new();
    for expectation in run.expectations.iter().filter(|e| drawn(&e.quantity.text)) {
        let (Some(t), Wanted::Value(wanted)) = (expectation.time, &expectation.wanted) else { continue };
        let mut variables: Variables = run.variables.clone();
        variables.numbers.insert("t".to_owned(), t);
        if let Some(number) = wanted.constant(&variables) {
            found.push((t, number));
        }
    }
    found
}

/// The paths of bodies that have no shape, seen along the axis in which they move least.
fn draw_paths(names: &[String], paths: &[Vec<DVec3>]) -> String {
    let spread = |axis: usize| {
        let values = paths.iter().flatten().map(|p| p.to_array()[axis]);
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        high - low
    };
    let least = (0..3).min_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(2);
    let (x, y) = [(1, 2), (0, 2), (0, 1)][least];
    let curve = |(name, path): (&String, &Vec<DVec3>)| Curve {
        name: name.clone(),
        points: path.iter().map(|p| (p.to_array()[x], p.to_array()[y])).collect(),
    };
    let curves: Vec<Curve> = names.iter().zip(paths).map(curve).collect();
    let axis = ["x, m", "y, m", "z, m"];
    draw(&curves, &[], Axes { x: axis[x], y: axis[y], kind: Kind::Paths }, PLOT)
}
