//! Elementary functions with the same bits on every platform.
//!
//! The standard library hands `sin` and its kin to the platform's C library, whose last bits differ; `libm` is
//! plain Rust. Square roots and the four operations are exact by IEEE 754 and need no wrapper.

pub use std::f64::consts::{FRAC_PI_2, PI, TAU};

macro_rules! unary {
    ($($name:ident => $function:ident),* $(,)?) => {$(
        #[doc = concat!("`", stringify!($name), "`, by `libm`.")]
        #[inline]
        pub fn $name(x: f64) -> f64 {
            libm::$function(x)
        }
    )*};
}

unary!(
    sin => sin, cos => cos, tan => tan, asin => asin, acos => acos, atan => atan,
    sinh => sinh, cosh => cosh, tanh => tanh, asinh => asinh, exp => exp, ln => log, log10 => log10, cbrt => cbrt,
);

/// Sine and cosine of the same angle.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The angle of the vector (x, y), in (−π, π].
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// x to the power y.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// x to a whole power, by repeated squaring in a fixed order.
#[inline]
pub fn powi(x: f64, n: u32) -> f64 {
    let (mut result, mut base, mut n) = (1.0, x, n);
    while n > 0 {
        if n & 1 == 1 {
            result *= base;
        }
        base *= base;
        n >>= 1;
    }
    result
}
