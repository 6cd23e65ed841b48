//! Connections are counted before anything of them is read.
//!
//! A connection that has not yet asked for anything with the right token is *unheard*. Few of these wait at a time, each for a short
//! time: the oldest makes way for a new one, so that connections that say nothing lock nobody out. One that was heard is closed
//! when nothing moves on it; a socket has its own pings.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

/// Connections that may be open at once, pages and all: a browser opens up to six for one page.
pub const MOST_CONNECTIONS: usize = 256;

/// Of these, from one address.
pub const MOST_FROM_ONE: usize = 192;

/// Of these, unheard ones.
pub const MOST_UNHEARD: usize = 32;

/// How long the head of the first request may take.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long nothing may move on a connection that is no socket.
const IDLE_TIME: Duration = Duration::from_secs(30);

/// What the server knows of one connection.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    is_heard: AtomicBool,
    is_socket: AtomicBool,
}

impl Standing {
    /// It has asked with the right token.
    pub(crate) fn hear(&self) {
        self.is_heard.store(true, Ordering::Relaxed);
    }

    /// It is a socket from now on, which is checked by pings.
    pub(crate) fn become_socket(&self) {
        self.is_socket.store(true, Ordering::Relaxed);
    }
}

/// The same, as handlers get it.
#[derive(Debug, Clone)]
pub(crate) struct Caller(pub(crate) Arc<Standing>);

impl Connected<IncomingStream<'_, Door>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        Self(Arc::clone(&stream.io().standing))
    }
}

/// How many connections each address has.
type Counts = Arc<Mutex<BTreeMap<IpAddr, usize>>>;

/// Lets so many connections in and no more; others are closed at once.
pub(crate) struct Door {
    listener: TcpListener,
    counts: Counts,
    /// The unheard ones, the oldest first, and how to close them.
    unheard: VecDeque<(Arc<Standing>, oneshot::Sender<()>)>,
}

impl Door {
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self { listener, counts: Counts::default(), unheard: VecDeque::new() }
    }

    /// A place for a connection from this address, unless there are too many.
    fn place(&self, address: IpAddr) -> Option<Place> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.values().sum::<usize>() >= MOST_CONNECTIONS {
            return None;
        }
        let own = counts.entry(address).or_default();
        if *own >= MOST_FROM_ONE {
            return None;
        }
        *own += 1;
        Some(Place { counts: Arc::clone(&self.counts), address })
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            self.unheard
                .retain(|(standing, close)| !standing.is_heard.load(Ordering::Relaxed) && !close.is_closed());
            while self.unheard.len() >= MOST_UNHEARD {
                let oldest = self.unheard.pop_front();
                // Its end may be gone by itself.
                oldest.map(|(_, close)| close.send(()));
            }
            let Some(place) = self.place(address.ip()) else { continue };
            let standing = Arc::new(Standing::default());
            let (close, closing) = oneshot::channel();
            self.unheard.push_back((Arc::clone(&standing), close));
            let quiet = Box::pin(sleep(HEAD_TIME));
            return (Guest { stream, standing, closing: Some(closing), quiet, _place: place }, address);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// One of the connections of an address.
struct Place {
    counts: Counts,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = counts.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// A connection, which counts for as long as it lasts.
pub(crate) struct Guest {
    stream: TcpStream,
    standing: Arc<Standing>,
    /// Tells it to make way for another; none once it has.
    closing: Option<oneshot::Receiver<()>>,
    /// When it has been quiet for too long.
    quiet: Pin<Box<Sleep>>,
    _place: Place,
}

impl Guest {
    /// That it may go on: it was not told to make way, and something moved of late.
    fn check(&mut self, cx: &mut Context) -> io::Result<()> {
        if self.standing.is_socket.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !self.standing.is_heard.load(Ordering::Relaxed) {
            // A receiver that has given its answer is not asked again.
            let told = self.closing.as_mut().map(|closing| Pin::new(closing).poll(cx));
            match told {
                Some(Poll::Pending) => {}
                Some(Poll::Ready(_)) | None => {
                    self.closing = None;
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
            }
        }
        match self.quiet.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(()),
        }
    }

    /// Something moved. The head of a first request has its time as a whole, however it comes.
    fn moved(&mut self) {
        if self.standing.is_heard.load(Ordering::Relaxed) {
            self.quiet.as_mut().reset(Instant::now() + IDLE_TIME);
        }
    }
}

impl AsyncRead for Guest {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context, buffer: &mut ReadBuf) -> Poll<io::Result<()>> {
        self.check(cx)?;
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.moved();
        }
        read
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if matches!(written, Poll::Ready(Ok(count)) if count > 0) {
            self.moved();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
