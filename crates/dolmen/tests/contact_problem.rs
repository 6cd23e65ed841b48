//! The contact problem itself: A is symmetric and positive semidefinite, forces solve it, and between events they are continuous.
//! [SYSTEM C4; NOTES appendix D; PAPER]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dolmen::drive::exact::{ContactProblem, Simulation};
use dolmen::math::DVec3;
use dolmen::record::EventKind;
use dolmen::scene::Document;
use proptest::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn start(name: &str) -> Simulation {
    let document = Document::load(folder().join(format!("{name}.toml"))).expect("a scene");
    Simulation::new(document.build(&folder()).expect("a world")).expect("a start")
}

/// The largest |Aᵢⱼ − Aⱼᵢ| and the least pivot of a factorisation with the largest pivot first, both by the largest entry. A
/// symmetric matrix is positive semidefinite if no pivot is negative; rounding makes pivots that are zero as small as itself.
fn symmetry_and_least_pivot(problem: &ContactProblem) -> (f64, f64) {
    let mut a = problem.matrix.clone();
    let n = a.len();
    let size = a.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut skew = 0.0_f64;
    for i in 0..n {
        for j in 0..i {
            skew = skew.max((a[i][j] - a[j][i]).abs());
        }
    }
    let (mut least, mut left) = (f64::INFINITY, (0..n).collect::<Vec<_>>());
    while !left.is_empty() {
        let k = (0..left.len())
            .max_by(|&p, &q| a[left[p]][left[p]].total_cmp(&a[left[q]][left[q]]))
            .expect("rows");
        let pivot = left.swap_remove(k);
        least = least.min(a[pivot][pivot]);
        if a[pivot][pivot] <= 1e-12 * size {
            // The rest is zero up to rounding, or the matrix is not semidefinite.
            for &i in &left {
                least = least.min(a[i][i]).min(-a[i][pivot].abs());
            }
            continue;
        }
        let row = a[pivot].clone();
        for &i in &left {
            let factor = a[i][pivot] / row[pivot];
            for &j in &left {
                a[i][j] -= factor * row[j];
            }
        }
    }
    (skew / size, least / size)
}

/// A = J M⁻¹ Jᵀ in scenes at rest: singular where contacts are redundant, never indefinite; and the forces give no acceleration.
#[test]
fn the_matrix_of_resting_scenes_is_symmetric_and_semidefinite() {
    for name in ["chair", "stack-of-bricks", "overhang", "arch", "three-cylinders", "ladder"] {
        let mut simulation = start(name);
        simulation.advance(0.01).unwrap_or_else(|stop| panic!("{name}: {stop}"));
        let problems = simulation.contact_problems();
        assert!(!problems.is_empty(), "{name} has contacts");
        for problem in &problems {
            let (skew, least) = symmetry_and_least_pivot(problem);
            assert!(skew < 1e-13, "{name}: A is off symmetry by {skew}");
            assert!(least > -1e-12, "{name}: a pivot of A is {least}");
            let size = problem.free.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
            for (row, acceleration) in problem.accelerations().iter().enumerate() {
                let contact = &problem.contacts[row / 3];
                if row % 3 == 0 || contact.sticks {
                    assert!(acceleration.abs() <= 1e-9 * size, "{name}: row {row} has {acceleration} m/s²");
                }
            }
        }
    }
}

/// A smooth stack of boxes of random sizes and masses, each with its centre over the one below.
fn stack(boxes: &[(f64, f64, f64)]) -> String {
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[contact]\nfriction = 0\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n\
         shape = { kind = \"plane\", normal = [0, 0, 1] }\n",
    );
    let (mut z, mut x) = (0.0, 0.0);
    for (i, (height, mass, shift)) in boxes.iter().enumerate() {
        x += 0.1 * shift;
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nmass = {mass}\nshape = {{ kind = \"box\", size = [1, 0.8, {height}] }}\nposition = [{x}, 0, {}]\n",
            z + 0.5 * height
        );
        z += height;
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Without friction, whatever the stack: the rows along the normals, and all rows, are symmetric and semidefinite.
    #[test]
    fn random_smooth_stacks(boxes in prop::collection::vec((0.1_f64..0.5, 0.1_f64..20.0, -1.0_f64..1.0), 1..5)) {
        let document = Document::parse("stack", &stack(&boxes)).expect("a scene");
        let simulation = Simulation::new(document.build(&folder()).expect("a world")).expect("a start");
        for problem in simulation.contact_problems() {
            let (skew, least) = symmetry_and_least_pivot(&problem);
            prop_assert!(skew < 1e-13 && least > -1e-12, "{} {}", skew, least);
        }
    }
}

/// A smooth stack at the edge of a table: each box is shifted towards the edge or away from it, so that some hang over and tip.
fn stack_at_an_edge(boxes: &[(f64, f64, f64)], solver: &str) -> String {
    let text = stack(boxes).replace(
        "shape = { kind = \"plane\", normal = [0, 0, 1] }",
        "shape = { kind = \"box\", size = [2, 2, 1] }\nposition = [-0.75, 0, -0.5]",
    );
    text.replace("friction = 0\n", &format!("friction = 0\nsolver = \"{solver}\"\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    /// Random smooth stacks at a table's edge run under every solver, and as accelerations without friction are unique, all agree.
    #[test]
    fn every_solver_takes_stacks_at_an_edge(
        boxes in prop::collection::vec((0.1_f64..0.4, 0.2_f64..10.0, -2.0_f64..3.0), 1..4)
    ) {
        let mut expected: Option<Vec<DVec3>> = None;
        for solver in ["complementarity", "cone", "sparse", "lemke", "quadratic", "linear"] {
            let document = Document::parse("stack", &stack_at_an_edge(&boxes, solver)).expect("a scene");
            let mut simulation = Simulation::new(document.build(&folder()).expect("a world")).expect("a start");
            let gone = simulation.advance(0.05);
            prop_assert!(gone.is_ok(), "{}: {}", solver, gone.err().map_or_else(String::new, |stop| stop.to_string()));
            let ids = simulation.world().body_ids();
            let places: Vec<DVec3> = ids.map(|id| simulation.pose(id).position).collect();
            let expected = expected.get_or_insert_with(|| places.clone());
            for (place, expected) in places.iter().zip(expected.iter()) {
                prop_assert!(place.distance(*expected) < 1e-9, "{}: {} for {}", solver, place, expected);
            }
        }
    }
}

/// PAPER's condition: between events forces are continuous. A force on a brick grows; with steps of time half as long, forces differ
/// by half as much from one to the next, and never jump.
#[test]
fn forces_are_continuous_between_events() {
    for (name, from, to) in
        [("brick-in-the-wind", 0.1, 0.9), ("brick-lifted-whole", 0.1, 0.9), ("rocking-block", 0.02, 0.1)]
    {
        let largest_change = |steps: u32| {
            let mut simulation = start(name);
            simulation.advance(from).unwrap_or_else(|stop| panic!("{name}: {stop}"));
            let before = simulation.events().len();
            let (mut last, mut most, mut size) = (Vec::new(), 0.0_f64, 0.0_f64);
            for i in 0..=steps {
                let t = from + (to - from) * f64::from(i) / f64::from(steps);
                simulation.advance(t).unwrap_or_else(|stop| panic!("{name}: {stop}"));
                let forces: Vec<f64> = simulation
                    .contact_forces()
                    .iter()
                    .flat_map(|f| (f.normal_force * f.normal + f.friction).to_array())
                    .collect();
                if last.len() == forces.len() {
                    let change = forces.iter().zip(&last).map(|(a, b): (&f64, &f64)| (a - b).abs());
                    most = change.fold(most, f64::max);
                }
                size = forces.iter().fold(size, |size, f| size.max(f.abs()));
                last = forces;
            }
            let new = simulation.events()[before..].iter().filter(|e| e.kind != EventKind::Overlap).count();
            assert_eq!(new, 0, "{name}: an event in the middle");
            assert!(size > 0.0, "{name}: no forces");
            most / size
        };
        let (coarse, fine) = (largest_change(20), largest_change(80));
        assert!(coarse < 0.2, "{name}: forces jump by {coarse}");
        assert!(fine <= 0.3 * coarse + 1e-9, "{name}: {fine} after {coarse}");
    }
}
