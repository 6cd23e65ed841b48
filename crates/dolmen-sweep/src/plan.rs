//! What is asked for, and the same when it was checked.

use std::io::Read;
use std::path::{Path, PathBuf};

use dolmen::scene::{Document, Files, ReadOptions};
use dolmen_verify::{Probe, Quantity};
use serde::{Deserialize, Serialize};

use crate::SweepError;
use crate::axis::{Axis, MOST_VALUES};
use crate::random::Random;
use crate::table::Kind;

/// A scene as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// What messages call it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Values that are changed in all variants: KEY=VALUE.
    pub set: Vec<String>,
}

/// How values of different keys go together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Design {
    /// Every value with every other; the last key changes fastest.
    Grid,
    /// Independent samples.
    Random {
        /// How many.
        count: usize,
        /// Of which stream.
        seed: u64,
    },
    /// A Latin hypercube: in each of `count` equal stretches of every key one sample.
    Latin {
        /// How many.
        count: usize,
        /// Of which stream.
        seed: u64,
    },
    /// Rows that are given, a value for each key; the values of `vary` are not used.
    Rows {
        /// By variant.
        rows: Vec<Vec<String>>,
    },
}

/// A quantity that is measured at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The column.
    pub name: String,
    /// In the words of `dolmen verify`; none if a function of the caller's measures it.
    pub expression: Option<String>,
}

impl Measure {
    /// NAME=EXPRESSION, or an expression that names itself.
    pub fn parse(text: &str) -> Self {
        let (name, expression) = text.split_once('=').unwrap_or((text, text));
        Self { name: name.trim().to_owned(), expression: Some(expression.trim().to_owned()) }
    }
}

/// Everything that a table follows from, but for files that the scene names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// What varies.
    pub scene: Scene,
    /// KEY=VALUES; of rows that are given only KEY.
    pub vary: Vec<String>,
    /// How they go together.
    pub design: Design,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// Simulated time, s, as it would be typed, so that no bit of it is lost on the way; none for the duration of the scene.
    pub until: Option<String>,
    /// Samples for quantities that gather over them.
    pub samples: u32,
}

/// A sweep that was checked.
#[derive(Debug)]
pub struct Plan {
    pub(crate) spec: Spec,
    pub(crate) base: PathBuf,
    /// Which files the scene may name.
    reading: ReadOptions,
    pub(crate) axes: Vec<Axis>,
    pub(crate) kinds: Vec<Kind>,
    /// By key and variant; empty unless the design is a Latin hypercube.
    latin: Vec<Vec<f64>>,
    /// None for a measure of the caller's.
    pub(crate) quantities: Vec<Option<Quantity>>,
    pub(crate) until: f64,
    pub(crate) gathers: bool,
    count: usize,
}

/// Names of columns that every table has.
pub(crate) const FIXED_COLUMNS: [&str; 6] = ["variant", "status", "reason", "reached", "events", "cpu"];

/// Variants that are tried before a sweep is refused as a whole.
const TRIED: usize = 16;

/// A table has at most so many parts.
const MOST_PARTS: usize = 256;

impl Plan {
    /// Checks what is asked for. Files of the scene are relative to `base`, and read as `reading` says.
    ///
    /// # Errors
    /// What cannot be: a key without values, a measure that is none, no variant that can start.
    pub fn new(spec: Spec, base: &Path, reading: ReadOptions) -> Result<Self, SweepError> {
        if spec.vary.is_empty() {
            return Err(SweepError::input("nothing varies; give --vary KEY=VALUES, or a file of parameters"));
        }
        let axes = match &spec.design {
            Design::Rows { rows } => columns(&spec.vary, rows)?,
            _ => spec.vary.iter().map(|text| Axis::parse(text)).collect::<Result<_, _>>()?,
        };
        let count = count(&axes, &spec.design)?;
        let latin = match spec.design {
            Design::Latin { count, seed } => {
                (0..axes.len()).map(|k| Axis::latin(count, seed, k as u64)).collect()
            }
            _ => Vec::new(),
        };
        let quantity = |measure: &Measure| measure.expression.as_deref().map(Quantity::parse).transpose();
        let quantities = spec.measures.iter().map(quantity).collect::<Result<Vec<_>, String>>();
        let quantities = quantities.map_err(SweepError::Input)?;
        let gathers = quantities.iter().flatten().any(Quantity::gathers);
        if spec.samples == 0 || spec.samples > 1_000_000 {
            return Err(SweepError::input("samples: give a number between 1 and a million"));
        }
        let kinds = axes.iter().map(|axis| Kind::of(&axis.values)).collect();
        let base = base.to_owned();
        let mut plan =
            Self { spec, base, reading, axes, kinds, latin, quantities, until: 0.0, gathers, count };
        plan.check_names()?;
        plan.until = plan.time()?;
        plan.try_out()?;
        Ok(plan)
    }

    /// How many variants there are.
    pub fn variants(&self) -> usize {
        self.count
    }

    /// How long variants last, s.
    pub fn until(&self) -> f64 {
        self.until
    }

    /// What was asked for.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Rows in a part: the number does not depend on who does the work.
    pub fn part_rows(&self) -> usize {
        self.count.div_ceil(MOST_PARTS)
    }

    /// How many parts the table has.
    pub fn parts(&self) -> usize {
        self.count.div_ceil(self.part_rows())
    }

    /// The variants of a part.
    pub fn part(&self, part: usize) -> std::ops::Range<usize> {
        let rows = self.part_rows();
        part * rows..((part + 1) * rows).min(self.count)
    }

    /// The values of a variant, one for each key, as they would be written in a scene.
    pub fn values(&self, variant: usize) -> Vec<String> {
        match &self.spec.design {
            Design::Grid => {
                let mut rest = variant;
                let mut values = Vec::with_capacity(self.axes.len());
                for axis in self.axes.iter().rev() {
                    let n = axis.count().unwrap_or(1);
                    values.push(axis.at((rest % n) as f64 / n as f64 + 0.5 / n as f64));
                    rest /= n;
                }
                values.reverse();
                values
            }
            Design::Random { seed, .. } => {
                let unit = |k: usize| Random::new(*seed, variant as u64, k as u64).unit();
                self.axes.iter().enumerate().map(|(k, axis)| axis.at(unit(k))).collect()
            }
            Design::Latin { .. } => {
                self.axes.iter().zip(&self.latin).map(|(axis, at)| axis.at(at[variant])).collect()
            }
            Design::Rows { rows } => rows[variant].clone(),
        }
    }

    /// What a variant changes in the scene: KEY=VALUE.
    pub fn overrides(&self, variant: usize) -> Vec<String> {
        let varied = self.axes.iter().zip(self.values(variant));
        let varied = varied.map(|(axis, value)| format!("{}={value}", axis.key));
        self.spec.scene.set.iter().cloned().chain(varied).collect()
    }

    /// What the scene may name.
    fn files(&self) -> Files {
        Files::new(self.base.clone(), self.reading.allow_outside).importing(self.reading.importer)
    }

    /// The scene of a variant.
    pub(crate) fn document(&self, variant: usize) -> Result<Document, dolmen::scene::SceneErrors> {
        let scene = &self.spec.scene;
        Document::parse_among(&scene.name, &scene.text, &self.overrides(variant), &self.files())
    }

    fn check_names(&self) -> Result<(), SweepError> {
        let mut names: Vec<String> = FIXED_COLUMNS.iter().map(|name| (*name).to_owned()).collect();
        let keys = self.axes.iter().zip(&self.kinds).flat_map(|(axis, kind)| kind.columns(&axis.key));
        for name in keys.chain(self.spec.measures.iter().map(|measure| measure.name.clone())) {
            if name.is_empty() || names.contains(&name) {
                let help = "name a measure by --measure NAME=EXPRESSION, and give every key once";
                return Err(SweepError::input(format!(
                    "there is already a column `{name}`, or it has no name\n  help: {help}"
                )));
            }
            names.push(name);
        }
        Ok(())
    }

    /// How long variants last.
    fn time(&self) -> Result<f64, SweepError> {
        let scene = &self.spec.scene;
        let until = if let Some(until) = &self.spec.until {
            until.parse().unwrap_or(f64::NAN)
        } else {
            let document = Document::parse_among(&scene.name, &scene.text, &scene.set, &self.files());
            let document = document.map_err(|errors| SweepError::input(errors.to_string()))?;
            let run = document.scene().run.clone().unwrap_or_default();
            let duration = run.duration.or_else(|| run.times.as_ref()?.last().copied());
            duration
                .ok_or_else(|| SweepError::input("the scene does not say how long it lasts; give --time S"))?
        };
        if until.is_finite() && until >= 0.0 {
            Ok(until)
        } else {
            let given = self.spec.until.as_deref().unwrap_or("of the scene");
            Err(SweepError::input(format!("time {given}: give a finite number of seconds, zero or more")))
        }
    }

    /// Looks at some variants, so that a key or a name that no variant has is refused and not tried ten thousand times.
    fn try_out(&self) -> Result<(), SweepError> {
        let tried = self.count.min(TRIED);
        let mut refused = None;
        for k in 0..tried {
            let variant = k * self.count / tried;
            let built = self.document(variant).and_then(|document| document.build(&self.base));
            let world = match built {
                Ok(world) => world,
                Err(errors) => {
                    refused.get_or_insert(errors.to_string());
                    continue;
                }
            };
            for quantity in self.quantities.iter().flatten() {
                quantity.check(&world).map_err(SweepError::Input)?;
            }
            let quantities: Vec<Quantity> = self.quantities.iter().flatten().cloned().collect();
            let Ok(mut probe) = Probe::start(world, &quantities, None) else { return Ok(()) };
            for (measure, quantity) in self.spec.measures.iter().zip(&self.quantities) {
                if let Some(quantity) = quantity
                    && !probe.is_number(quantity)
                {
                    let help = "choose a part, such as (…).x, or take length(…)";
                    return Err(SweepError::input(format!(
                        "the measure `{}` is no number\n  help: {help}",
                        measure.name
                    )));
                }
            }
            return Ok(());
        }
        Err(SweepError::Input(refused.unwrap_or_default()))
    }
}

fn count(axes: &[Axis], design: &Design) -> Result<usize, SweepError> {
    let too_many = || SweepError::input(format!("a sweep has at most {MOST_VALUES} variants"));
    let count = match design {
        Design::Grid => {
            let mut count = 1_usize;
            for axis in axes {
                let n = axis.count().ok_or_else(|| {
                    let key = &axis.key;
                    SweepError::input(format!(
                        "{key}: a range without a count is for samples\n  help: give {key}=FIRST:LAST:COUNT, or --random N or --latin N"
                    ))
                })?;
                count = count.checked_mul(n).filter(|count| *count <= MOST_VALUES).ok_or_else(too_many)?;
            }
            count
        }
        Design::Random { count, .. } | Design::Latin { count, .. } => *count,
        Design::Rows { rows } => rows.len(),
    };
    match count {
        0 => Err(SweepError::input("there are no variants; give at least one")),
        count if count > MOST_VALUES => Err(too_many()),
        count => Ok(count),
    }
}

/// Rows that are given as lists by key, for the kinds of their columns.
fn columns(keys: &[String], rows: &[Vec<String>]) -> Result<Vec<Axis>, SweepError> {
    if let Some(row) = rows.iter().position(|row| row.len() != keys.len()) {
        let (given, needed) = (rows[row].len(), keys.len());
        return Err(SweepError::input(format!(
            "variant {row} has {given} values for {needed} keys: give one for each"
        )));
    }
    let column = |k: usize| rows.iter().map(|row| row[k].clone()).collect();
    let axis =
        |(k, key): (usize, &String)| Axis { key: key.clone(), values: crate::axis::Values::List(column(k)) };
    Ok(keys.iter().enumerate().map(axis).collect())
}

/// The most of a table of parameters that is read, bytes.
const LARGEST_TABLE: u64 = 256 << 20;

/// Reads parameters from a CSV file: keys in the first line, a variant in each of the others.
///
/// # Errors
/// When the file cannot be read or lines differ in length.
pub fn read_parameters(file: &Path) -> Result<(Vec<String>, Vec<Vec<String>>), SweepError> {
    let cannot = |error: csv::Error| SweepError::file(file, &error);
    // A pipe may be given as well, and one without an end.
    let opened =
        std::fs::File::open(file).map_err(|error| SweepError::file(file, &error))?.take(LARGEST_TABLE);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(opened);
    let keys: Vec<String> = reader.headers().map_err(cannot)?.iter().map(str::to_owned).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(record.map_err(cannot)?.iter().map(str::to_owned).collect());
    }
    Ok((keys, rows))
}
