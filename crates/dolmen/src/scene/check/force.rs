//! Forces: what they act on, when, and how strongly.

use super::{Checks, Named, Names};
use crate::scene::tolerances::{FASTEST_OSCILLATION, STIFFEST};
use crate::scene::typed::{
    Anchor, Attract, Drag, Field, Force, Law, Nbody, NbodyMethod, Penalty, ShortRange, Spring, Target, Wave,
};

const BODY: &[Named] = &[Named::Body];
const SET: &[Named] = &[Named::Set];
const EITHER: &[Named] = &[Named::Body, Named::Set];

impl Checks {
    pub(super) fn force(&mut self, force: &Force, names: &Names<'_>) {
        match force {
            Force::Push(push) => {
                self.refers_at("body", &push.body, names, BODY);
                self.timing(push.from, push.until, push.wave.as_ref());
            }
            Force::Torque(torque) => {
                self.refers_at("body", &torque.body, names, BODY);
                self.timing(torque.from, torque.until, torque.wave.as_ref());
            }
            Force::Spring(spring) => self.spring(spring, names),
            Force::Drag(drag) => self.drag(drag, names),
            Force::Attract(attract) => self.attract(attract, names),
            Force::Field(field) => self.field(field, names),
            Force::Nbody(nbody) => self.nbody(nbody, names),
            Force::ShortRange(short_range) => self.short_range(short_range, names),
            Force::Penalty(penalty) => self.penalty(penalty, names),
        }
    }

    fn timing(&mut self, from: Option<f64>, until: Option<f64>, wave: Option<&Wave>) {
        self.not_negative("from", from);
        if let Some(until) = until.filter(|until| from.unwrap_or(0.0) >= *until) {
            let message =
                format!("`until` has to be after `from`: {until} is not after {}", from.unwrap_or(0.0));
            self.report("until", message, None);
        }
        self.inside("wave", |checks| match wave {
            Some(Wave::Sine(sine)) => checks.frequency(sine.frequency),
            Some(Wave::Table(table)) => {
                checks.increasing("times", &table.times);
                checks.same_length("factors", table.factors.len(), "times", table.times.len());
                if table.times.is_empty() {
                    checks.report("times", "`times` is empty", None);
                }
            }
            None => {}
        });
    }

    /// Of anything that oscillates.
    pub(super) fn frequency(&mut self, frequency: f64) {
        self.positive("frequency", frequency);
        self.at_most("frequency", frequency, FASTEST_OSCILLATION, "Hz, faster than any machine vibrates");
    }

    /// Of any spring.
    pub(super) fn stiffness(&mut self, stiffness: impl Into<Option<f64>>) {
        let stiffness = stiffness.into();
        self.not_negative("stiffness", stiffness);
        self.at_most("stiffness", stiffness, STIFFEST, "N/m (a joint is rigid and costs nothing)");
    }

    fn spring(&mut self, spring: &Spring, names: &Names<'_>) {
        self.stiffness(spring.stiffness);
        self.not_negative("length", spring.length);
        self.not_negative("damping", spring.damping);
        for (key, anchor) in [("a", &spring.a), ("b", &spring.b)] {
            self.inside(key, |checks| checks.anchor(anchor, names));
        }
        match (&spring.a.body, &spring.b.body) {
            (None, None) if spring.a.point.is_some() && spring.b.point.is_some() => {
                self.report("b", "neither end of the spring is on a body", None);
            }
            (Some(a), Some(b)) if a == b => {
                self.report("b", "both ends of the spring are on the same body", None);
            }
            _ => {}
        }
    }

    fn anchor(&mut self, anchor: &Anchor, names: &Names<'_>) {
        self.exclusive(("body", anchor.body.is_some()), ("point", anchor.point.is_some()));
        self.exclusive(("body", anchor.body.is_some()), ("particles", anchor.particles.is_some()));
        self.exclusive(("particles", anchor.particles.is_some()), ("point", anchor.point.is_some()));
        if let Some(set) = &anchor.particles {
            self.refers_at("particles", set, names, SET);
            return;
        }
        if anchor.index.is_some() {
            self.report("index", "`index` needs a set of `particles`", None);
        }
        if let Some(body) = &anchor.body {
            self.refers_at("body", body, names, BODY);
        } else if anchor.at.is_some() {
            self.report("at", "`at` needs a `body`", Some("a point of the world is `point`"));
        } else if anchor.point.is_none() {
            self.report_here("`body`, `particles` or `point` is missing", None);
        }
    }

    fn drag(&mut self, drag: &Drag, names: &Names<'_>) {
        self.refers_to_all("bodies", drag.bodies.as_deref(), names, EITHER);
        self.not_negative("linear", drag.linear);
        self.not_negative("quadratic", drag.quadratic);
        self.not_negative("angular", drag.angular);
        if drag.linear.is_none() && drag.quadratic.is_none() && drag.angular.is_none() {
            self.report_here("`linear`, `quadratic` or `angular` is missing", None);
        }
    }

    fn attract(&mut self, attract: &Attract, names: &Names<'_>) {
        self.refers_to_all("bodies", attract.bodies.as_deref(), names, EITHER);
        self.not_negative("softening", attract.softening);
        if let Target::Body(body) = &attract.to {
            self.refers_at("to", body, names, BODY);
            if attract.bodies.as_ref().is_some_and(|bodies| bodies.contains(body)) {
                self.report("bodies", "a body cannot attract itself", None);
            }
        }
    }

    fn field(&mut self, field: &Field, names: &Names<'_>) {
        self.refers_to_all("bodies", field.bodies.as_deref(), names, EITHER);
        self.timing(field.from, field.until, field.wave.as_ref());
        if field.uniform.is_none() && field.matrix.is_none() {
            self.report_here("`uniform` or `matrix` is missing", None);
        }
    }

    fn nbody(&mut self, nbody: &Nbody, names: &Names<'_>) {
        self.refers_to_all("members", nbody.members.as_deref(), names, EITHER);
        self.positive("constant", nbody.constant);
        self.not_negative("softening", nbody.softening);
        self.positive("opening", nbody.opening);
        if let Some(opening) = nbody.opening.filter(|opening| *opening > 1.0) {
            self.report(
                "opening",
                format!("`opening` has to be at most 1, not {opening}"),
                Some("0.58 is the default"),
            );
        }
        if nbody.opening.is_some() && nbody.method == Some(NbodyMethod::Direct) {
            self.report(
                "opening",
                "the direct sum has no `opening`",
                Some("it goes with \"octree\" and \"auto\""),
            );
        }
    }

    fn penalty(&mut self, penalty: &Penalty, names: &Names<'_>) {
        self.refers_at("a", &penalty.a, names, BODY);
        self.refers_at("b", &penalty.b, names, BODY);
        if penalty.a == penalty.b {
            self.report("b", "both ends of the penalty springs are the same body", None);
        }
        self.positive("stiffness", penalty.stiffness);
        self.stiffness(penalty.stiffness);
        self.not_negative("damping", penalty.damping);
        self.not_negative("friction", penalty.friction);
        self.positive("slip_speed", penalty.slip_speed);
    }

    fn short_range(&mut self, short_range: &ShortRange, names: &Names<'_>) {
        self.refers_to_all("sets", short_range.sets.as_deref(), names, SET);
        self.positive("radius", short_range.radius);
        self.not_negative("damping", short_range.damping);
        self.inside("law", |checks| match &short_range.law {
            Law::Repulsion(repulsion) => checks.not_negative("stiffness", repulsion.stiffness),
            Law::LennardJones(law) => {
                checks.positive("depth", law.depth);
                checks.positive("length", law.length);
            }
        });
    }
}
