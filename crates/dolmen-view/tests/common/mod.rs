//! A viewer to test, and a page that is none.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream as StdTcpStream};
use std::time::Duration;

use dolmen::prelude::*;
use dolmen::shape::Plane;
use dolmen::world::{ContactSettings, Material};
use dolmen_view::{Showing, Viewer};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// How long anything may take before a test gives up; far more than it does.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A ball 1.25 m above a floor under g = 10: it lands after half a second and bounces to a quarter of the height.
pub(crate) fn ball_over_floor() -> World {
    let mut builder = WorldBuilder::new();
    let ball = Body::solid(Shape::sphere(0.1).expect("a radius"), 1000.0).expect("a mass");
    builder.body(ball.named("ball").centred_at(dvec3(0.0, 0.0, 1.35), DQuat::IDENTITY)).expect("a body");
    let floor = Plane::new(DVec3::Z, 0.0).expect("a plane");
    let still = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
    builder.body(Body::fixed(still).named("floor").with_shape(floor.into())).expect("a body");
    builder.gravity(dvec3(0.0, 0.0, -10.0));
    let mut world = builder.build().expect("two names");
    let bouncy =
        Material { restitution: 0.5, static_friction: 0.2, kinetic_friction: 0.2, ..Material::SMOOTH };
    let contact = ContactSettings { default_material: bouncy, ..ContactSettings::default() };
    world.set_contact(contact).expect("in range");
    world
}

/// A viewer of it, on a port of its own.
pub(crate) fn start() -> Showing {
    Viewer::new()
        .world("ball", ball_over_floor())
        .world("other", ball_over_floor())
        .start()
        .expect("it starts")
}

/// The path of an address, token and all.
pub(crate) fn path_of(showing: &Showing) -> String {
    let rest = showing.url().split_once("://").expect("a scheme").1;
    rest.split_once('/').map(|(_, path)| format!("/{path}")).expect("a path")
}

/// The answer to a request as it comes, headers and all.
pub(crate) fn raw(address: SocketAddr, request: &str) -> String {
    let mut stream = StdTcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    stream.write_all(request.as_bytes()).expect("it takes the request");
    let mut answer = Vec::new();
    // A client that is refused may be cut off while it is still reading.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// A page's end of a socket.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
    pub(crate) world: Value,
}

impl Client {
    /// Connects as a page does, and waits for the world.
    pub(crate) async fn new(showing: &Showing) -> Self {
        let origin = format!("http://{}", showing.address());
        let mut client =
            Self { socket: connect(showing, Some(&origin)).await.expect("it is let in"), world: Value::Null };
        client.world = client.text("world").await;
        // In full: the others come in single precision.
        client.send("{\"do\":\"select\",\"body\":0}").await;
        client
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("it is open");
    }

    async fn next(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("something comes in time");
        next.and_then(Result::ok)
    }

    /// The next text of this type.
    pub(crate) async fn text(&mut self, kind: &str) -> Value {
        loop {
            match self.next().await.expect("it is open") {
                Message::Text(text) => {
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    if value["type"] == kind {
                        return value;
                    }
                }
                Message::Binary(bytes) if number(&bytes, 0) == 1.0 => self.send("{\"do\":\"ready\"}").await,
                _ => {}
            }
        }
    }

    /// The next frame that fulfils a condition.
    pub(crate) async fn frame(&mut self, wanted: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.next().await.expect("it is open")
                && number(&bytes, 0) == 1.0
            {
                self.send("{\"do\":\"ready\"}").await;
                if wanted(&bytes) {
                    return bytes.to_vec();
                }
            }
        }
    }

    /// The next frame of the run beside that fulfils a condition.
    pub(crate) async fn beside(&mut self, wanted: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        loop {
            match self.next().await.expect("it is open") {
                Message::Binary(bytes) if number(&bytes, 0) == 3.0 && wanted(&bytes) => {
                    return bytes.to_vec();
                }
                Message::Binary(bytes) if number(&bytes, 0) == 1.0 => self.send("{\"do\":\"ready\"}").await,
                _ => {}
            }
        }
    }

    /// The next frame, which is never said to be drawn.
    pub(crate) async fn undrawn(&mut self) -> Vec<u8> {
        loop {
            match self.next().await.expect("it is open") {
                Message::Binary(bytes) if number(&bytes, 0) == 1.0 => return bytes.to_vec(),
                _ => {}
            }
        }
    }

    /// The curves that were asked for by this number.
    pub(crate) async fn answer(&mut self, id: f64) -> Vec<u8> {
        loop {
            match self.next().await.expect("it is open") {
                Message::Binary(bytes) if number(&bytes, 0) == 2.0 && number(&bytes, 2) == id => {
                    return bytes.to_vec();
                }
                Message::Binary(bytes) if number(&bytes, 0) == 1.0 => self.send("{\"do\":\"ready\"}").await,
                _ => {}
            }
        }
    }

    /// Whether the server ends the connection.
    pub(crate) async fn is_closed(&mut self) -> bool {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next()).await {
                Err(_) => return false,
                Ok(None | Some(Err(_) | Ok(Message::Close(_)))) => return true,
                Ok(Some(Ok(_))) => {}
            }
        }
    }
}

/// A socket, if the server gives one; else the status that it answers with.
pub(crate) async fn connect(
    showing: &Showing,
    origin: Option<&str>,
) -> Result<WebSocketStream<TcpStream>, u16> {
    let stream = TcpStream::connect(showing.address()).await.expect("it listens");
    let mut request = format!("ws{}socket", &showing.url()[4..]).into_client_request().expect("an address");
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().expect("a header"));
    }
    match tokio_tungstenite::client_async(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("neither a socket nor a refusal: {error}"),
    }
}

/// The i-th number of the head of a frame.
pub(crate) fn number(bytes: &[u8], i: usize) -> f64 {
    f64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight bytes"))
}

/// Time of a frame, s.
pub(crate) fn time(bytes: &[u8]) -> f64 {
    number(bytes, 2)
}

/// Position of the selected body in a frame, m.
pub(crate) fn position(bytes: &[u8]) -> DVec3 {
    let at = dolmen_view::wire::EXACT;
    dvec3(number(bytes, at), number(bytes, at + 1), number(bytes, at + 2))
}

/// Position of a body that a frame tells, m from the middle of the world, in single precision.
pub(crate) fn place_of(bytes: &[u8], rank: usize) -> DVec3 {
    let word = |at: usize| bytes[at..at + 4].try_into().expect("four bytes");
    let (mut at, mut place) = (8 * dolmen_view::wire::HEAD, rank);
    // Those that have not moved since the frame before are left out, and the others are named.
    if number(bytes, 54) as u32 & 1 == 1 {
        let moved = number(bytes, 52) as usize;
        let named = (0..moved).find(|k| u32::from_le_bytes(word(at + 4 * k)) as usize == rank);
        place = named.expect("it has moved");
        at += 4 * moved;
    }
    let part = |k: usize| f64::from(f32::from_le_bytes(word(at + 12 * place + 4 * k)));
    dvec3(part(0), part(1), part(2))
}
