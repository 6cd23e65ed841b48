//! The cube on its table, simulated, and how far it is from what was measured.

use dolmen::drive::exact::Simulation;
use dolmen::math::{DQuat, DVec3, real};
use dolmen::scene::Document;

use super::data::{HALF_SIDE, INTERVAL, Row, Toss};

/// What is fitted, and where the table is.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// One for corners, edges and faces alike.
    pub restitution: f64,
    /// Coulomb's, of the cube on the table.
    pub friction: f64,
    /// Height of the table, m.
    pub table: f64,
    /// Acceleration of fall, m/s².
    pub gravity: f64,
}

/// How the start of a toss is taken from its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The first row as it is.
    FirstRow,
    /// Velocities that fit all rows in flight best.
    Flight,
}

/// Errors of one toss: of positions in m, of rotations in degrees.
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    /// Mean over the rows.
    pub position: f64,
    /// Mean over the rows.
    pub rotation: f64,
    /// Of the last row.
    pub position_at_rest: f64,
    /// Of the last row.
    pub rotation_at_rest: f64,
    /// Over the rows in flight alone: what the start and the measurement are off.
    pub position_in_flight: f64,
    /// The same, of the rotation.
    pub rotation_in_flight: f64,
    /// How much further it went than was measured, along the way that was measured, m.
    pub overshoot: f64,
    /// Whether the same face is up at the end.
    pub same_face: bool,
}

/// Steps after which a run is given up: a hundred times what a toss takes.
const MOST_STEPS: u32 = 20_000;

/// Rows of flight at least, for a fit.
const LEAST_ROWS: usize = 5;

/// The state at the first row. Flight ends 2 mm above the table, as the data are smoothed across impacts.
pub fn start_of(toss: &Toss, model: &Model, start: Start) -> Row {
    let first = toss.rows[0];
    let flight = toss.flight(model.table, 0.002);
    if start == Start::FirstRow || flight < LEAST_ROWS {
        return first;
    }
    // x(t) = x₀ + v t − ½ g t²: a straight line once the fall is added, by least squares.
    let count = flight as f64;
    let fallen = |k: usize| {
        let t = Toss::time(k);
        (t, toss.rows[k].position + DVec3::Z * (0.5 * model.gravity * t * t))
    };
    let (mut t_mean, mut x_mean, mut spin) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for k in 0..flight {
        let (t, x) = fallen(k);
        t_mean += t / count;
        x_mean += x / count;
        // Equal moments of inertia: the angular velocity stays in the body's frame too.
        spin += toss.rows[k].spin_body / count;
    }
    let (mut tt, mut tx) = (0.0, DVec3::ZERO);
    for k in 0..flight {
        let (t, x) = fallen(k);
        tt += (t - t_mean) * (t - t_mean);
        tx += (t - t_mean) * (x - x_mean);
    }
    let velocity = tx / tt;
    Row { position: x_mean - velocity * t_mean, velocity, spin_body: spin, ..first }
}

fn list(v: DVec3) -> String {
    format!("[{:e}, {:e}, {:e}]", v.x, v.y, v.z)
}

/// The scene of a toss.
fn scene(model: &Model, start: &Row) -> String {
    let q = start.orientation;
    // Smoothing can put the first row a little into the table.
    let lift = (model.table - start.lowest() + 1e-6).max(0.0);
    format!(
        "format = 1\ngravity = [0, 0, -{:e}]\n\
         [integrator]\nmethod = \"dop853\"\n[accuracy]\ntolerance = 1e-9\n\
         [contact]\nrestitution = {:e}\nfriction = {:e}\n\
         [[body]]\nname = \"table\"\nkind = \"fixed\"\n\
         shape = {{ kind = \"plane\", normal = [0, 0, 1], offset = {:e}, sides = \"front\" }}\n\
         [[body]]\nname = \"cube\"\nshape = {{ kind = \"box\", size = [{s:e}, {s:e}, {s:e}] }}\n\
         mass = 0.37\ninertia = [0.00081, 0.00081, 0.00081]\nposition = {}\n\
         orientation = {{ quaternion = [{:e}, {:e}, {:e}, {:e}] }}\nvelocity = {}\nspin_body = {}\n",
        model.gravity,
        model.restitution,
        model.friction,
        model.table,
        list(start.position + DVec3::Z * lift),
        q.w,
        q.x,
        q.y,
        q.z,
        list(start.velocity),
        list(start.spin_body),
        s = 2.0 * HALF_SIDE,
    )
}

/// Poses of the cube at `rows` rows from a start.
///
/// # Errors
/// Why the run could not be finished.
pub fn simulate(model: &Model, start: &Row, rows: usize) -> Result<Vec<(DVec3, DQuat)>, String> {
    let document = Document::parse("toss.toml", &scene(model, start)).map_err(|errors| errors.to_string())?;
    let world = document.build(std::path::Path::new(".")).map_err(|errors| errors.to_string())?;
    let cube = world.find_body("cube").ok_or("the scene has a cube")?;
    let mut simulation = Simulation::new(world).map_err(|stop| stop.to_string())?;
    simulation.keep_events(false);
    let mut steps = 0;
    let mut poses = Vec::with_capacity(rows);
    for k in 0..rows {
        let mut watch = |_| {
            steps += 1;
            steps < MOST_STEPS
        };
        simulation.advance_while(INTERVAL * k as f64, &mut watch).map_err(|stop| stop.to_string())?;
        let pose = simulation.pose(cube);
        poses.push((pose.position, pose.orientation));
    }
    Ok(poses)
}

/// The angle between two orientations, degrees.
fn angle_deg(a: DQuat, b: DQuat) -> f64 {
    let difference = a.conjugate() * b;
    let sine = dolmen::math::dvec3(difference.x, difference.y, difference.z).length();
    (2.0 * real::atan2(sine, difference.w.abs())).to_degrees()
}

/// Which face is up: the axis of the body nearest to the vertical, and its sign.
fn face(q: DQuat) -> (usize, bool) {
    let up = (q.conjugate() * DVec3::Z).to_array();
    let axis = (0..3).fold(0, |best, k| if up[k].abs() > up[best].abs() { k } else { best });
    (axis, up[axis] > 0.0)
}

/// How far simulated poses are from measured ones.
pub fn compare(toss: &Toss, poses: &[(DVec3, DQuat)], table: f64) -> Errors {
    let each: Vec<(f64, f64)> = toss
        .rows
        .iter()
        .zip(poses)
        .map(|(row, (x, q))| (row.position.distance(*x), angle_deg(row.orientation, *q)))
        .collect();
    let mean = |part: &[(f64, f64)]| {
        let count = part.len().max(1) as f64;
        part.iter().fold((0.0, 0.0), |(x, q), (dx, dq)| (x + dx / count, q + dq / count))
    };
    let (position, rotation) = mean(&each);
    let flight = toss.flight(table, 0.002).clamp(1, each.len());
    let (position_in_flight, rotation_in_flight) = mean(&each[..flight]);
    let last = each.len() - 1;
    let same_face = face(toss.rows[last].orientation) == face(poses[last].1);
    let way = toss.rows[last].position - toss.rows[0].position;
    let overshoot = (poses[last].0 - toss.rows[last].position).dot(way.normalize_or_zero());
    Errors {
        overshoot,
        position,
        rotation,
        position_at_rest: each[last].0,
        rotation_at_rest: each[last].1,
        position_in_flight,
        rotation_in_flight,
        same_face,
    }
}

/// Simulates a toss and compares.
///
/// # Errors
/// Why the run could not be finished.
pub fn errors_of(model: &Model, toss: &Toss, start: Start) -> Result<Errors, String> {
    let poses = simulate(model, &start_of(toss, model, start), toss.rows.len())?;
    Ok(compare(toss, &poses, model.table))
}
