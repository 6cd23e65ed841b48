//! The server: the page, and a socket for each page that is open.
//!
//! Every address begins with a token that cannot be guessed; anything else is not found. A socket is refused to pages of other
//! origins. What a page sends is small, of a fixed form and not too frequent, or else its connection is closed, and nothing
//! else happens.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{ConnectInfo, FromRequestParts, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::door::{Caller, Door, Standing};
use crate::message::{Command, LONGEST, LONGEST_TEXT};
use crate::page::{NOT_BUILT, PAGE};
use crate::stage::{Answer, Request};
use crate::wire::{Encoder, View, Wants};

/// Pages that may be open at once.
pub const MOST_PAGES: usize = 64;

/// Messages that a page may send in a second: a frame a tick, the mouse, and the rest with ease.
const MOST_MESSAGES: u32 = 600;

/// Frames that are on their way to a page and not yet drawn.
const MOST_FRAMES: u32 = 2;

/// How long a page may take to receive anything.
const SEND_TIME: Duration = Duration::from_secs(20);

/// How often a page is asked whether it is still there, and how long it may be silent.
const PING_TIME: Duration = Duration::from_secs(15);
const SILENT_TIME: Duration = Duration::from_secs(45);

/// What every connection sees.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) token: Arc<str>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) requests: SyncSender<Request>,
    pub(crate) world: watch::Receiver<Arc<String>>,
    pub(crate) notice: watch::Receiver<Arc<String>>,
    pub(crate) view: watch::Receiver<Arc<View>>,
    pub(crate) pages: Arc<Semaphore>,
}

/// Serves until the program ends.
pub(crate) async fn serve(listener: TcpListener, shared: Shared) -> std::io::Result<()> {
    let router = Router::new().fallback(answer).with_state(shared);
    axum::serve(Door::new(listener), router.into_make_service_with_connect_info::<Caller>()).await
}

/// By which names a browser may address the server, in `Host` and `Origin`.
#[derive(Debug)]
pub(crate) struct Hosts {
    known: Vec<String>,
    /// Whether it listens at every address of the machine: then any address written in numbers is its own, and names are not.
    port_of_all: Option<u16>,
}

impl Hosts {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let (ip, port) = (address.ip(), address.port());
        let mut known = vec![address.to_string()];
        if ip.is_loopback() || ip.is_unspecified() {
            known.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        Self { known, port_of_all: ip.is_unspecified().then_some(port) }
    }

    fn contain(&self, host: &str) -> bool {
        // A name that leads here by a trick (DNS rebinding) is never written in numbers.
        let in_numbers =
            || host.parse::<SocketAddr>().is_ok_and(|address| Some(address.port()) == self.port_of_all);
        self.known.iter().any(|known| known.eq_ignore_ascii_case(host)) || in_numbers()
    }
}

async fn answer(
    State(shared): State<Shared>,
    ConnectInfo(Caller(standing)): ConnectInfo<Caller>,
    request: HttpRequest,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refuse(StatusCode::METHOD_NOT_ALLOWED);
    }
    if !is_known_host(&shared, request.headers()) {
        return refuse(StatusCode::FORBIDDEN);
    }
    let path = request.uri().path().strip_prefix('/').unwrap_or_default();
    let Some((token, name)) = path.split_once('/') else { return refuse(StatusCode::NOT_FOUND) };
    if !is_same(token.as_bytes(), shared.token.as_bytes()) {
        return refuse(StatusCode::NOT_FOUND);
    }
    standing.hear();
    match (name, &PAGE) {
        ("", Some(page)) => asset("text/html; charset=utf-8", page.html),
        ("", None) => asset("text/html; charset=utf-8", NOT_BUILT),
        ("viewer.js", Some(page)) => asset("text/javascript; charset=utf-8", page.script),
        ("viewer.css", Some(page)) => asset("text/css; charset=utf-8", page.style),
        ("socket", _) => open_socket(shared, standing, request).await,
        _ => refuse(StatusCode::NOT_FOUND),
    }
}

async fn open_socket(shared: Shared, standing: Arc<Standing>, request: HttpRequest) -> Response {
    if !has_own_origin(request.headers()) {
        return refuse(StatusCode::FORBIDDEN);
    }
    let (mut parts, _) = request.into_parts();
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &shared).await else {
        return refuse(StatusCode::BAD_REQUEST);
    };
    let Ok(permit) = Arc::clone(&shared.pages).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE);
    };
    let upgrade = upgrade.max_message_size(LONGEST_TEXT).max_frame_size(LONGEST_TEXT);
    upgrade.on_upgrade(move |socket| async move {
        let _permit = permit;
        standing.become_socket();
        Connection::new(shared).talk(socket).await;
    })
}

/// Takes as long for a wrong guess as for a right one.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (x, y)| differs | (x ^ y)) == 0
}

fn host_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST).and_then(|host| host.to_str().ok())
}

fn is_known_host(shared: &Shared, headers: &HeaderMap) -> bool {
    host_of(headers).is_some_and(|host| shared.hosts.contain(host))
}

/// Whether the request comes from a page of the same address, and the address is a known one.
fn has_own_origin(headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let from = origin.and_then(|origin| origin.strip_prefix("http://"));
    from.is_some_and(|from| host_of(headers).is_some_and(|host| host.eq_ignore_ascii_case(from)))
}

fn refuse(status: StatusCode) -> Response {
    let mut response = Response::new(Body::from(status.canonical_reason().unwrap_or_default()));
    *response.status_mut() = status;
    // A request for something else keeps no connection.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    protect(&mut response);
    response
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    protect(&mut response);
    response
}

/// The page loads nothing from elsewhere, is not framed, and its address with the token is not sent on.
fn protect(response: &mut Response) {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                  connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}

/// One open page.
struct Connection {
    shared: Shared,
    /// Frames that the page can still take.
    credit: u32,
    /// What the page knows already, and what it shows.
    encoder: Encoder,
    /// The same of the run beside the one that is shown.
    beside: Encoder,
    /// Messages in the present second, and when it began.
    messages: u32,
    since: Instant,
    /// When anything came from the page last.
    heard: Instant,
}

/// Why a connection ends.
enum End {
    /// It is gone.
    Gone,
    /// It said something that no page says.
    Refused(String),
}

impl Connection {
    fn new(shared: Shared) -> Self {
        let now = Instant::now();
        let (encoder, beside) = (Encoder::default(), Encoder::beside());
        Self { shared, credit: MOST_FRAMES, encoder, beside, messages: 0, since: now, heard: now }
    }

    async fn talk(mut self, mut socket: WebSocket) {
        if let Err(End::Refused(reason)) = self.exchange(&mut socket).await {
            let reason = reason.chars().take(60).collect::<String>().into();
            let frame = CloseFrame { code: close_code::POLICY, reason };
            let _ = tokio::time::timeout(SEND_TIME, socket.send(Message::Close(Some(frame)))).await;
        }
    }

    async fn exchange(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let (reply, mut answers) = mpsc::channel(32);
        let mut world = self.shared.world.clone();
        let mut notice = self.shared.notice.clone();
        let mut view = self.shared.view.clone();
        // What is there already is news to a page that has just come.
        world.mark_changed();
        notice.mark_changed();
        view.mark_changed();
        let mut ping = tokio::time::interval(PING_TIME);
        loop {
            tokio::select! {
                biased;
                changed = world.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let text = Arc::clone(&world.borrow_and_update());
                    send_text(socket, text).await?;
                }
                changed = notice.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let text = Arc::clone(&notice.borrow_and_update());
                    send_text(socket, text).await?;
                }
                received = socket.recv() => match received {
                    Some(Ok(message)) => self.receive(message, &reply)?,
                    Some(Err(error)) => return Err(End::Refused(error.to_string())),
                    None => return Err(End::Gone),
                },
                answer = answers.recv() => match answer {
                    Some(Answer::Text(text)) => send(socket, Message::text(text)).await?,
                    Some(Answer::Bytes(bytes)) => send(socket, Message::binary(bytes)).await?,
                    None => return Err(End::Gone),
                },
                _ = ping.tick() => {
                    if self.heard.elapsed() > SILENT_TIME {
                        return Err(End::Gone);
                    }
                    send(socket, Message::Ping(Vec::new().into())).await?;
                }
                changed = view.changed(), if self.credit > 0 => {
                    changed.map_err(|_| End::Gone)?;
                    // A page cannot read frames of a world that it does not know.
                    if world.has_changed().map_err(|_| End::Gone)? {
                        let text = Arc::clone(&world.borrow_and_update());
                        send_text(socket, text).await?;
                    }
                    let latest = Arc::clone(&view.borrow_and_update());
                    if let Some(bytes) = self.encoder.encode(&latest) {
                        self.credit -= 1;
                        // The two belong together: the page draws them when the second has come.
                        let other = latest.beside.as_ref().and_then(|view| self.beside.encode(view));
                        if let Some(other) = other {
                            send(socket, Message::binary(other)).await?;
                        }
                        send(socket, Message::binary(bytes)).await?;
                    }
                }
            }
        }
    }

    /// Takes what a page sent; anything that is no command ends the connection.
    fn receive(&mut self, message: Message, reply: &mpsc::Sender<Answer>) -> Result<(), End> {
        self.heard = Instant::now();
        if self.since.elapsed() > Duration::from_secs(1) {
            (self.since, self.messages) = (Instant::now(), 0);
        }
        // A long one counts as many as it could have been.
        let length = if let Message::Text(text) = &message { text.len() } else { 0 };
        self.messages += 1 + (length / LONGEST) as u32;
        if self.messages > MOST_MESSAGES {
            return Err(End::Refused("too many messages".to_owned()));
        }
        let text = match message {
            Message::Text(text) => text,
            Message::Close(_) => return Err(End::Gone),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Binary(_) => return Err(End::Refused("a page sends text only".to_owned())),
        };
        let command = Command::parse(text.as_str()).map_err(|error| End::Refused(error.to_string()))?;
        if command == (Command::Ready {}) {
            self.credit = (self.credit + 1).min(MOST_FRAMES);
            return Ok(());
        }
        self.look(&command);
        // A stage that is behind by so many commands has lost nothing by one less.
        let _ = self.shared.requests.try_send(Request { command, reply: reply.clone(), is_moot: false });
        Ok(())
    }

    /// Notes what the page shows, and passes it to the stage.
    fn look(&mut self, command: &Command) {
        let wants = self.encoder.wants();
        match *command {
            Command::See { velocities, contacts, .. } => {
                self.encoder.set_wants(Wants { velocities, contacts, ..wants });
                self.beside.set_wants(Wants { velocities, contacts, selected: None });
            }
            Command::Select { body } => self.encoder.set_wants(Wants { selected: body, ..wants }),
            _ => {}
        }
    }
}

/// Texts that are not there yet are not sent.
async fn send_text(socket: &mut WebSocket, text: Arc<String>) -> Result<(), End> {
    if text.is_empty() { Ok(()) } else { send(socket, Message::text(text.as_str())).await }
}

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), End> {
    match tokio::time::timeout(SEND_TIME, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(End::Gone),
    }
}
