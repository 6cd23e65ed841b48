//! See a world of rigid bodies: a live page in the browser, replays and pictures.
//!
//! A [`Viewer`] serves a page on this machine, simulates in a thread of its own and records everything, so that one can go back
//! in time. `docs/view.md` says what the page can do.

mod canvas;
mod coalesce;
mod curves;
pub mod describe;
mod door;
mod edit;
pub mod export;
pub mod hand;
mod joints;
pub mod message;
mod page;
mod pull;
pub mod recording;
mod scenes;
mod server;
pub mod session;
mod stage;
mod take;
mod viewer;
pub mod wire;
pub mod witnesses;

pub use canvas::{Canvas, Colour, Mark, ORANGE};
pub use door::{MOST_CONNECTIONS, MOST_FROM_ONE, MOST_UNHEARD};
pub use page::{PAGE, Page};
pub use scenes::Given;
pub use server::MOST_PAGES;
pub use session::{DriverChoice, Session};
pub use stage::base_rate;
pub use take::{Draw, Happening, Take, Went};
pub use viewer::{Showing, ViewError, Viewer};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/view.md")]
struct Document;
