//! Pictures and pages of a simulation, without a display.

use std::io::Cursor;
use std::sync::Arc;

use dolmen::drive::exact::Simulation;
use dolmen::world::{Overlaps, World};
use dolmen_view::export::png::Picture;
use dolmen_view::export::{html, png, record};
use pyo3::prelude::*;

use crate::errors;

/// The present as rows of red, green and blue: a world that starts as this one stands.
pub(crate) fn picture(simulation: &Simulation, width: usize, height: usize) -> PyResult<Vec<u8>> {
    let mut world = World::clone(simulation.world());
    let mut contact = world.contact().clone();
    // What rests on something else may be in it by rounding.
    contact.overlaps = Overlaps::Report;
    let cannot = |error: String| errors::input(error);
    world.set_contact(contact).map_err(|error| cannot(error.to_string()))?;
    for id in simulation.world().described_ids().filter(|id| simulation.world().body(*id).is_dynamic()) {
        world
            .set_start(id, simulation.pose(id), simulation.twist(id))
            .map_err(|error| cannot(error.to_string()))?;
    }
    let take = record(world, 0.0).map_err(|error| cannot(error.to_string()))?;
    let file = png::png(&take, &Picture { times: vec![0.0], width, height });
    let file = file.map_err(|error| cannot(error.to_string()))?;
    let mut reader =
        ::png::Decoder::new(Cursor::new(file)).read_info().map_err(|error| cannot(error.to_string()))?;
    let mut rows = vec![0; 3 * width * height];
    reader.next_frame(&mut rows).map_err(|error| cannot(error.to_string()))?;
    Ok(rows)
}

/// A page with the viewer's replay of a world up to `end`.
pub(crate) fn page(world: &Arc<World>, name: &str, title: &str, end: f64) -> PyResult<String> {
    let take = record(World::clone(world), end).map_err(|error| errors::failed(error.to_string()))?;
    html::html(&take, name, title, Some(end)).map_err(|error| errors::failed(error.to_string()))
}
