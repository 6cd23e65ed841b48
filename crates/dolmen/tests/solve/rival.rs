//! Clarabel on the frictionless problem, as referee and rival: min ½(a − a₀)ᵀM(a − a₀) over J a ≥ 0.

use crate::structures::Structure;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use dolmen::solve::sparse::contact_residual;

/// Normal forces of the structure without friction (three components a contact), and their residual as ours is measured.
pub(crate) fn solve(s: &Structure) -> (Vec<f64>, f64) {
    let (n, m) = (6 * s.bodies.len(), s.contacts.len());
    let mut mass = (vec![0], Vec::new(), Vec::new());
    let mut pull = vec![0.0; n];
    for (i, body) in s.bodies.iter().enumerate() {
        let inertia = body.inv_inertia.inverse();
        for k in 0..3 {
            mass.1.push(6 * i + k);
            mass.2.push(1.0 / body.inv_mass);
            mass.0.push(mass.1.len());
            pull[6 * i + k] = -s.accelerations[i][k] / body.inv_mass;
        }
        for k in 0..3 {
            for l in 0..=k {
                mass.1.push(6 * i + 3 + l);
                mass.2.push(inertia.col(k)[l]);
            }
            mass.0.push(mass.1.len());
        }
    }
    // −J, by columns.
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
    for (c, contact) in s.contacts.iter().enumerate() {
        let row = &contact.rows[0];
        let sides = [(row.linear_a, row.angular_a), (row.linear_b, row.angular_b)];
        for (body, (linear, angular)) in contact.bodies.iter().zip(sides) {
            if let Some(i) = *body {
                for k in 0..3 {
                    columns[6 * i + k].push((c, -linear[k]));
                    columns[6 * i + 3 + k].push((c, -angular[k]));
                }
            }
        }
    }
    let mut rows = (vec![0], Vec::new(), Vec::new());
    for column in &columns {
        for &(c, value) in column.iter().filter(|(_, value)| *value != 0.0) {
            rows.1.push(c);
            rows.2.push(value);
        }
        rows.0.push(rows.1.len());
    }
    let p = CscMatrix::new(n, n, mass.0, mass.1, mass.2);
    let a = CscMatrix::new(m, n, rows.0, rows.1, rows.2);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let cones = [NonnegativeConeT(m)];
    let mut solver =
        DefaultSolver::new(&p, &pull, &a, &vec![0.0; m], &cones, settings).expect("a sound problem");
    solver.solve();
    let r: Vec<f64> = solver.solution.z.iter().flat_map(|&z| [z, 0.0, 0.0]).collect();
    let mut smooth = s.clone();
    for c in &mut smooth.contacts {
        c.friction = 0.0;
    }
    let residual = contact_residual(&smooth.problem(), &r);
    (r, residual)
}
