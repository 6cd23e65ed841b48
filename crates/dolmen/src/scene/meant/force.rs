//! Forces: names become ids, points of a body's frame become points from its centre of mass.

use super::{Problems, vector};
use crate::force::{self, Anchor, Frame, PairLaw, Summation, Wave, Window, nbody};
use crate::math::{DMat3, DVec3};
use crate::scene::typed::{self, Force};
use crate::world::{BodyId, Member, SetId, World};

/// From this many members on, `auto` may sum by octree: there it is several times faster than the direct sum.
const OCTREE_FROM: usize = 2000;

/// At a tighter tolerance than this the error of the octree, which is not smooth, would make steps shrink without end.
const OCTREE_TOLERANCE: f64 = 1e-6;

pub(super) fn add(typed: &Force, world: &mut World, problems: &mut Problems) -> Option<()> {
    match typed {
        Force::Push(f) => {
            let body = find_body(world, &f.body, "body", problems)?;
            let at = f.at.map_or(DVec3::ZERO, |at| world.body(body).shape_origin() + DVec3::from_array(at));
            let window = window(f.from, f.until, f.wave.as_ref());
            let push = force::Push { body, force: f.force.into(), frame: frame(f.frame), at, window };
            problems.note("", world.add_force(push))
        }
        Force::Torque(f) => {
            let body = find_body(world, &f.body, "body", problems)?;
            let window = window(f.from, f.until, f.wave.as_ref());
            let torque = force::Torque { body, torque: f.torque.into(), frame: frame(f.frame), window };
            problems.note("", world.add_force(torque))
        }
        Force::Spring(f) => spring(f, world, problems),
        Force::Drag(f) => {
            for member in members(world, f.bodies.as_deref(), "bodies", problems)? {
                let (linear, quadratic) = (f.linear.unwrap_or(0.0), f.quadratic.unwrap_or(0.0));
                let (angular, wind) = (f.angular.unwrap_or(0.0), vector(f.wind));
                let drag = force::Drag { member, linear, quadratic, angular, wind };
                problems.note("", world.add_force(drag))?;
            }
            Some(())
        }
        Force::Attract(f) => attract(f, world, problems),
        Force::Field(f) => {
            let window = window(f.from, f.until, f.wave.as_ref());
            for member in members(world, f.bodies.as_deref(), "bodies", problems)? {
                let matrix =
                    f.matrix.map_or(DMat3::ZERO, |rows| DMat3::from_cols_array_2d(&rows).transpose());
                let per_mass = f.per_mass.unwrap_or(true);
                let field = force::Field {
                    member,
                    uniform: vector(f.uniform),
                    matrix,
                    per_mass,
                    window: window.clone(),
                };
                problems.note("", world.add_force(field))?;
            }
            Some(())
        }
        Force::Nbody(f) => gravitation(f, world, problems),
        Force::ShortRange(f) => short_range(f, world, problems),
        Force::Penalty(f) => penalty(f, world, problems),
    }
}

fn find_body(world: &World, name: &str, key: &str, problems: &mut Problems) -> Option<BodyId> {
    let found = world.find_body(name);
    if found.is_none() {
        problems.report(key, format!("there is no body named {name:?}"), None);
    }
    found
}

/// The members of these names; without names, everything that can move.
fn members(
    world: &World,
    names: Option<&[String]>,
    key: &str,
    problems: &mut Problems,
) -> Option<Vec<Member>> {
    let Some(names) = names else {
        let bodies = world.body_ids().filter(|id| world.body(*id).is_dynamic()).map(Member::Body);
        return Some(bodies.chain(world.set_ids().map(Member::Set)).collect());
    };
    let mut members = Vec::new();
    for name in names {
        let Some(member) = world.find(name) else {
            problems.report(key, format!("there is no body or particle set named {name:?}"), None);
            return None;
        };
        members.push(member);
    }
    members.sort_unstable();
    members.dedup();
    Some(members)
}

fn frame(typed: Option<typed::Frame>) -> Frame {
    match typed {
        Some(typed::Frame::Body) => Frame::Body,
        _ => Frame::World,
    }
}

fn window(from: Option<f64>, until: Option<f64>, wave: Option<&typed::Wave>) -> Window {
    let wave = match wave {
        None => Wave::Constant,
        Some(typed::Wave::Sine(sine)) => {
            Wave::Sine { frequency: sine.frequency, phase: sine.phase.unwrap_or(0.0) }
        }
        Some(typed::Wave::Table(table)) => {
            Wave::Table { times: table.times.clone(), factors: table.factors.clone() }
        }
    };
    Window::new(from.unwrap_or(f64::NEG_INFINITY), until.unwrap_or(f64::INFINITY), wave)
}

fn anchor(world: &World, typed: &typed::Anchor, key: &str, problems: &mut Problems) -> Option<Anchor> {
    if let Some(name) = &typed.particles {
        let Some(Member::Set(set)) = world.find(name) else {
            problems.report(key, format!("there is no particle set named {name:?}"), None);
            return None;
        };
        return Some(Anchor::Particle { set, index: typed.index.unwrap_or(0) });
    }
    let Some(name) = &typed.body else { return Some(Anchor::World(vector(typed.point))) };
    let body = find_body(world, name, key, problems)?;
    let at = typed.at.map_or(DVec3::ZERO, |at| world.body(body).shape_origin() + DVec3::from_array(at));
    Some(Anchor::Body { body, at })
}

fn spring(f: &typed::Spring, world: &mut World, problems: &mut Problems) -> Option<()> {
    let (a, b) = (anchor(world, &f.a, "a", problems)?, anchor(world, &f.b, "b", problems)?);
    let point = |anchor: &Anchor| match anchor {
        Anchor::Body { body, at } => world.body(*body).start_pose().point(*at),
        Anchor::Particle { set, index } => {
            world.set(*set).positions().get(*index).copied().unwrap_or(DVec3::ZERO)
        }
        Anchor::World(point) => *point,
    };
    let length = f.length.unwrap_or_else(|| point(&a).distance(point(&b)));
    let spring = force::Spring { a, b, stiffness: f.stiffness, length, damping: f.damping.unwrap_or(0.0) };
    problems.note("", world.add_force(spring))
}

fn attract(f: &typed::Attract, world: &mut World, problems: &mut Problems) -> Option<()> {
    let to = match &f.to {
        typed::Target::Point(point) => Anchor::World((*point).into()),
        typed::Target::Body(name) => {
            Anchor::Body { body: find_body(world, name, "to", problems)?, at: DVec3::ZERO }
        }
    };
    for member in members(world, f.bodies.as_deref(), "bodies", problems)? {
        // A body does not attract itself, even when all are meant.
        if matches!((&to, member), (Anchor::Body { body, .. }, Member::Body(id)) if *body == id) {
            continue;
        }
        let attraction = force::Attraction {
            member,
            to,
            strength: f.strength,
            exponent: f.exponent.unwrap_or(2.0),
            softening: f.softening.unwrap_or(0.0),
            per_mass: f.per_mass.unwrap_or(true),
        };
        problems.note("", world.add_force(attraction))?;
    }
    Some(())
}

fn gravitation(f: &typed::Nbody, world: &mut World, problems: &mut Problems) -> Option<()> {
    let members = members(world, f.members.as_deref(), "members", problems)?;
    let count = |member: &Member| match member {
        Member::Body(_) => 1,
        Member::Set(id) => world.set(*id).len(),
    };
    let n: usize = members.iter().map(count).sum();
    let octree = match f.method.unwrap_or(typed::NbodyMethod::Auto) {
        typed::NbodyMethod::Direct => false,
        typed::NbodyMethod::Octree => true,
        typed::NbodyMethod::Auto => {
            n >= OCTREE_FROM && world.settings().integrator.relative >= OCTREE_TOLERANCE
        }
    };
    let summation = if octree {
        Summation::Octree { opening: f.opening.unwrap_or(nbody::DEFAULT_OPENING) }
    } else {
        Summation::Direct
    };
    let constant = f.constant.unwrap_or(force::Gravitation::NEWTON);
    let gravitation =
        force::Gravitation { members, constant, softening: f.softening.unwrap_or(0.0), summation };
    problems.note("", world.add_force(gravitation))
}

fn penalty(f: &typed::Penalty, world: &mut World, problems: &mut Problems) -> Option<()> {
    let (a, b) = (find_body(world, &f.a, "a", problems)?, find_body(world, &f.b, "b", problems)?);
    if world.contact().enabled && world.body(a).groups().meets(world.body(b).groups()) {
        let help = "put them into groups that do not collide, or write enabled = false under [contact]";
        problems.report("b", "the two bodies of the penalty springs collide as well", Some(help));
        return None;
    }
    let settings = force::PenaltySettings {
        stiffness: f.stiffness,
        damping: f.damping.unwrap_or(0.0),
        friction: f.friction.unwrap_or(0.0),
        slip_speed: f.slip_speed.unwrap_or(1e-3),
    };
    let penalty = problems.note("", force::Penalty::new(world.members(), a, b, settings))?;
    problems.note("", world.add_force(penalty))
}

fn short_range(f: &typed::ShortRange, world: &mut World, problems: &mut Problems) -> Option<()> {
    let sets: Vec<SetId> = match &f.sets {
        None => world.set_ids().collect(),
        Some(names) => {
            let found = members(world, Some(names), "sets", problems)?;
            let sets = found.iter().filter_map(|m| if let Member::Set(id) = m { Some(*id) } else { None });
            sets.collect()
        }
    };
    let law = match &f.law {
        typed::Law::Repulsion(law) => PairLaw::Repulsion { stiffness: law.stiffness },
        typed::Law::LennardJones(law) => PairLaw::LennardJones { depth: law.depth, length: law.length },
    };
    let short_range = force::ShortRange { sets, radius: f.radius, law, damping: f.damping.unwrap_or(0.0) };
    problems.note("", world.add_force(short_range))
}
