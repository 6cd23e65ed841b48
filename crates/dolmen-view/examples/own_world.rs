//! A world of one's own in the browser, with points, lines and labels drawn into it: `cargo run -p dolmen-view --example own_world`.

use dolmen::prelude::*;
use dolmen::shape::Plane;
use dolmen_view::{ORANGE, Viewer};

/// A block that is thrown at a floor.
fn world() -> Result<World, Box<dyn std::error::Error>> {
    let mut builder = WorldBuilder::new();
    let block = Body::solid(Shape::cuboid(dvec3(0.3, 0.2, 0.1))?, 500.0)?.named("block");
    let thrown = block.centred_at(dvec3(0.0, 0.0, 1.5), DQuat::IDENTITY);
    builder.body(thrown.moving(dvec3(1.0, 0.0, 2.0), dvec3(3.0, 1.0, 0.0)))?;
    let floor = Plane::new(DVec3::Z, 0.0)?;
    builder.body(Body::fixed(Pose::IDENTITY).named("floor").with_shape(floor.into()))?;
    builder.gravity(dvec3(0.0, 0.0, -9.81));
    Ok(builder.build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world = world()?;
    let block = world.find_body("block").ok_or("the block was named so")?;
    Viewer::new()
        .world("my world", world)
        .draw(move |session, canvas| {
            let centre = session.pose(block).position;
            canvas.point(centre, ORANGE);
            canvas.line(centre, dvec3(centre.x, centre.y, 0.0), ORANGE);
            canvas.label(centre, format!("{:.2} m high", centre.z), ORANGE);
        })
        .show()?;
    Ok(())
}
