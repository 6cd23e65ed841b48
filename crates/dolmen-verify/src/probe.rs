//! Quantities of a run for other programs: the same words and the same grammar as in files of expectations.

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::math::work::Interrupt;
use dolmen::world::World;

use crate::expression::{Expression, Mistake, NodeKind, Spoken, Variables, check, evaluate};
use crate::run::SceneRun;
use crate::words::{GATHERED, PARTS, WORDS, unknown_names};

/// A quantity of a run: a number, by an expression.
#[derive(Debug, Clone)]
pub struct Quantity {
    expression: Expression,
}

impl Quantity {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first mistake, with its place below the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expression = Expression::parse(text).map_err(|mistake| shown(text, &mistake))?;
        let spoken = Spoken { words: WORDS, parts: PARTS, variables: &[] };
        match check(&expression, &spoken).first() {
            Some(mistake) => Err(shown(text, mistake)),
            None => Ok(Self { expression }),
        }
    }

    /// Looks for names that nothing of the world has.
    ///
    /// # Errors
    /// The first mistake, with its place below the text.
    pub fn check(&self, world: &World) -> Result<(), String> {
        match unknown_names(&self.expression, world).first() {
            Some(mistake) => Err(shown(&self.expression.text, mistake)),
            None => Ok(()),
        }
    }

    /// Whether it gathers over samples (`largest`, `mean`, `turned` …), so that samples have to be looked at.
    pub fn gathers(&self) -> bool {
        let mut gathers = false;
        self.expression.walk(&mut |node| {
            if let NodeKind::Word(word, _) = &node.kind {
                // Turns of joints are counted from sample to sample.
                gathers |=
                    GATHERED.contains(&word.as_str()) || word == "joint_turn" || word == "ledger_error";
            }
        });
        gathers
    }
}

/// The text, a mark below the mistake, and what to do.
fn shown(text: &str, mistake: &Mistake) -> String {
    let before = text.get(..mistake.at.start).unwrap_or("").chars().count();
    let length = text.get(mistake.at.clone()).map_or(1, |at| at.chars().count().max(1));
    let help = mistake.help.as_ref().map_or_else(String::new, |help| format!("\n  help: {help}"));
    format!("{}\n  {text}\n  {:before$}{:^<length$}{help}", mistake.message, "", "")
}

/// A run that quantities are asked of.
#[derive(Debug)]
pub struct Probe {
    run: SceneRun,
}

impl Probe {
    /// At t = 0, with what these quantities gather from now on.
    ///
    /// # Errors
    /// When the world cannot start.
    pub fn start(world: World, quantities: &[Quantity], interrupt: Option<&Interrupt>) -> Result<Self, Stop> {
        let mut run = SceneRun::start(world, Variables::default())?;
        if let Some(interrupt) = interrupt {
            run.simulation.set_interrupt(interrupt.clone());
        }
        for quantity in quantities {
            run.wish(&quantity.expression);
        }
        run.look();
        Ok(Self { run })
    }

    /// Goes on to `t` and takes a sample there; as far as it goes.
    pub fn advance(&mut self, t: f64) {
        self.run.advance(t);
        self.run.look();
    }

    /// Why it does not go on.
    pub fn stop(&self) -> Option<&Stop> {
        self.run.stop.as_ref()
    }

    /// Why it does not go on, in words.
    pub fn given_up(&self) -> Option<String> {
        self.run.given_up()
    }

    /// What a quantity is now.
    ///
    /// # Errors
    /// In words: what is not there, or is no number.
    pub fn value(&mut self, quantity: &Quantity) -> Result<f64, String> {
        self.asked(quantity)?
            .number()
            .map_err(|text| format!("{text}: choose a part, such as (…).x, or take length(…)"))
    }

    /// Whether a quantity is a number; true where nothing can be said yet.
    pub fn is_number(&mut self, quantity: &Quantity) -> bool {
        self.asked(quantity).is_ok_and(|value| value.number().is_err()).then_some(()).is_none()
    }

    fn asked(&mut self, quantity: &Quantity) -> Result<crate::expression::Value, String> {
        let variables = self.run.variables.clone();
        evaluate(&quantity.expression.node, &mut self.run, &variables)
    }

    /// The simulation.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.run.simulation
    }

    /// The simulation, and nothing else.
    pub fn into_simulation(self) -> Simulation {
        self.run.simulation
    }
}
