//! The record of a run: samples, events, contact forces, the energy ledger, tables and a hash.

mod back_step;
mod contact;
mod event;
mod joint;
mod joint_event;
mod output;
mod rows;
mod sample;
mod sink;
mod tables;
mod violation;

pub use back_step::BackStep;
pub use contact::{ContactFiles, Tally, can_touch, resultants};
pub use event::{ContactForce, Event, EventKind, EventPlace, Note, excess_of};
pub use joint::{JointCoordinate, JointForce};
pub use joint_event::{JointEvent, JointEventKind, JointEventTable};
pub use output::{Output, Table};
pub use sample::{Balance, LastSample, Ledger, Sample};
pub use sink::{EventSink, Happened};
pub use tables::{Carried, Progress, RunTables, TableFiles};
pub use violation::{CheckedLaw, LawReport, LawStatus, Solve, Violation};
