//! Many pages, connections that say nothing, readers that do not read, and a page that commands without end: the others see frames all
//! the same.

mod common;

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{Client, connect, number, path_of, raw, runtime, start};
use dolmen_view::{MOST_UNHEARD, Showing};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;

/// Pages that look on, connections that say nothing or half of a request, and pages that read nothing.
const PAGES: usize = 50;
const HALF_OPEN: usize = 200;
const SLOW: usize = 5;

/// How long frames are watched.
const WATCHED: Duration = Duration::from_secs(4);

/// Times between frames, on a machine that does nothing else. One that is busy with other tests is given more.
const TYPICAL: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);

/// How much longer this machine takes than one that is idle: by how late a short sleep ends.
async fn slowness() -> f64 {
    let mut late = Duration::ZERO;
    for _ in 0..20 {
        let before = Instant::now();
        tokio::time::sleep(Duration::from_millis(5)).await;
        late = late.max(before.elapsed());
    }
    (late.as_secs_f64() / 0.010).max(1.0)
}

/// Connections that send nothing, or the beginning of a request and no more.
fn half_open(showing: &Showing) -> Vec<TcpStream> {
    let open = |k: usize| {
        let mut stream = TcpStream::connect(showing.address()).expect("it listens");
        if k.is_multiple_of(2) {
            // One that was closed to make way may take no more.
            let _ = stream.write_all(format!("GET {} HTTP/1.1\r\nHost: x", path_of(showing)).as_bytes());
        }
        stream
    };
    (0..HALF_OPEN).map(open).collect()
}

/// The longest time between two frames, and the 95th percentile of all, as this page sees them.
async fn watch(mut client: Client, until: Instant) -> Vec<Duration> {
    let mut last = Instant::now();
    let mut gaps = Vec::new();
    while Instant::now() < until {
        let Ok(next) = tokio::time::timeout(until - Instant::now(), client.socket.next()).await else {
            break;
        };
        match next {
            Some(Ok(Message::Binary(bytes))) if number(&bytes, 0) == 1.0 => {
                gaps.push(last.elapsed());
                last = Instant::now();
                client.send("{\"do\":\"ready\"}").await;
            }
            Some(Ok(_)) => {}
            other => panic!("the page was closed: {other:?}"),
        }
    }
    gaps.push(last.elapsed());
    gaps
}

/// Fifty pages, two hundred half-open connections, pages that read nothing and one that restarts hundreds of times a second: the
/// pages that behave see frames at the usual rate.
#[test]
fn frames_come_whatever_others_do() {
    let showing = start();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let (mut gaps, slowness) = runtime.block_on(async {
        let slowness = slowness().await;
        let silent = half_open(&showing);
        let mut pages = Vec::new();
        for _ in 0..PAGES {
            pages.push(Client::new(&showing).await);
        }
        pages[0].send("{\"do\":\"run\"}").await;
        let mut slow = Vec::new();
        for _ in 0..SLOW {
            // It never says that it has drawn anything, and reads nothing.
            slow.push(Client::new(&showing).await);
        }
        let mut hasty = Client::new(&showing).await;
        let until = Instant::now() + WATCHED;
        let flood = tokio::spawn(async move {
            // Below what a page may send in a second.
            while Instant::now() < until {
                if hasty.socket.send(Message::text("{\"do\":\"restart\"}")).await.is_err() {
                    return false;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            true
        });
        let watching: Vec<_> = pages.into_iter().map(|page| tokio::spawn(watch(page, until))).collect();
        let mut gaps = Vec::new();
        for page in watching {
            gaps.extend(page.await.expect("it watches"));
        }
        assert!(flood.await.expect("it floods"), "a page that restarts often is cut off");
        drop((silent, slow));
        (gaps, slowness)
    });
    gaps.sort_unstable();
    let (typical, longest) = (gaps[gaps.len() * 95 / 100], gaps[gaps.len() - 1]);
    let said = format!(
        "{} frames: 95 % within {typical:?}, all within {longest:?}, slowness {slowness:.1}",
        gaps.len()
    );
    println!("{said}");
    assert!(gaps.len() > 10 * PAGES, "{said}");
    assert!(typical <= TYPICAL.mul_f64(slowness) && longest <= LONGEST.mul_f64(slowness), "{said}");
}

/// Connections that say nothing make way for pages: however many there are, one that asks is answered.
#[test]
fn silent_connections_lock_nobody_out() {
    let showing = start();
    let silent = half_open(&showing);
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        path_of(&showing),
        showing.address()
    );
    for _ in 0..3 {
        let answer = raw(showing.address(), &request);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.200}");
    }
    drop(silent);
}

/// A request whose head does not end is closed after some seconds, however slowly it comes.
#[test]
fn a_head_that_never_ends_is_closed() {
    use std::io::Read;
    let showing = start();
    let mut stream = TcpStream::connect(showing.address()).expect("it listens");
    stream.write_all(b"GET / HTTP/1.1\r\n").expect("it is open");
    stream.set_read_timeout(Some(Duration::from_millis(250))).expect("a time");
    let begun = Instant::now();
    let is_closed = loop {
        // A byte now and then does not keep it open.
        if stream.write_all(b"x").is_err() {
            break true;
        }
        match stream.read(&mut [0; 64]) {
            Ok(0) => break true,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break true,
            Ok(_) | Err(_) => {}
        }
        if begun.elapsed() > Duration::from_mins(1) {
            break false;
        }
    };
    assert!(is_closed, "it is still open after a minute");
}

/// Places are counted: of many connections that say nothing only some stay, and those that came last.
#[test]
fn few_connections_wait_unheard() {
    use std::io::Read;
    let showing = start();
    let silent: Vec<TcpStream> = half_open(&showing);
    // Later ones have been let in by now: this is the last in the queue.
    let _ = raw(showing.address(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut open = 0;
    for mut stream in &silent {
        stream.set_read_timeout(Some(Duration::from_millis(5))).expect("a time");
        open += usize::from(
            matches!(stream.read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock),
        );
    }
    assert!(open <= MOST_UNHEARD, "{open} of {HALF_OPEN} are still open");
    runtime().block_on(async {
        let origin = format!("http://{}", showing.address());
        assert!(connect(&showing, Some(&origin)).await.is_ok(), "a page is let in");
    });
}
