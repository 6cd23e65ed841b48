//! Values that gather over the samples of a run: largest, smallest, mean, the start, and angles with their turns.

use dolmen::math::{DVec3, real};

use super::SceneRun;
use crate::expression::{Argument, Expression, Node, NodeKind, Value, evaluate};
use crate::words::GATHERED;

/// Something to gather.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    key: String,
    word: String,
    arguments: Vec<Node>,
}

/// What has gathered.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    start: Option<Value>,
    largest: f64,
    smallest: f64,
    sum: f64,
    count: u32,
    /// Why it could not be had.
    trouble: Option<String>,
}

fn key(word: &str, arguments: &[Node]) -> String {
    // The same thing is gathered for all words of one expression, but a turn has two arguments.
    if word == "turned" { format!("turned {arguments:?}") } else { format!("{:?}", arguments.first()) }
}

impl SceneRun {
    /// Makes sure that what an expression gathers is gathered from now on.
    pub(crate) fn wish(&mut self, expression: &Expression) {
        let mut wishes = Vec::new();
        expression.walk(&mut |node| {
            if let NodeKind::Word(word, arguments) = &node.kind
                && GATHERED.contains(&word.as_str())
            {
                let key = key(word, arguments);
                wishes.push(Wish { key, word: word.clone(), arguments: arguments.clone() });
            }
        });
        // Inner ones first: the outer ones are made of them.
        wishes.reverse();
        for wish in wishes {
            if self.wishes.iter().all(|other| other.key != wish.key) {
                self.wishes.push(wish);
            }
        }
    }

    /// Takes note of the present.
    pub(super) fn gather(&mut self) {
        for wish in self.wishes.clone() {
            let seen = self.seen(&wish);
            let gathered = self.gathered.entry(wish.key).or_default();
            let value = match seen {
                Ok(value) => value,
                Err(trouble) => {
                    gathered.trouble.get_or_insert(trouble);
                    continue;
                }
            };
            let size = match &value {
                Value::Number(number) => *number,
                other => other.size(),
            };
            if wish.word == "turned" {
                gathered.sum += size;
            } else {
                let is_first = gathered.count == 0;
                gathered.largest = if is_first || size.is_nan() { size } else { gathered.largest.max(size) };
                gathered.smallest =
                    if is_first || size.is_nan() { size } else { gathered.smallest.min(size) };
                gathered.sum += size;
            }
            gathered.count += 1;
            gathered.start.get_or_insert(value);
        }
        for id in self.simulation.world().described_ids() {
            self.last_orientations[id.index()] = self.simulation.pose(id).orientation;
        }
    }

    /// The value now; for a turn, by how much since the last sample.
    fn seen(&mut self, wish: &Wish) -> Result<Value, String> {
        let variables = self.variables.clone();
        if wish.word != "turned" {
            let inner = wish.arguments.first().ok_or("nothing to gather")?;
            return evaluate(inner, self, &variables);
        }
        let [body, axis] = wish.arguments.as_slice() else {
            return Err("`turned` takes two arguments".to_owned());
        };
        let name = match &body.kind {
            NodeKind::Quoted(name) | NodeKind::Word(name, _) => name.clone(),
            _ => return Err("`turned` needs a name".to_owned()),
        };
        let id = self.body(&name)?;
        let axis: DVec3 = evaluate(axis, self, &variables)?.vector()?;
        let (now, before) = (self.simulation.pose(id).orientation, self.last_orientations[id.index()]);
        let step = now * before.conjugate();
        let angle = 2.0 * real::atan2(step.xyz().dot(axis.normalize_or_zero()), step.w);
        // In (−π, π]: less than half a turn between two samples.
        Ok(Value::Number(angle - real::TAU * (angle / real::TAU).round()))
    }

    /// What has gathered for a word.
    pub(super) fn gathered(&mut self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        let nodes: Vec<&Node> = arguments
            .iter()
            .filter_map(|argument| if let Argument::Node(node) = argument { Some(*node) } else { None })
            .collect();
        let key = format!("{:?}", nodes.first().copied());
        let found = self.gathered.get(&key).ok_or("nothing was gathered")?;
        if let Some(trouble) = &found.trouble {
            return Err(trouble.clone());
        }
        match word {
            "start" => found.start.clone().ok_or_else(|| "there was no start".to_owned()),
            "largest" => Ok(Value::Number(found.largest)),
            "smallest" => Ok(Value::Number(found.smallest)),
            _ => Ok(Value::Number(found.sum / f64::from(found.count.max(1)))),
        }
    }

    /// The angle that a body has turned by since the start.
    pub(super) fn turned(&self, name: &str, axis: DVec3) -> Result<Value, String> {
        let of = |wish: &&Wish| {
            let is_name = match wish.arguments.first().map(|node| &node.kind) {
                Some(NodeKind::Quoted(other) | NodeKind::Word(other, _)) => other == name,
                _ => false,
            };
            let same_axis = match wish.arguments.get(1).map(|node| &node.kind) {
                Some(NodeKind::List(parts)) => axis_of(parts) == Some(axis),
                _ => true,
            };
            wish.word == "turned" && is_name && same_axis
        };
        let wish = self.wishes.iter().find(of).ok_or("no turns were counted")?;
        let gathered = self.gathered.get(&wish.key).ok_or("no turns were counted")?;
        match &gathered.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => Ok(Value::Number(gathered.sum)),
        }
    }
}

/// An axis that is written in plain numbers.
fn axis_of(parts: &[Node]) -> Option<DVec3> {
    let number = |node: &Node| match &node.kind {
        NodeKind::Number(number) => Some(*number),
        NodeKind::Minus(inner) => match inner.kind {
            NodeKind::Number(number) => Some(-number),
            _ => None,
        },
        _ => None,
    };
    match parts {
        [x, y, z] => Some(DVec3::new(number(x)?, number(y)?, number(z)?)),
        _ => None,
    }
}
