//! What a surface is made of, and how the coefficients of two become those of the pair.

use super::MaterialError;

/// How a surface bounces and rubs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// ε: relative speed after a collision by that before it, 0 … 1.
    pub restitution: f64,
    /// Largest friction by normal force while sticking, 0 or more; may be infinite.
    pub static_friction: f64,
    /// Friction by normal force while sliding, 0 … `static_friction`.
    pub kinetic_friction: f64,
    /// Largest moment against rolling by normal force, m; 0 or more, finite. Of round surfaces only.
    pub rolling_resistance: f64,
    /// Largest moment against spinning about the normal by normal force, m; 0 or more, finite. Of round surfaces only.
    pub spinning_resistance: f64,
}

impl Material {
    /// Neither bounces nor rubs.
    pub const SMOOTH: Self = Self {
        restitution: 0.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        rolling_resistance: 0.0,
        spinning_resistance: 0.0,
    };

    pub(super) fn check(&self, of: &str) -> Result<(), MaterialError> {
        let refuse = |what, value: f64, allowed| {
            Err(MaterialError::Coefficient { of: of.to_owned(), what, value: value.to_string(), allowed })
        };
        if !(0.0..=1.0).contains(&self.restitution) {
            return refuse("restitution", self.restitution, "between 0 and 1");
        }
        if self.static_friction.is_nan() || self.static_friction < 0.0 {
            return refuse("static friction", self.static_friction, "0 or more");
        }
        if !(0.0..=self.static_friction).contains(&self.kinetic_friction) {
            return refuse("kinetic friction", self.kinetic_friction, "between 0 and the static friction");
        }
        for (what, value) in [
            ("rolling resistance", self.rolling_resistance),
            ("spinning resistance", self.spinning_resistance),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(what, value, "a length of 0 or more, in metres");
            }
        }
        Ok(())
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::SMOOTH
    }
}

/// How the coefficients of two materials become that of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// The smaller.
    Minimum,
    /// The larger.
    Maximum,
    /// (x + y)/2.
    Mean,
    /// √(x y).
    GeometricMean,
    /// x y.
    Product,
}

impl Combine {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Minimum, Self::Maximum, Self::Mean, Self::GeometricMean, Self::Product];

    /// As it is written in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Mean => "mean",
            Self::GeometricMean => "geometric-mean",
            Self::Product => "product",
        }
    }

    /// The coefficient of the pair. Zero with infinite is zero: a smooth surface stays smooth on anything.
    pub fn of(self, x: f64, y: f64) -> f64 {
        let product = if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        match self {
            Self::Minimum => x.min(y),
            Self::Maximum => x.max(y),
            Self::Mean => 0.5 * (x + y),
            // The same for equal materials, to the last bit.
            Self::GeometricMean if x == y => x,
            Self::GeometricMean => product.sqrt(),
            Self::Product => product,
        }
    }
}
