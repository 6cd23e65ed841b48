//! Numbers side by side, in plain arrays that the compiler turns into vector instructions.
//!
//! Every lane is computed by the same IEEE operations in the same order, so the result does not depend on the
//! width of the machine's registers.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

/// Lanes of one [`Lanes`]. Two fill the registers that every 64-bit machine has; with four the compiler shuffles.
pub(super) const LANES: usize = 2;

/// One number for each of [`LANES`] bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes(pub(super) [f64; LANES]);

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    /// The same number in every lane.
    #[inline]
    pub(super) fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    /// √ of every lane.
    #[inline]
    pub(super) fn sqrt(self) -> Self {
        Self(from_fn(|lane| self.0[lane].sqrt()))
    }

    /// Zero in the lanes where `mass` is zero, whatever stands there (∞ and NaN too); the others untouched.
    #[inline]
    pub(super) fn where_massive(self, mass: Self) -> Self {
        Self(from_fn(|lane| if mass.0[lane] == 0.0 { 0.0 } else { self.0[lane] }))
    }

    /// Sum of the lanes.
    #[inline]
    pub(super) fn sum(self) -> f64 {
        self.0[0] + self.0[1]
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for Lanes {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(from_fn(|lane| self.0[lane].$method(other.0[lane])))
            }
        }
    )*};
}

lane_by_lane!(Add add, Sub sub, Mul mul, Div div);
