//! Pictures and pages of a simulation, without a display.

use std::io::Cursor;
use std::sync::Arc;

use dolmen::record::Event;
use dolmen::world::{Overlaps, World};
use dolmen_view::Take;
use dolmen_view::export::png::Picture;
use dolmen_view::export::{html, png};
use dolmen_view::recording::{Frame, Jump, Recording};
use pyo3::prelude::*;

use crate::engine::Engine;
use crate::errors;
use crate::run::Instant;

/// The present as rows of red, green and blue.
pub(crate) fn picture(world: &Arc<World>, engine: &Engine, width: usize, height: usize) -> PyResult<Vec<u8>> {
    let cannot = |error: String| errors::input(error);
    let sample = engine.sample();
    let mut recording = Recording::new(1.0, MEMORY);
    recording.add(Frame::new(world, &sample, &[]));
    let take = shown(world, recording, &[])?;
    let file = png::png(&take, &Picture { times: vec![sample.t], width, height });
    let file = file.map_err(|error| cannot(error.to_string()))?;
    let mut reader =
        ::png::Decoder::new(Cursor::new(file)).read_info().map_err(|error| cannot(error.to_string()))?;
    let mut rows = vec![0; 3 * width * height];
    reader.next_frame(&mut rows).map_err(|error| cannot(error.to_string()))?;
    Ok(rows)
}

/// What any driver made of a world, to be shown.
fn shown(world: &World, recording: Recording, events: &[Event]) -> PyResult<Take> {
    let mut world = world.clone();
    let mut contact = world.contact().clone();
    // Fixed steps take bodies that overlap at the start, and nothing is simulated here.
    contact.overlaps = Overlaps::Report;
    world.set_contact(contact).map_err(|error| errors::input(error.to_string()))?;
    Take::recorded(world, recording, events).map_err(errors::failed)
}

/// A page with the viewer's replay of samples of any driver.
pub(crate) fn page(world: &Arc<World>, name: &str, instants: &[Instant]) -> PyResult<String> {
    let end = instants.last().map_or(0.0, |instant| instant.sample.t);
    let start = instants.first().map_or(0.0, |instant| instant.sample.t);
    let mut recording = Recording::new((end - start) / instants.len().max(1) as f64, MEMORY);
    for instant in instants {
        let mut frame = Frame::new(world, &instant.sample, &instant.forces);
        let mut jumped: Vec<u32> = instant
            .happened
            .events
            .iter()
            .flat_map(|event| event.bodies.map(|id| id.index() as u32))
            .collect();
        jumped.sort_unstable();
        jumped.dedup();
        frame.jumps = jumped.into_iter().map(|rank| (rank, Jump::OnTheWay)).collect();
        recording.add(frame);
    }
    let events: Vec<_> = instants.iter().flat_map(|instant| &instant.happened.events).copied().collect();
    let take = shown(world, recording, &events)?;
    html::html(&take, name, name, Some(end)).map_err(|error| errors::failed(error.to_string()))
}

/// For a page, bytes.
const MEMORY: usize = 1 << 30;
