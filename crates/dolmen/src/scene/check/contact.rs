//! Materials, pairs of them, and groups of bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::Checks;
use crate::scene::read::shown;
use crate::scene::suggest;
use crate::scene::typed::{Coefficients, Contact, Driver, IntroRest, MaterialPair, Scene, Solver};
use crate::solve::choose::ContactSolver;

/// How many groups there can be, the bodies in none counted as one: each is a bit of `broad_phase::Groups`.
const MOST_GROUPS: usize = u32::BITS as usize;

impl Checks {
    /// All that surfaces and groups say. References are resolved only if all names are known.
    pub(super) fn surfaces(&mut self, scene: &Scene, names_are_known: bool) {
        if let Some(contact) = &scene.contact {
            self.inside("contact", |checks| {
                checks.coefficients(contact.coefficients());
                let run = scene.run.as_ref().filter(|run| run.driver == Some(Driver::Intro));
                let rest = run.map(|run| run.intro.as_ref().and_then(|intro| intro.rest));
                let rest = rest.map(|rest| rest.unwrap_or(IntroRest::Sign));
                checks.solver(contact, rest);
            });
        }
        let names = self.material_names(scene);
        self.each("material", &scene.material, |checks, m| checks.coefficients(m.coefficients()));
        let mut seen = BTreeMap::new();
        let mut number = 0;
        self.each("material_pair", &scene.material_pair, |checks, pair| {
            checks.material_pair(pair, &mut seen, number);
            number += 1;
        });
        if names_are_known {
            let known: Vec<&str> = names.into_iter().collect();
            self.each("material_pair", &scene.material_pair, |checks, pair| {
                checks.each("materials", &pair.materials, |checks, name| {
                    checks.refers_to_material(name, &known);
                });
            });
            self.each("body", &scene.body, |checks, body| {
                if let Some(name) = &body.material {
                    checks.inside("material", |checks| checks.refers_to_material(name, &known));
                }
            });
            self.each("particles", &scene.particles, |checks, set| {
                if let Some(name) = &set.material {
                    checks.inside("material", |checks| checks.refers_to_material(name, &known));
                }
            });
        }
        self.groups(scene, names_are_known);
    }

    /// That the solver fits the driver, which is the update loop where its rest is given, and its settings fit the solver.
    fn solver(&mut self, contact: &Contact, rest: Option<IntroRest>) {
        match contact.solver {
            // Contact forces in every derivative, by the programs of the notes and of the paper.
            Some(Solver::Quadratic | Solver::Linear) if rest == Some(IntroRest::Forces) => {}
            Some(Solver::Intro) if rest.is_none() => {
                let message =
                    "the solver \"intro\" goes with the driver \"intro\", which is not that of this scene";
                self.report("solver", message, Some("write driver = \"intro\" under [run]"));
            }
            Some(other) if rest.is_some() && other != Solver::Intro => {
                let message = "the driver \"intro\" has a solver of its own, \"intro\"";
                let help = "leave `solver` out; \"linear\" and \"quadratic\" go with rest = \"forces\" under [run.intro]";
                self.report("solver", message, Some(help));
            }
            _ => {}
        }
        let Some(sides) = contact.lemke_sides else { return };
        if contact.solver != Some(Solver::Lemke) {
            let message = "only the solver \"lemke\" has a cone of `lemke_sides` sides";
            self.report("lemke_sides", message, Some("write solver = \"lemke\""));
        } else if !(3..=ContactSolver::MOST_SIDES).contains(&(sides as usize)) {
            let message =
                format!("`lemke_sides` has to be from 3 to {}, not {sides}", ContactSolver::MOST_SIDES);
            self.report("lemke_sides", message, Some("8 is right within 8 %, 32 within half a percent"));
        }
    }

    fn material_names<'s>(&mut self, scene: &'s Scene) -> BTreeSet<&'s str> {
        let mut names = BTreeSet::new();
        for (index, material) in scene.material.iter().enumerate() {
            let path = vec!["material".into(), index.into(), "name".into()];
            self.name(path.clone(), &material.name);
            if !names.insert(material.name.as_str()) {
                self.taken(path, &material.name, "every material has a name of its own");
            }
        }
        names
    }

    fn refers_to_material(&mut self, name: &str, known: &[&str]) {
        if !known.contains(&name) {
            let help = suggest::help(name, known);
            let help = help.unwrap_or_else(|| "describe it: add a [[material]] with this name".to_owned());
            self.report_here(format!("there is no material \"{}\"", shown(name)), Some(&help));
        }
    }

    /// A rolling or spinning resistance: a length.
    fn length(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            let message = format!("`{key}` has to be a length of 0 or more, in metres, not {value}");
            self.report(
                key,
                message,
                Some("a steel ball on steel has some 1e-5, a tyre on asphalt some 3e-3"),
            );
        }
    }

    fn coefficients(&mut self, given: Coefficients) {
        if let Some(restitution) = given.restitution.filter(|e| !(0.0..=1.0).contains(e)) {
            self.report(
                "restitution",
                format!("`restitution` has to be from 0 to 1, not {restitution}"),
                Some("1 bounces back as fast as it came, 0 does not bounce"),
            );
        }
        self.not_negative("friction", given.friction);
        self.not_negative("static_friction", given.static_friction);
        self.not_negative("kinetic_friction", given.kinetic_friction);
        self.length("rolling_resistance", given.rolling_resistance);
        self.length("spinning_resistance", given.spinning_resistance);
        let friction = ("friction", given.friction.is_some());
        self.exclusive(friction, ("static_friction", given.static_friction.is_some()));
        self.exclusive(friction, ("kinetic_friction", given.kinetic_friction.is_some()));
        match (given.static_friction, given.kinetic_friction) {
            (Some(sticking), Some(sliding)) if sliding > sticking => {
                let message =
                    format!("`kinetic_friction` {sliding} is larger than `static_friction` {sticking}");
                self.report("kinetic_friction", message, Some("kinetic friction is at most static friction"));
            }
            (None, Some(_)) if given.friction.is_none() => {
                let help = "give both, or `friction` for the two";
                self.report("kinetic_friction", "`kinetic_friction` needs a `static_friction`", Some(help));
            }
            _ => {}
        }
    }

    fn material_pair<'s>(
        &mut self,
        pair: &'s MaterialPair,
        seen: &mut BTreeMap<[&'s str; 2], usize>,
        number: usize,
    ) {
        let given = pair.coefficients();
        self.coefficients(given);
        let frictions = [given.friction, given.static_friction, given.kinetic_friction];
        if given.restitution.is_none() && frictions.iter().all(Option::is_none) {
            self.report_here(
                "the pair says nothing: `restitution` or `friction` is missing",
                Some("without a pair the rules of [contact] apply"),
            );
        }
        let [a, b] = &pair.materials[..] else {
            let message = format!("`materials` has to name 2 materials, not {}", pair.materials.len());
            return self.report("materials", message, Some("twice the same is a material on itself"));
        };
        let key = if a <= b { [a.as_str(), b] } else { [b.as_str(), a] };
        if let Some(first) = seen.insert(key, number) {
            let message = format!("this pair of materials is described already, by material_pair[{first}]");
            self.report("materials", message, Some("the order does not matter; keep one of them"));
            seen.insert(key, first);
        }
    }

    fn groups(&mut self, scene: &Scene, names_are_known: bool) {
        let bodies = &scene.body;
        let mut names = BTreeSet::new();
        // The bodies in no group, and all particles, share a bit of their own.
        let some_without = bodies.iter().any(|body| body.groups.is_none()) || !scene.particles.is_empty();
        let room = MOST_GROUPS - usize::from(some_without);
        self.each("body", bodies, |checks, body| {
            let Some(groups) = &body.groups else { return };
            if groups.is_empty() {
                let help = "leave it out; `collides_with = []` collides with nothing";
                checks.report("groups", "`groups` is empty", Some(help));
            }
            checks.distinct("groups", groups, |checks, name| {
                checks.name(checks.path.clone(), name);
                let is_new = names.insert(name);
                if is_new && names.len() == room + 1 {
                    let message = format!("there are more than {room} groups");
                    let help = format!(
                        "there can be {MOST_GROUPS}, of which the bodies without `groups` take one: use fewer"
                    );
                    checks.report_here(message, Some(&help));
                }
            });
        });
        let known: Vec<&str> = names.into_iter().collect();
        let collides_with = |checks: &mut Self, others: Option<&[String]>| {
            checks.distinct("collides_with", others.unwrap_or_default(), |checks, name| {
                if names_are_known && !known.contains(&name) {
                    let help = suggest::help(name, &known);
                    let help = help.unwrap_or_else(|| "put bodies into it by their `groups`".to_owned());
                    let message = format!("no body is in the group \"{}\"", shown(name));
                    checks.report_here(message, Some(&help));
                }
            });
        };
        self.each("body", bodies, |checks, body| collides_with(checks, body.collides_with.as_deref()));
        self.each("particles", &scene.particles, |checks, set| {
            collides_with(checks, set.collides_with.as_deref());
        });
    }

    /// Checks each of a list of names, none of which may occur twice.
    fn distinct<'t>(&mut self, key: &str, list: &'t [String], mut check: impl FnMut(&mut Self, &'t str)) {
        let mut seen = BTreeSet::new();
        self.each(key, list, |checks, name| {
            if seen.insert(name.as_str()) {
                check(checks, name);
            } else {
                checks.report_here(format!("\"{}\" is listed twice", shown(name)), None);
            }
        });
    }
}
