//! Butcher tableaux of explicit Runge–Kutta methods.

mod named;

use super::tolerances::ORDER_CONDITION;
use serde::{Deserialize, Serialize};

/// An explicit Runge–Kutta method, checked: kᵢ = f(t + cᵢ h, y + h Σⱼ aᵢⱼ kⱼ), y₁ = y + h Σ bᵢ kᵢ. [HNW II.1]
///
/// With a second row of weights b̂ the difference h Σ (bᵢ − b̂ᵢ) kᵢ estimates the error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tableau {
    name: String,
    /// Row i has i entries.
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    b_hat: Option<Vec<f64>>,
    c: Vec<f64>,
    order: u8,
    order_hat: u8,
    pub(super) refinement: Refinement,
}

/// What the two built-in pairs have beyond a plain tableau.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Refinement {
    /// Weights of a second, coarser error estimate.
    pub(super) coarse: Option<Vec<f64>>,
    /// Rows and abscissae of stages that only the dense output needs; they may use f(t₁, y₁) as stage s.
    pub(super) extra_a: Vec<Vec<f64>>,
    pub(super) extra_c: Vec<f64>,
    /// Rows that give the terms of the dense output beyond Hermite's; see `Span::set_nested`.
    pub(super) dense: Vec<Vec<f64>>,
    /// The stage (at c = 1) that is compared with the end of the step, and the bound on |h λ|.
    pub(super) stiffness: Option<(usize, f64)>,
    /// Exponent of h in the error estimate, if it is not one above the lower order.
    pub(super) estimate_order: Option<u8>,
}

/// Why a tableau is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableauError {
    /// A row has the wrong number of entries.
    #[error(
        "tableau {name:?}: {what} has {given} entries, not {expected}; row i of a may have i or all {stages} entries"
    )]
    Shape {
        /// Of the tableau.
        name: String,
        /// Which: a, a row of it, c or `b_hat`.
        what: String,
        /// Number of entries given.
        given: usize,
        /// Number of entries needed.
        expected: usize,
        /// Number of stages: the length of b.
        stages: usize,
    },
    /// An entry on or above the diagonal.
    #[error(
        "tableau {name:?}: a[{row}][{column}] = {value} is on or above the diagonal, so the method is implicit; \
         use backward_euler, implicit_midpoint or radau5 for an implicit method"
    )]
    Implicit {
        /// Of the tableau.
        name: String,
        /// From zero.
        row: usize,
        /// From zero.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// An entry is infinite or NaN.
    #[error("tableau {name:?}: an entry of {what} is {value}; all must be finite")]
    NotFinite {
        /// Of the tableau.
        name: String,
        /// Which: a, b, `b_hat` or c.
        what: &'static str,
        /// The entry.
        value: f64,
    },
    /// A condition does not hold.
    #[error(
        "tableau {name:?}: {condition} is {value}, not {expected} (off by {:e}); write decimals to all digits, or \
         lower the order claimed ({order})",
        value - expected
    )]
    Condition {
        /// Of the tableau.
        name: String,
        /// The condition, in symbols.
        condition: String,
        /// The left side.
        value: f64,
        /// What it must be.
        expected: f64,
        /// The order claimed for this row of weights.
        order: u8,
    },
    /// An order that no method here has.
    #[error(
        "tableau {name:?}: order {order} is not in 1 to {stages}; s explicit stages reach at most order s"
    )]
    Order {
        /// Of the tableau.
        name: String,
        /// As claimed.
        order: u8,
        /// Number of stages.
        stages: usize,
    },
    /// No tableau of this name.
    #[error("there is no tableau {name:?}; there are {}", Tableau::NAMES.join(", "))]
    Unknown {
        /// As given.
        name: String,
    },
}

impl Tableau {
    /// A tableau without error estimate; adaptive steps then compare one step with two half steps.
    ///
    /// # Errors
    /// When it is not explicit, a row sum differs from c, or an order condition up to min(`order`, 4) fails.
    pub fn new(name: &str, a: &[&[f64]], b: &[f64], c: &[f64], order: u8) -> Result<Self, TableauError> {
        let tableau = Self {
            name: name.to_owned(),
            a: lower_rows(name, a, b.len())?,
            b: b.to_vec(),
            b_hat: None,
            c: c.to_vec(),
            order,
            order_hat: 0,
            refinement: Refinement::default(),
        };
        tableau.check_abscissae()?;
        tableau.check_order("b", &tableau.b, order)?;
        Ok(tableau)
    }

    /// The same with the weights `b_hat` of a second method of order `order_hat`, which estimate the error.
    ///
    /// # Errors
    /// When `b_hat` has the wrong length, equals b, or fails an order condition up to min(`order_hat`, 4).
    pub fn with_embedded(mut self, b_hat: &[f64], order_hat: u8) -> Result<Self, TableauError> {
        self.check_length("b_hat", b_hat.len())?;
        self.check_order("b_hat", b_hat, order_hat)?;
        if b_hat == self.b {
            return Err(self.failed(
                "max |b − b_hat| (equal rows estimate nothing)".to_owned(),
                0.0,
                1.0,
                order_hat,
            ));
        }
        self.b_hat = Some(b_hat.to_vec());
        self.order_hat = order_hat;
        Ok(self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.b.len()
    }

    /// Row i of a, which has i entries.
    pub fn a(&self, i: usize) -> &[f64] {
        &self.a[i]
    }

    /// The weights of the step.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// The weights of the embedded method.
    pub fn b_hat(&self) -> Option<&[f64]> {
        self.b_hat.as_deref()
    }

    /// The abscissae.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// Order of the step.
    pub fn order(&self) -> u8 {
        self.order
    }

    /// Order of the embedded method; 0 when there is none.
    pub fn order_hat(&self) -> u8 {
        self.order_hat
    }

    /// Whether the last stage is f(t₁, y₁): then it is the first of the next step.
    pub fn first_same_as_last(&self) -> bool {
        let last = self.stages() - 1;
        last > 0 && self.b[last] == 0.0 && self.c[last] == 1.0 && self.a[last][..] == self.b[..last]
    }

    /// Exponent of h in the error estimate.
    pub(super) fn estimate_order(&self) -> u8 {
        let lower = if self.b_hat.is_some() { self.order.min(self.order_hat) } else { self.order };
        self.refinement.estimate_order.unwrap_or(lower + 1)
    }

    fn check_length(&self, what: &str, given: usize) -> Result<(), TableauError> {
        let stages = self.stages();
        if given == stages {
            return Ok(());
        }
        Err(TableauError::Shape {
            name: self.name.clone(),
            what: what.to_owned(),
            given,
            expected: stages,
            stages,
        })
    }

    /// cᵢ = Σⱼ aᵢⱼ: then the conditions of the autonomous form suffice. [HNW II.1]
    fn check_abscissae(&self) -> Result<(), TableauError> {
        self.check_length("c", self.c.len())?;
        self.check_finite("a", self.a.iter().flatten())?;
        self.check_finite("c", self.c.iter())?;
        for (i, row) in self.a.iter().enumerate() {
            let (sum, size) = row.iter().fold((0.0, 1.0), |(s, m), v| (s + v, m + v.abs()));
            if (sum - self.c[i]).abs() > ORDER_CONDITION * size {
                return Err(self.failed(format!("the sum of row {i} of a"), sum, self.c[i], self.order));
            }
        }
        Ok(())
    }

    fn check_finite<'a>(
        &self,
        what: &'static str,
        mut values: impl Iterator<Item = &'a f64>,
    ) -> Result<(), TableauError> {
        match values.find(|v| !v.is_finite()) {
            Some(&value) => Err(TableauError::NotFinite { name: self.name.clone(), what, value }),
            None => Ok(()),
        }
    }

    fn failed(&self, condition: String, value: f64, expected: f64, order: u8) -> TableauError {
        TableauError::Condition { name: self.name.clone(), condition, value, expected, order }
    }

    /// The eight conditions of order 1 to 4 on a row of weights, [HNW II.1, theorem 1.1 ff.]:
    /// Σb = 1; Σbc = 1/2; Σbc² = 1/3, Σb·ac = 1/6; Σbc³ = 1/4, Σbc·ac = 1/8, Σb·ac² = 1/12, Σb·aac = 1/24.
    fn check_order(&self, weights_name: &str, weights: &[f64], order: u8) -> Result<(), TableauError> {
        let stages = self.stages();
        if order == 0 || usize::from(order) > stages {
            return Err(TableauError::Order { name: self.name.clone(), order, stages });
        }
        self.check_finite(if weights_name == "b" { "b" } else { "b_hat" }, weights.iter())?;
        let c = &self.c;
        let squares: Vec<f64> = c.iter().map(|x| x * x).collect();
        let ac = self.apply(c);
        let ac2 = self.apply(&squares);
        let aac = self.apply(&ac);
        let one = vec![1.0; stages];
        let product = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
        let conditions = [
            (1, "Σ {b}_i", one, 1.0),
            (2, "Σ {b}_i c_i", c.clone(), 1.0 / 2.0),
            (3, "Σ {b}_i c_i^2", squares.clone(), 1.0 / 3.0),
            (3, "Σ {b}_i a_ij c_j", ac.clone(), 1.0 / 6.0),
            (4, "Σ {b}_i c_i^3", product(c, &squares), 1.0 / 4.0),
            (4, "Σ {b}_i c_i a_ij c_j", product(c, &ac), 1.0 / 8.0),
            (4, "Σ {b}_i a_ij c_j^2", ac2, 1.0 / 12.0),
            (4, "Σ {b}_i a_ij a_jk c_k", aac, 1.0 / 24.0),
        ];
        for (needed_from, symbols, factors, expected) in conditions {
            let (sum, size) = weights
                .iter()
                .zip(&factors)
                .fold((0.0, 1.0), |(s, m): (f64, f64), (b, x)| (s + b * x, m + (b * x).abs()));
            if order >= needed_from && (sum - expected).abs() > ORDER_CONDITION * size {
                return Err(self.failed(symbols.replace("{b}", weights_name), sum, expected, order));
            }
        }
        Ok(())
    }

    /// Σⱼ aᵢⱼ xⱼ.
    fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }
}

/// The strictly lower part of a, whose rows may be given whole.
fn lower_rows(name: &str, a: &[&[f64]], stages: usize) -> Result<Vec<Vec<f64>>, TableauError> {
    let shape = |what: String, given, expected| {
        Err(TableauError::Shape { name: name.to_owned(), what, given, expected, stages })
    };
    if stages == 0 {
        return shape("b".to_owned(), 0, 1);
    }
    if a.len() != stages {
        return shape("a".to_owned(), a.len(), stages);
    }
    let mut rows = Vec::with_capacity(stages);
    for (i, row) in a.iter().enumerate() {
        if row.len() != i && row.len() != stages {
            return shape(format!("row {i} of a"), row.len(), i);
        }
        if let Some(j) = (i..row.len()).find(|&j| row[j] != 0.0) {
            return Err(TableauError::Implicit { name: name.to_owned(), row: i, column: j, value: row[j] });
        }
        rows.push(row[..i].to_vec());
    }
    Ok(rows)
}
