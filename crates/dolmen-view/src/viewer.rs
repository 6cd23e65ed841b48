//! The viewer as a library.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread;

use dolmen::world::World;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};

use crate::canvas::Canvas;
use crate::scenes::{Given, Scenes};
use crate::server::{self, Hosts, MOST_PAGES, Shared};
use crate::session::Session;
use crate::stage::{Outlets, Stage};
use crate::take::Draw;

/// Commands that may wait for the stage.
const WAITING: usize = 1024;

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// Nothing was given to show.
    #[error("there is nothing to show: give the viewer a world or a scene")]
    Nothing,
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}; choose another port, or 0 for any that is free")]
    Listen {
        /// As asked.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("cannot start the server: {0}; try again")]
    System(#[from] io::Error),
    /// There is no randomness for the token.
    #[error("cannot make a secret address: {0}; the system has no random numbers")]
    Random(getrandom::Error),
}

/// Shows worlds in a browser.
///
/// ```no_run
/// use dolmen::prelude::*;
/// use dolmen_view::{Viewer, ORANGE};
///
/// # fn example(world: World) -> Result<(), Box<dyn std::error::Error>> {
/// Viewer::new()
///     .world("my world", world)
///     .draw(|session, canvas| canvas.label(DVec3::Z, format!("t = {:.2} s", session.time()), ORANGE))
///     .show()?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Viewer {
    given: Vec<Given>,
    first: usize,
    beside: Option<usize>,
    draw: Option<Draw>,
    host: Option<IpAddr>,
    port: u16,
}

impl fmt::Debug for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Viewer").field("given", &self.given).field("port", &self.port).finish_non_exhaustive()
    }
}

impl Viewer {
    /// With nothing to show yet, on any free port of this machine only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a world.
    #[must_use]
    pub fn world(self, name: impl Into<String>, world: World) -> Self {
        self.scene(Given::world(name, world))
    }

    /// Adds a scene.
    #[must_use]
    pub fn scene(mut self, given: Given) -> Self {
        self.given.push(given);
        self
    }

    /// Says which of the scenes is shown first, by its place; else the first that was added.
    #[must_use]
    pub fn starting_with(mut self, place: usize) -> Self {
        self.first = place;
        self
    }

    /// Says which of the scenes runs beside the first one, by its place, so that the two can be compared.
    #[must_use]
    pub fn beside(mut self, place: usize) -> Self {
        self.beside = Some(place);
        self
    }

    /// Draws points, lines and labels into every frame, whichever driver makes it.
    #[must_use]
    pub fn draw(mut self, draw: impl Fn(&Session, &mut Canvas) + Send + Sync + 'static) -> Self {
        self.draw = Some(Arc::new(draw));
        self
    }

    /// Listens at this port; 0 is any that is free.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Listens at this address and not only to this machine. Every page that has the address with its token can show and command.
    #[must_use]
    pub fn host(mut self, host: IpAddr) -> Self {
        self.host = Some(host);
        self
    }

    /// Starts the server and the simulation, each in threads of their own.
    ///
    /// # Errors
    /// When there is nothing to show, or the address is taken.
    pub fn start(self) -> Result<Showing, ViewError> {
        let scenes = Scenes::new(self.given, self.first, self.beside).ok_or(ViewError::Nothing)?;
        let token: Arc<str> = token()?.into();
        let address = SocketAddr::new(self.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), self.port);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .map_err(|source| ViewError::Listen { address, source })?;
        let address = listener.local_addr()?;
        let (world, world_seen) = watch::channel(Arc::default());
        let (notice, notice_seen) = watch::channel(Arc::default());
        let (view, view_seen) = watch::channel(Arc::default());
        let (requests, received) = mpsc::sync_channel(WAITING);
        let stage_draw = self.draw;
        // The stack of a deep solver, with room.
        thread::Builder::new().name("stage".to_owned()).stack_size(8 << 20).spawn(move || {
            Stage::new(scenes, stage_draw, Outlets { world, notice, view }).run(&received);
        })?;
        let shared = Shared {
            hosts: Arc::new(Hosts::new(address)),
            token: Arc::clone(&token),
            requests,
            world: world_seen,
            notice: notice_seen,
            view: view_seen,
            pages: Arc::new(Semaphore::new(MOST_PAGES)),
        };
        let server = runtime.spawn(server::serve(listener, shared));
        // "Every address" cannot be opened; from this machine its own leads there.
        let shown = if address.ip().is_unspecified() {
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port())
        } else {
            address
        };
        Ok(Showing { address, url: format!("http://{shown}/{token}/"), runtime, server })
    }

    /// Starts, prints the address, opens it in a browser, and serves until the program is ended.
    ///
    /// # Errors
    /// As [`Viewer::start`].
    pub fn show(self) -> Result<(), ViewError> {
        let showing = self.start()?;
        println!("{}", showing.url());
        showing.open();
        showing.wait()
    }
}

/// A viewer that is running; ends when it is dropped.
#[derive(Debug)]
pub struct Showing {
    address: SocketAddr,
    url: String,
    runtime: Runtime,
    server: tokio::task::JoinHandle<io::Result<()>>,
}

impl Showing {
    /// Where the page is, with its token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens the page in the browser of the desktop; whether one could be asked to.
    pub fn open(&self) -> bool {
        let (opener, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
            ("open", &[])
        } else if cfg!(windows) {
            ("cmd", &["/c", "start", ""])
        } else {
            ("xdg-open", &[])
        };
        let mut command = std::process::Command::new(opener);
        let quiet = || std::process::Stdio::null();
        command.args(first).arg(&self.url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
    }

    /// Serves until the program is ended.
    ///
    /// # Errors
    /// When the server fails.
    pub fn wait(self) -> Result<(), ViewError> {
        match self.runtime.block_on(self.server) {
            Ok(served) => Ok(served?),
            Err(_) => Ok(()),
        }
    }
}

/// 128 random bits in hexadecimal digits.
fn token() -> Result<String, ViewError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ViewError::Random)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
