//! A scene as the judge reads it from its TOML: bodies with shapes and masses, joints, what acts.

use toml::{Table, Value};

use super::read::{list_of, number_of, orientation_of, tables_of, text_of, vector_of};
use super::solid::{Mass, Solid, mass_of};
use super::vector::{Pose, Vector};

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Under forces.
    Dynamic,
    /// Not at all.
    Fixed,
    /// As told.
    Kinematic,
}

/// A body.
#[derive(Debug, Clone)]
pub struct Body {
    /// As the tables call it.
    pub name: String,
    /// How it moves.
    pub kind: Kind,
    /// Its shape.
    pub solid: Option<Solid>,
    /// Where it is dynamic and the judge knows.
    pub mass: Option<Mass>,
    /// Of a kinematic body: `constant`, `uniform`, `oscillate`, `path`.
    pub motion: Option<String>,
    /// Of its surface.
    pub material: Option<String>,
    /// Groups it is in; the group without a name is empty text.
    groups: Vec<String>,
    /// Groups it collides with; none: all.
    collides_with: Option<Vec<String>>,
    /// Position as written, of the frame.
    pub position: Option<Vector>,
}

impl Body {
    /// Where its frame is, from where its row of the states says it is.
    pub fn frame(&self, row: Pose) -> Pose {
        // The tables give the centre of mass of dynamic bodies, and the frame of all others.
        match (self.kind, self.mass) {
            (Kind::Dynamic, Some(mass)) => {
                Pose { position: row.position - row.rotation.apply(mass.centre), ..row }
            }
            _ => row,
        }
    }

    /// Whether its frame can be known from its row.
    pub fn has_known_frame(&self) -> bool {
        self.kind != Kind::Dynamic || self.mass.is_some()
    }
}

/// A scene.
#[derive(Debug, Clone)]
pub struct Scene {
    /// All of it.
    pub table: Table,
    /// m/s².
    pub gravity: Vector,
    /// In the order of the file.
    pub bodies: Vec<Body>,
    /// Masses of the particles of each set.
    pub particles: Vec<(String, Vec<f64>)>,
    /// Relative, per step.
    pub tolerance: f64,
}

impl Scene {
    /// Reads TOML.
    ///
    /// # Errors
    /// When it is not TOML.
    pub fn read(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error| format!("{error}"))?;
        let bodies = tables_of(&table, "body").enumerate().map(|(k, body)| read_body(k, body)).collect();
        let particles = tables_of(&table, "particles")
            .map(|set| {
                let count = list_of(set, "positions").len();
                let each = list_of(set, "masses").iter().filter_map(super::read::number).collect();
                let masses = number_of(set, "mass").map_or(each, |mass| vec![mass; count]);
                (text_of(set, "name").unwrap_or_default().to_owned(), masses)
            })
            .collect();
        let accuracy = table.get("accuracy").and_then(Value::as_table);
        let tolerance = accuracy.and_then(|accuracy| number_of(accuracy, "tolerance")).unwrap_or(1e-12);
        let gravity = vector_of(&table, "gravity").unwrap_or_default();
        Ok(Self { table, gravity, bodies, particles, tolerance })
    }

    /// The body of a name.
    pub fn body(&self, name: &str) -> Option<&Body> {
        self.bodies.iter().find(|body| body.name == name)
    }

    /// A section such as `contact`.
    pub fn section(&self, key: &str) -> Option<&Table> {
        self.table.get(key).and_then(Value::as_table)
    }

    /// `[[joint]]`.
    pub fn joints(&self) -> impl Iterator<Item = &Table> {
        tables_of(&self.table, "joint")
    }

    /// `[[force]]`.
    pub fn forces(&self) -> impl Iterator<Item = &Table> {
        tables_of(&self.table, "force")
    }

    /// Whether steps have a length that the scene gives: then their error is that of the method.
    pub fn has_fixed_step(&self) -> bool {
        self.section("integrator").is_some_and(|integrator| integrator.contains_key("step"))
    }

    /// How long it is to last, s.
    pub fn duration(&self) -> Option<f64> {
        self.section("run").and_then(|run| number_of(run, "duration"))
    }

    /// Whether two bodies may not overlap.
    pub fn collide(&self, a: &Body, b: &Body) -> bool {
        let is_enabled =
            self.section("contact").and_then(|contact| contact.get("enabled")).and_then(Value::as_bool);
        let meets = |a: &Body, b: &Body| {
            a.collides_with.as_ref().is_none_or(|with| with.iter().any(|group| b.groups.contains(group)))
        };
        is_enabled.unwrap_or(true)
            && (a.kind == Kind::Dynamic || b.kind == Kind::Dynamic)
            && meets(a, b)
            && meets(b, a)
            && !self.are_joined(a, b)
    }

    /// Whether joints between two bodies keep them from colliding.
    fn are_joined(&self, a: &Body, b: &Body) -> bool {
        let between = |joint: &&Table| {
            let ends = [text_of(joint, "a"), text_of(joint, "b")];
            ends == [Some(a.name.as_str()), Some(&b.name)] || ends == [Some(b.name.as_str()), Some(&a.name)]
        };
        let collides = |joint: &Table| joint.get("collide").and_then(Value::as_bool).unwrap_or(false);
        let mut joints = self.joints().filter(between).peekable();
        joints.peek().is_some() && !joints.any(collides)
    }
}

fn read_body(place: usize, table: &Table) -> Body {
    let kind = match text_of(table, "kind") {
        Some("fixed") => Kind::Fixed,
        Some("kinematic") => Kind::Kinematic,
        _ => Kind::Dynamic,
    };
    let names = |key: &str| -> Option<Vec<String>> {
        table
            .get(key)
            .map(|_| list_of(table, key).iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let solid = table.get("shape").and_then(Value::as_table).map(Solid::read);
    let mass = if kind == Kind::Dynamic { mass_of(table, solid.as_ref()) } else { None };
    let motion = (kind == Kind::Kinematic).then(|| {
        let motion = table.get("motion").and_then(Value::as_table);
        motion.and_then(|motion| text_of(motion, "kind")).unwrap_or("constant").to_owned()
    });
    Body {
        name: text_of(table, "name").map_or_else(|| format!("#{place}"), str::to_owned),
        kind,
        solid,
        mass,
        motion,
        material: text_of(table, "material").map(str::to_owned),
        groups: names("groups").filter(|groups| !groups.is_empty()).unwrap_or_else(|| vec![String::new()]),
        collides_with: names("collides_with"),
        position: vector_of(table, "position"),
    }
}

/// The pose as a body's table writes it.
pub fn written_pose(table: &Table) -> Pose {
    Pose { position: vector_of(table, "position").unwrap_or_default(), rotation: orientation_of(table) }
}
