//! The equations of motion: a world and the state of an island → ẏ.
//!
//! An [`Island`] is what forces and joints couple, and says which number of its state vector stands where. [`Equations`] sum
//! gravity and all forces on it, in their order, and give the rates and the scales of errors to an integrator. The motion of one
//! of its bodies along a span is [`Integrated`]. Contacts and joints add their loads between the sum and the rates.

mod equations;
mod integrated;
mod island;
mod layout;
mod scaling;
mod scratch;

pub use equations::Equations;
pub use integrated::Integrated;
pub use island::Island;
pub(crate) use scaling::Scaling;
pub use scratch::Scratch;
