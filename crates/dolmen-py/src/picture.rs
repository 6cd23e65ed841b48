//! Pictures and pages of a simulation, without a display.

use std::io::Cursor;
use std::sync::Arc;

use dolmen::world::{Overlaps, World};
use dolmen_view::Take;
use dolmen_view::export::png::Picture;
use dolmen_view::export::{html, png, record};
use dolmen_view::recording::{Frame, Jump, Recording};
use pyo3::prelude::*;

use crate::engine::Engine;
use crate::errors;
use crate::run::Instant;

/// The present as rows of red, green and blue: a world that starts as this one stands.
pub(crate) fn picture(engine: &Engine, width: usize, height: usize) -> PyResult<Vec<u8>> {
    let mut world = World::clone(engine.world());
    let mut contact = world.contact().clone();
    // What rests on something else may be in it by rounding.
    contact.overlaps = Overlaps::Report;
    let cannot = |error: String| errors::input(error);
    world.set_contact(contact).map_err(|error| cannot(error.to_string()))?;
    for id in engine.world().described_ids().filter(|id| engine.world().body(*id).is_dynamic()) {
        world.set_start(id, engine.pose(id), engine.twist(id)).map_err(|error| cannot(error.to_string()))?;
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

/// A page with the viewer's replay of samples of any driver.
pub(crate) fn page(world: &Arc<World>, name: &str, instants: &[Instant]) -> PyResult<String> {
    let end = instants.last().map_or(0.0, |instant| instant.sample.t);
    let start = instants.first().map_or(0.0, |instant| instant.sample.t);
    let mut recording = Recording::new((end - start) / instants.len().max(1) as f64, MEMORY);
    for instant in instants {
        let mut frame = Frame::new(world, &instant.sample, &instant.forces);
        let mut jumped: Vec<u32> =
            instant.events.iter().flat_map(|event| event.bodies.map(|id| id.index() as u32)).collect();
        jumped.sort_unstable();
        jumped.dedup();
        frame.jumps = jumped.into_iter().map(|rank| (rank, Jump::OnTheWay)).collect();
        recording.add(frame);
    }
    let events: Vec<_> = instants.iter().flat_map(|instant| &instant.events).copied().collect();
    let take = Take::recorded(World::clone(world), recording, &events).map_err(errors::failed)?;
    html::html(&take, name, name, Some(end)).map_err(|error| errors::failed(error.to_string()))
}

/// For a page, bytes.
const MEMORY: usize = 1 << 30;
