//! The record: tables of events and contact forces, what they come to, and the ledger with its losses.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use dolmen::broad_phase::Groups;
use dolmen::contact::{Law, Restitution};
use dolmen::narrow_phase::{ContactId, Feature};
use dolmen::prelude::*;
use dolmen::record::{
    Balance, Carried, ContactFiles, ContactForce, Event, EventKind, Ledger, Note, Output, Progress,
    RunTables, Sample, Table, TableFiles, can_touch, resultants,
};
use dolmen::shape::Plane;
use dolmen::solve::Status;
use dolmen::world::ContactSettings;

/// A file in memory that can still be read when its writer has gone.
#[derive(Debug, Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Page {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Tables of bodies, energy, momentum and contacts, in this order.
fn files_of([states, bodies, energy, momentum, events, forces, resultants]: [Page; 7]) -> TableFiles<Page> {
    let contacts = ContactFiles { events: Some(events), forces: Some(forces), resultants: Some(resultants) };
    TableFiles {
        states: Some(states),
        bodies: Some(bodies),
        particles: None,
        energy,
        momentum,
        contacts: Some(contacts),
        joints: None,
        coordinates: None,
        sensors: None,
    }
}

fn ball(name: &str) -> Body {
    Body::solid(Shape::sphere(0.5).unwrap(), 1000.0).unwrap().named(name)
}

fn floor() -> Body {
    Body::fixed(Pose::IDENTITY).with_shape(Plane::new(DVec3::Z, 0.0).unwrap().into()).named("floor")
}

fn world(bodies: Vec<Body>) -> World {
    let mut builder = WorldBuilder::new();
    for body in bodies {
        builder.body(body).unwrap();
    }
    builder.build().unwrap()
}

fn sample_at(world: &World, positions: &[DVec3]) -> Sample {
    let at = |position: &DVec3| {
        let twist = Twist { velocity: DVec3::ZERO, spin: DVec3::ZERO };
        (Pose { position: *position, orientation: DQuat::IDENTITY }, twist)
    };
    assert_eq!(world.bodies().len(), positions.len());
    Sample {
        t: 0.25,
        bodies: positions.iter().map(at).collect(),
        sets: Vec::new(),
        ledger: Ledger { kinetic: 1.0, collisions: 2.0, friction: 3.0, closing: 4.0, ..Ledger::default() },
        momentum: DVec3::ZERO,
        angular_momentum: DVec3::ZERO,
        drifts: Vec::new(),
    }
}

fn features() -> ContactId {
    ContactId { a: Feature::Rim(1), b: Feature::Edge(7) }
}

fn force_on(bodies: [usize; 2], point: DVec3, normal_force: f64, friction: DVec3) -> ContactForce {
    ContactForce {
        bodies: bodies.map(BodyId::from_rank),
        features: features(),
        point,
        normal: DVec3::Z,
        normal_force,
        friction,
        moment: DVec3::ZERO,
        sticks: true,
        rolls: false,
        residual: 1e-15,
        is_unique: true,
        status: Status::Solved,
        iterations: 3,
    }
}

fn event(kind: EventKind, note: Note) -> Event {
    Event {
        t: 0.125,
        group: 3,
        kind,
        bodies: [BodyId::from_rank(0), BodyId::from_rank(1)],
        features: features(),
        point: dvec3(1.0, 2.0, 3.0),
        normal: DVec3::Z,
        approach: -4.0,
        separation: 2.0,
        impulse: 6.0,
        friction: dvec3(0.5, 0.0, 0.0),
        lost: 7.0,
        law: Law::Propagation,
        restitution: Restitution::Poisson,
        rounds: 5,
        note,
        excess: 0.0,
    }
}

/// Two can touch if contact is on, both have shapes, a force can move one of them, and each is in a group of the other's.
#[test]
fn pairs_that_can_touch_are_known_beforehand() {
    assert!(!can_touch(&world(vec![])));
    assert!(!can_touch(&world(vec![ball("a")])), "one alone");
    assert!(!can_touch(&world(vec![floor(), floor().named("other")])), "neither moves");
    assert!(can_touch(&world(vec![floor(), ball("a")])));
    assert!(can_touch(&world(vec![ball("a"), ball("b")])), "two alike");
    let of = |member, with| Groups { member, with };
    let pair = |a: Groups, b: Groups| world(vec![ball("a").in_groups(a), ball("b").in_groups(b)]);
    assert!(!can_touch(&pair(of(1, 1), of(2, 2))), "groups apart");
    assert!(!can_touch(&pair(of(1, 2), of(2, 2))), "only one of the two masks allows it");
    assert!(can_touch(&pair(of(1, 2), of(2, 1))));
    let mut off = world(vec![floor(), ball("a")]);
    off.set_contact(ContactSettings { enabled: false, ..ContactSettings::default() }).unwrap();
    assert!(!can_touch(&off), "contact is off");
}

/// F = Σ fᵢ, τ = Σ (pᵢ − x) × fᵢ, and what a feels b feels the other way round.
#[test]
fn resultants_sum_forces_and_torques() {
    let world = world(vec![ball("a"), ball("b"), ball("c")]);
    let sample = sample_at(&world, &[dvec3(0.0, 0.0, 1.0), dvec3(5.0, 0.0, 0.0), DVec3::ZERO]);
    let forces = [
        force_on([0, 1], dvec3(1.0, 0.0, 1.0), 3.0, dvec3(0.0, 2.0, 0.0)),
        force_on([0, 1], dvec3(-1.0, 0.0, 1.0), 4.0, DVec3::ZERO),
    ];
    let found = resultants(&sample, &forces);
    assert_eq!(found.len(), 2, "c touches nothing");
    let (count, a) = found[&BodyId::from_rank(0)];
    // (1,0,0) × (0,2,3) + (−1,0,0) × (0,0,4) = (0,−3,2) + (0,4,0).
    assert_eq!((count, a.force, a.torque), (2, dvec3(0.0, 2.0, 7.0), dvec3(0.0, 1.0, 2.0)));
    let (_, b) = found[&BodyId::from_rank(1)];
    // (−4,0,1) × (0,−2,−3) + (−6,0,1) × (0,0,−4) = (2,−12,8) + (0,−24,0).
    assert_eq!((b.force, b.torque), (-a.force, dvec3(2.0, -36.0, 8.0)));
}

/// Every column in its place, bodies and features by name, numbers that read back as the same bits.
#[test]
fn events_and_forces_are_written_as_rows() {
    let world = world(vec![ball("a, \"b\""), floor()]);
    let pages: [Page; 7] = Default::default();
    let [states, bodies, energy, momentum, events, forces, totals] = pages.clone();
    let files = files_of([states, bodies, energy, momentum, events, forces, totals]);
    let mut tables = RunTables::new(&world, files).unwrap();
    let sample = sample_at(&world, &[dvec3(0.0, 0.0, 0.5), DVec3::ZERO]);
    let chosen = ContactForce {
        is_unique: false,
        sticks: false,
        residual: 0.5,
        moment: 0.25 * DVec3::Y,
        ..force_on([0, 1], DVec3::ZERO, 0.1, DVec3::X)
    };
    tables
        .write_events(&[
            event(EventKind::Collision, Note::Determinate),
            event(EventKind::Rest, Note::LeastNorm),
        ])
        .unwrap();
    tables.write(&sample, &Carried { contacts: &[chosen], ..Carried::default() }).unwrap();
    tables.flush().unwrap();
    let [_, _, energy, _, events, forces, totals] = pages.map(|page| page.text());
    assert_eq!(
        energy,
        "t,kinetic,potential,work,collisions,friction,closing,total,error\n0.25,1.0,0.0,0.0,2.0,3.0,4.0,1.0,0.0\n"
    );
    let name = "\"a, \"\"b\"\"\"";
    let row = |kind: &str, note: &str| {
        format!(
            "0.125,3,{kind},{name},floor,rim 1,edge 7,1.0,2.0,3.0,0.0,0.0,1.0,-4.0,2.0,6.0,0.5,0.0,0.0,7.0,propagation,poisson,5,{note},,\n"
        )
    };
    let header = "t,group,kind,body_a,body_b,feature_a,feature_b,x,y,z,nx,ny,nz,approach_speed,separation_speed,\
                  normal_impulse,friction_x,friction_y,friction_z,lost,law,restitution,rounds,note,value,bound\n";
    assert_eq!(events, header.to_owned() + &row("collision", "") + &row("rest", "least-norm"));
    let header = "t,body_a,body_b,feature_a,feature_b,x,y,z,nx,ny,nz,normal_force,friction_x,friction_y,friction_z,\
                  mode,residual,note,iterations,status,moment_x,moment_y,moment_z\n";
    let row = format!(
        "0.25,{name},floor,rim 1,edge 7,0.0,0.0,0.0,0.0,0.0,1.0,0.1,1.0,0.0,0.0,slide,0.5,least-norm,3,solved,0.0,0.25,0.0\n"
    );
    assert_eq!(forces, header.to_owned() + &row);
    let rows = format!("0.25,{name},1,1.0,0.0,0.1,0.0,-0.25,0.0\n0.25,floor,1,-1.0,0.0,-0.1,0.0,-0.25,0.0\n");
    assert_eq!(totals, "t,body,contacts,fx,fy,fz,tx,ty,tz\n".to_owned() + &rows);

    let tally = tables.tally();
    assert_eq!((tally.events["collision"], tally.events["rest"], tally.open["least-norm"]), (1, 1, 1));
    assert_eq!((tally.chosen_forces, tally.largest_residual, tally.has_choices()), (1, 0.5, true));
}

/// A residual that is not a number is not forgotten for a smaller one, and nothing open is no choice.
#[test]
fn the_tally_keeps_what_is_not_finite() {
    let mut tally = dolmen::record::Tally::default();
    tally.add_events(&[event(EventKind::Break, Note::RestitutionScaled)]);
    tally.add_forces(&[force_on([0, 1], DVec3::ZERO, 1.0, DVec3::ZERO)]);
    assert!(!tally.has_choices() && tally.largest_residual == 1e-15);
    tally.add_forces(&[ContactForce {
        residual: f64::NAN,
        ..force_on([0, 1], DVec3::ZERO, 1.0, DVec3::ZERO)
    }]);
    tally.add_forces(&[force_on([0, 1], DVec3::ZERO, 1.0, DVec3::ZERO)]);
    assert!(tally.largest_residual.is_nan());
}

/// kinetic + potential − work + lost is what it was, or the difference is the imbalance.
#[test]
fn losses_are_part_of_the_balance() {
    let mut balance = Balance::default();
    let start = Ledger { kinetic: 10.0, potential: 5.0, ..Ledger::default() };
    let later =
        Ledger { kinetic: 4.0, potential: 5.0, work: 1.0, collisions: 3.0, friction: 2.5, closing: 1.5 };
    assert_eq!(balance.add(&start), 0.0);
    assert_eq!(balance.add(&later), 0.0);
    assert_eq!(balance.add(&Ledger { closing: 1.25, ..later }), -0.25);
    assert_eq!((balance.largest_error, balance.relative()), (0.25, 0.025));
}

/// Tables that another writer goes on with, from what the first one saved, are the same bytes as those of one writer, and so is all
/// that they have come to: also where a residual is not a number.
#[test]
fn tables_go_on_where_another_writer_left_them() {
    let world = world(vec![ball("a, \"b\""), floor()]);
    let files = |pages: &[Page; 7]| files_of(pages.clone());
    let write = |tables: &mut RunTables<Page>, i: u32| {
        let mut sample = sample_at(&world, &[dvec3(0.1, f64::from(i) / 3.0, 0.5), DVec3::ZERO]);
        sample.t = f64::from(i) * 0.1;
        sample.ledger.kinetic = 1.0 / f64::from(i + 1);
        let residual = if i == 1 { f64::NAN } else { 1e-15 };
        let force = ContactForce { residual, ..force_on([0, 1], DVec3::ZERO, 0.1, DVec3::X) };
        tables.write_events(&[event(EventKind::Collision, Note::LeastNorm)]).unwrap();
        tables.write(&sample, &Carried { contacts: &[force], ..Carried::default() }).unwrap();
        tables.flush().unwrap();
    };
    let (whole, parts): ([Page; 7], [Page; 7]) = Default::default();
    let mut tables = RunTables::new(&world, files(&whole)).unwrap();
    (0..4).for_each(|i| write(&mut tables, i));

    let mut first = RunTables::new(&world, files(&parts)).unwrap();
    (0..2).for_each(|i| write(&mut first, i));
    let saved = postcard::to_stdvec(first.progress()).unwrap();
    drop(first);
    let mut second = RunTables::resume(&world, files(&parts), postcard::from_bytes(&saved).unwrap());
    (2..4).for_each(|i| write(&mut second, i));

    assert_eq!(parts.map(|page| page.text()), whole.map(|page| page.text()));
    let saved = [&tables, &second].map(|tables| postcard::to_stdvec(tables.progress()).unwrap());
    assert_eq!(saved[0], saved[1]);
    let Progress { balance, tally, violations, samples, last } = second.progress();
    assert_eq!((*samples, last.as_ref().map(|last| last.t)), (4, Some(3.0 * 0.1)));
    assert!(tally.largest_residual.is_nan() && balance.largest_error > 0.0 && violations.is_empty());
}

/// What is noted of a collision is the gravest of what was open, and every note has a name of its own.
#[test]
fn notes_of_impacts_tell_the_gravest() {
    use dolmen::contact::{Impact, ImpactStatus};
    use dolmen::solve::choose::Note as SolverNote;
    let impact = |status, restitution_scale, solver_note, indeterminate| {
        let impact = Impact { status, restitution_scale, solver_note, indeterminate, ..Impact::default() };
        Note::of(&impact)
    };
    let (solved, exact) = (ImpactStatus::Solved, SolverNote::Exact);
    let approximate = SolverNote::ApproximateForces { excess: 1.0 };
    for (found, expected) in [
        (impact(ImpactStatus::Approximate, 0.5, exact, true), Note::Approximate),
        (impact(ImpactStatus::Closed, 0.5, exact, true), Note::ClosedAtOnce),
        (impact(solved, 0.5, approximate, true), Note::ApproximateForces),
        (impact(solved, 0.5, exact, true), Note::RestitutionScaled),
        (impact(solved, 1.0, SolverNote::Mended, true), Note::Mended),
        (impact(solved, 1.0, SolverNote::Vanishing(1), false), Note::Vanishing),
        (impact(solved, 1.0, exact, true), Note::LeastNorm),
        (impact(solved, 1.0, exact, false), Note::Determinate),
    ] {
        assert_eq!(found, expected);
    }
    let notes = [
        Note::Determinate,
        Note::LeastNorm,
        Note::RestitutionScaled,
        Note::Approximate,
        Note::ClosedAtOnce,
        Note::Painleve,
        Note::SeveralMotions,
        Note::LocalPlane,
        Note::Corner,
        Note::Vanishing,
        Note::Mended,
        Note::ApproximateForces,
    ];
    let names: std::collections::BTreeSet<&str> = notes.iter().map(|note| note.name()).collect();
    assert_eq!(names.len(), notes.len());
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run.md")).expect("a page");
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        assert!(page.contains(&format!("`{name}`")), "docs/run.md does not say what {name} is");
    }
}

/// Rows of one body at every third sample: a table that is thinned has the samples that are the first at or after a multiple of its
/// interval, whether it is written at once or by two writers, and what the tables come to is that of all samples and bodies.
#[test]
fn tables_are_limited_to_what_is_wanted() {
    let world = world(vec![ball("a"), ball("b"), floor()]);
    let a = world.find_body("a").unwrap();
    let output =
        || Output::default().of_bodies(&world, &[a]).every(Table::States, 0.3).every(Table::Forces, 0.25);
    let write = |tables: &mut RunTables<Page>, i: u32| {
        let mut sample = sample_at(&world, &[DVec3::X, DVec3::Y, DVec3::ZERO]);
        sample.t = f64::from(i) * 0.1;
        let forces =
            [force_on([0, 2], DVec3::ZERO, 0.1, DVec3::X), force_on([1, 2], DVec3::ZERO, 0.1, DVec3::X)];
        tables.write(&sample, &Carried { contacts: &forces, ..Carried::default() }).unwrap();
        tables.flush().unwrap();
    };
    let (whole, parts): ([Page; 7], [Page; 7]) = Default::default();
    let mut tables = RunTables::new(&world, files_of(whole.clone())).unwrap().limited_to(output());
    (0..10).for_each(|i| write(&mut tables, i));
    let mut first = RunTables::new(&world, files_of(parts.clone())).unwrap().limited_to(output());
    (0..5).for_each(|i| write(&mut first, i));
    let mut second =
        RunTables::resume(&world, files_of(parts.clone()), first.progress().clone()).limited_to(output());
    (5..10).for_each(|i| write(&mut second, i));

    let [states, bodies, energy, _, _, forces, resultants] = whole.clone().map(|page| page.text());
    let rows = |text: &str| -> Vec<(String, String)> {
        let cut = |line: &str| {
            let mut fields = line.split(',');
            (fields.next().unwrap().to_owned(), fields.next().unwrap().to_owned())
        };
        text.lines().skip(1).map(cut).collect()
    };
    let at = |times: &[&str], name: &str| -> Vec<(String, String)> {
        times.iter().map(|t| ((*t).to_owned(), name.to_owned())).collect()
    };
    // 3·0.1 is 0.30000000000000004, 6·0.1 is 0.6000000000000001: products, as the times of samples are.
    assert_eq!(rows(&states), at(&["0.0", "0.30000000000000004", "0.6000000000000001", "0.9"], "a"));
    assert_eq!(rows(&forces), at(&["0.0", "0.30000000000000004", "0.5", "0.8"], "a"));
    assert_eq!((rows(&bodies).len(), rows(&energy).len(), rows(&resultants).len()), (10, 10, 10));
    assert!(rows(&resultants).iter().all(|(_, name)| name == "a"));
    assert_eq!(parts.map(|page| page.text()), whole.map(|page| page.text()));
    assert_eq!((second.samples(), second.tally()), (10, tables.tally()));
}
