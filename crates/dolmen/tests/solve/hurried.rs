//! Answers to less than all digits: as good as is asked for, and what is right already is let be.

use crate::random::Numbers;
use crate::structures::{self, Structure};
use dolmen::math::DVec3;
use dolmen::math::Row;
use dolmen::solve::Status;
use dolmen::solve::sparse::{
    Choice, ContactRows, SparseScratch, contact_residual, solve_contacts, solve_contacts_to,
};

/// How fast body `i` of a pair goes along a row, for one that moves so.
fn rate(row: &Row, contact: &ContactRows, body: usize, (velocity, spin): (DVec3, DVec3)) -> f64 {
    let mut sum = 0.0;
    if contact.bodies[0] == Some(body) {
        sum += row.linear_a.dot(velocity) + row.angular_a.dot(spin);
    }
    if contact.bodies[1] == Some(body) {
        sum += row.linear_b.dot(velocity) + row.angular_b.dot(spin);
    }
    sum
}

/// Gives a body a motion, beside what it has.
fn strike(s: &mut Structure, body: usize, motion: (DVec3, DVec3)) {
    for contact in &mut s.contacts {
        for k in 0..3 {
            contact.free[k] += rate(&contact.rows[k], contact, body, motion);
        }
    }
}

fn strike_all(s: &mut Structure, numbers: &mut Numbers, speed: f64) {
    for body in 0..s.bodies.len() {
        let motion = (speed * numbers.vector(), speed * numbers.vector());
        strike(s, body, motion);
    }
}

/// What impulses do to every body: velocity and spin.
fn motions(s: &Structure, r: &[f64]) -> Vec<(DVec3, DVec3)> {
    let sums = s.resultants(r).into_iter().zip(&s.bodies);
    sums.map(|((push, turn), body)| (body.inv_mass * push, body.inv_inertia * turn)).collect()
}

/// The residual is what is asked for, or ten times that and said so; from no start and from the answer to a problem that is much
/// like this one, with friction and without.
#[test]
fn answers_are_as_good_as_they_say() {
    let mut numbers = Numbers(7);
    for (name, mut s) in [
        ("wall", structures::wall(6, 7, 0.4)),
        ("pyramid", structures::pyramid(9, 0.7)),
        ("pile", structures::pile(5, 0.3)),
        ("smooth pile", structures::pile(5, 0.0)),
    ] {
        for (enough, speed) in [(1e-3, 30.0), (1e-5, 3.0), (1e-7, 0.3)] {
            strike_all(&mut s, &mut numbers, speed);
            let (mut r, mut scratch) = (vec![0.0; s.problem().unknowns()], SparseScratch::default());
            for start in ["none", "near"] {
                let outcome = solve_contacts_to(enough, &s.problem(), Choice::AsFound, &mut r, &mut scratch);
                let residual = contact_residual(&s.problem(), &r);
                let most = if outcome.status == Status::Solved { enough } else { 10.0 * enough };
                assert!(
                    residual <= most && (residual - outcome.residual).abs() <= 1e-3 * enough,
                    "{name}, {enough:e}, start {start}: {outcome:?}, measured {residual:e}"
                );
                strike_all(&mut s, &mut numbers, 1e-2 * speed);
            }
        }
    }
}

/// Without friction the motion is the only one: that of the answer to all digits, as nearly as was asked for.
#[test]
fn motions_come_near_to_the_only_ones() {
    let mut numbers = Numbers(8);
    let mut s = structures::pile(5, 0.0);
    strike_all(&mut s, &mut numbers, 5.0);
    let (mut r, mut scratch) = (vec![0.0; s.problem().unknowns()], SparseScratch::default());
    let exact = solve_contacts(&s.problem(), Choice::AsFound, &mut r, &mut scratch);
    assert!(exact.status == Status::Solved, "{exact:?}");
    let expected = motions(&s, &r);
    for enough in [1e-3, 1e-5, 1e-7] {
        r.fill(0.0);
        solve_contacts_to(enough, &s.problem(), Choice::AsFound, &mut r, &mut scratch);
        let off = motions(&s, &r)
            .iter()
            .zip(&expected)
            .fold(0.0_f64, |most, (a, b)| most.max(a.0.distance(b.0)).max(a.1.distance(b.1)));
        println!("{enough:e}: {off:e} m/s off");
        assert!(off <= 1e2 * enough, "{enough:e}: {off:e} m/s off");
    }
}

/// A blow at one end of a wall at rest changes nothing at its other end: those impulses keep their bits.
#[test]
fn what_is_right_already_stays() {
    let mut s = structures::wall(40, 3, 0.5);
    let (mut r, mut scratch) = (vec![0.0; s.problem().unknowns()], SparseScratch::default());
    let standing = solve_contacts(&s.problem(), Choice::AsFound, &mut r, &mut scratch);
    assert!(standing.status == Status::Solved, "{standing:?}");
    let before = r.clone();
    strike(&mut s, 80, (DVec3::new(2.0, 1.0, -3.0), DVec3::ZERO));
    let outcome = solve_contacts_to(1e-5, &s.problem(), Choice::AsFound, &mut r, &mut scratch);
    let residual = contact_residual(&s.problem(), &r);
    assert!(outcome.status == Status::Solved && residual <= 1e-5, "{outcome:?}, {residual:e}");
    let changed = |i: &usize| r[3 * i..3 * i + 3] != before[3 * i..3 * i + 3];
    let (far, near): (Vec<usize>, Vec<usize>) = (0..s.contacts.len()).partition(|i| {
        s.contacts[*i].bodies.iter().flatten().all(|body| s.centres[*body].x > s.centres[80].x + 4.0)
    });
    assert!(
        far.len() > 100 && !far.iter().any(changed),
        "{} far contacts changed",
        far.iter().filter(|i| changed(i)).count()
    );
    assert!(near.iter().any(changed));
}
