//! No client gets in without the token, from elsewhere, or with anything but commands; a client that tries is refused, no more.

mod common;

use common::{Client, PATIENCE, connect, path_of, position, raw, runtime, start, time};
use dolmen_view::MOST_PAGES;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

fn get(path: &str, host: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

/// The token is the only way in: every other address is not found, whatever it tries to reach.
#[test]
fn addresses_without_the_token_are_not_found() {
    let showing = start();
    let (host, path) = (showing.address().to_string(), path_of(&showing));
    let other = path.replace(|c: char| c.is_ascii_hexdigit(), "0");
    let mut paths =
        vec!["/".to_owned(), "/viewer.js".into(), "/socket".into(), other, path.trim_end_matches('/').into()];
    let inside = [
        "../Cargo.toml",
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2fetc/passwd",
        "x",
        "viewer.js/",
        "//",
    ];
    paths.extend(inside.map(|name| format!("{path}{name}")));
    for path in paths {
        let answer = raw(showing.address(), &get(&path, &host));
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
    let page = raw(showing.address(), &get(&path, &host));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy"), "{page:.300}");
}

/// Tokens are 128 random bits: two viewers have different ones.
#[test]
fn tokens_differ() {
    let (a, b) = (start(), start());
    assert_ne!(path_of(&a), path_of(&b));
    assert_eq!(path_of(&a).len(), 34, "{}", a.url());
}

/// A name that leads here by a trick, and methods that change things, are refused.
#[test]
fn strange_hosts_and_methods_are_refused() {
    let showing = start();
    let path = path_of(&showing);
    let answer = raw(showing.address(), &get(&path, "evil.example:80"));
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let host = showing.address();
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        );
        let answer = raw(showing.address(), &request);
        assert!(answer.starts_with("HTTP/1.1 405"), "{method}: {answer}");
    }
}

/// Listening at every address, it can be reached by numbers and by no name but its own.
#[test]
fn names_of_others_lead_nowhere() {
    let everywhere = std::net::IpAddr::from([0, 0, 0, 0]);
    let showing =
        dolmen_view::Viewer::new().world("ball", common::ball_over_floor()).host(everywhere).start();
    let showing = showing.expect("it starts");
    let (path, port) = (path_of(&showing), showing.address().port());
    let own = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    for (host, status) in [
        (format!("192.168.7.7:{port}"), "200"),
        (format!("localhost:{port}"), "200"),
        (format!("evil.example:{port}"), "403"),
        (format!("192.168.7.7:{}", port ^ 1), "403"),
        ("192.168.7.7".to_owned(), "403"),
    ] {
        let answer = raw(own, &get(&path, &host));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer:.200}");
    }
}

/// Sockets are for pages of this server only.
#[test]
fn pages_of_other_origins_get_no_socket() {
    let showing = start();
    runtime().block_on(async {
        for origin in
            [None, Some("http://evil.example"), Some("null"), Some("https://127.0.0.1"), Some("file://")]
        {
            let status = connect(&showing, origin).await.err();
            assert_eq!(status, Some(403), "{origin:?}");
        }
    });
}

/// What is no command closes the connection that sent it, and the others see nothing of it.
#[test]
fn hostile_messages_close_their_connection_and_nothing_else() {
    let showing = start();
    runtime().block_on(async {
        let mut witness = Client::new(&showing).await;
        let long = format!("{{\"do\":\"scene\",\"name\":\"{}\"}}", "x".repeat(5000));
        let deep = "[".repeat(2000);
        let texts = [
            "", "null", "{}", "[]", "\u{0}", "{\"do\":\"fly\"}", "{\"do\":\"run\",\"extra\":1}", "{\"do\":\"seek\"}",
            "{\"do\":\"seek\",\"t\":\"now\"}", "{\"do\":\"seek\",\"t\":1e999}", "{\"do\":\"seek\",\"t\":1e200}",
            "{\"do\":\"speed\",\"value\":0}", "{\"do\":\"speed\",\"value\":-1}", "{\"do\":\"grab\",\"body\":-1,\"at\":[0,0,0],\"to\":[0,0,0]}",
            "{\"do\":\"grab\",\"body\":0,\"at\":[0,0],\"to\":[0,0,0]}", "{\"do\":\"move\",\"to\":[1e300,0,0]}",
            "{\"do\":\"change\",\"gravity\":[0,0]}", "{\"do\":\"plot\",\"id\":1,\"body\":null,\"quantities\":[\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\"]}",
            &long, &deep,
        ];
        for text in texts {
            let mut client = Client::new(&showing).await;
            client.send(text).await;
            assert!(client.is_closed().await, "still open after {text:.80}");
        }
        let mut client = Client::new(&showing).await;
        client.socket.send(Message::binary(vec![1, 2, 3])).await.expect("it is open");
        assert!(client.is_closed().await, "still open after bytes");
        // A client that did nothing wrong goes on as before.
        witness.send("{\"do\":\"step\"}").await;
        witness.frame(|frame| time(frame) > 0.0).await;
    });
}

/// Commands that are well formed and make no sense do nothing.
#[test]
fn senseless_commands_do_nothing() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        for text in [
            "{\"do\":\"scene\",\"name\":\"../../etc/passwd\"}",
            "{\"do\":\"grab\",\"body\":4000000000,\"at\":[0,0,0],\"to\":[0,0,0]}",
            "{\"do\":\"grab\",\"body\":1,\"at\":[0,0,0],\"to\":[0,0,0]}",
            "{\"do\":\"move\",\"to\":[0,0,9]}",
            "{\"do\":\"release\"}",
            "{\"do\":\"seek\",\"t\":-5}",
            "{\"do\":\"seek\",\"t\":1e9}",
            "{\"do\":\"step_back\"}",
            "{\"do\":\"events\",\"from\":4000000000}",
            "{\"do\":\"plot\",\"id\":1,\"body\":77,\"quantities\":[\"x\"]}",
        ] {
            client.send(text).await;
        }
        client.send("{\"do\":\"step\"}").await;
        let frame = client.frame(|frame| time(frame) > 0.0).await;
        // One frame of 1/60 s in free fall, and nothing else has moved it.
        let t = time(&frame);
        let fallen = 1.35 - position(&frame).z;
        assert!(
            (fallen - 5.0 * t * t).abs() < 1e-12 && (t - 1.0 / 60.0).abs() < 1e-12,
            "t = {t}, fallen {fallen}"
        );
    });
}

/// A page that talks without end is cut off.
#[test]
fn floods_are_cut_off() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        for _ in 0..5000 {
            if client.socket.send(Message::text("{\"do\":\"pause\"}")).await.is_err() {
                break;
            }
        }
        assert!(client.is_closed().await, "it may send what it likes");
        let mut other = Client::new(&showing).await;
        other.send("{\"do\":\"step\"}").await;
        other.frame(|frame| time(frame) > 0.0).await;
    });
}

/// No more pages at once than are allowed; when one goes, another may come.
#[test]
fn pages_are_counted() {
    let showing = start();
    let origin = format!("http://{}", showing.address());
    runtime().block_on(async {
        let mut clients = Vec::new();
        for _ in 0..MOST_PAGES {
            clients.push(Client::new(&showing).await);
        }
        assert_eq!(connect(&showing, Some(&origin)).await.err(), Some(503));
        let mut gone = clients.pop().expect("there are some");
        gone.socket.close(None).await.expect("it closes");
        drop(gone);
        let until = tokio::time::Instant::now() + PATIENCE;
        while connect(&showing, Some(&origin)).await.is_err() {
            assert!(tokio::time::Instant::now() < until, "no place becomes free");
            tokio::task::yield_now().await;
        }
    });
}

/// It listens to this machine only, unless it is set otherwise.
#[test]
fn no_other_machine_is_listened_to() {
    let showing = start();
    assert!(showing.address().ip().is_loopback(), "{}", showing.address());
}

/// Numbers that no page has (ranks beyond the end, all things at once) are checked and sent nowhere.
#[test]
fn what_a_page_asks_for_is_checked() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        for text in [
            "{\"do\":\"select\",\"body\":4294967295}",
            "{\"do\":\"see\",\"witnesses\":true,\"velocities\":true,\"contacts\":true}",
            "{\"do\":\"see\"}",
            "{\"do\":\"select\",\"body\":null}",
            "{\"do\":\"step\"}",
        ] {
            client.send(text).await;
        }
        client.frame(|frame| time(frame) > 0.0).await;
        let mut other = Client::new(&showing).await;
        other.send("{\"do\":\"see\",\"everything\":true}").await;
        assert!(other.is_closed().await, "it may ask for what does not exist");
    });
}
