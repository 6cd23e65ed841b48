//! What many pages command between two frames, as few commands.
//!
//! A page may send hundreds of commands in a second, and some take long: a world is built anew, curves are drawn over a whole
//! recording. What a later command undoes is left out, so that one page cannot keep the others waiting.

use crate::message::{Command, MOST_CURVES};
use crate::stage::Request;

/// Steps of one frame that are taken between two frames that are shown.
const MOST_STEPS: usize = 4;

/// Leaves out what is undone before it can be seen; the others stay in their order.
pub(crate) fn coalesce(requests: Vec<Request>) -> Vec<Request> {
    let starts = |request: &Request| {
        matches!(
            request.command,
            Command::Restart {} | Command::Change(_) | Command::Driver { .. } | Command::Scene { .. }
        )
    };
    let last_start = requests.iter().rposition(starts);
    let mut kept: Vec<(Request, bool)> = Vec::with_capacity(requests.len());
    for (i, mut request) in requests.into_iter().enumerate().rev() {
        let is_before_start = last_start.is_some_and(|last| i < last);
        let shows = |command: &Command| {
            matches!(
                command,
                Command::Step {} | Command::StepBack {} | Command::Seek { .. } | Command::NextEvent {}
            )
        };
        if is_before_start && shows(&request.command) {
            // All that is left of it is that it ended the motion.
            request.command = Command::Pause {};
        }
        let is_kept = match request.command {
            // What sets up the next start is kept, and does not start.
            Command::Change(_)
            | Command::Driver { .. }
            | Command::Scene { .. }
            | Command::Run {}
            | Command::Pause {} => true,
            Command::Speed { .. } | Command::Select { .. } | Command::See { .. } | Command::Beside { .. } => {
                !kept.iter().any(|(later, _)| is_same_kind(&later.command, &request.command))
            }
            Command::Step {} | Command::StepBack {} => {
                let steps = kept
                    .iter()
                    .filter(|(later, _)| matches!(later.command, Command::Step {} | Command::StepBack {}));
                steps.count() < MOST_STEPS
            }
            Command::Seek { .. } | Command::NextEvent {} => {
                // The next command of these decides what is shown.
                !kept.iter().any(|(later, _)| is_same_kind(&later.command, &request.command))
            }
            Command::Move { .. } => {
                let next = kept.iter().rev().map(|(later, _)| &later.command).find(|later| {
                    matches!(later, Command::Move { .. } | Command::Grab { .. } | Command::Release {})
                });
                !is_before_start && !matches!(next, Some(Command::Move { .. }))
            }
            Command::Restart {} | Command::Grab { .. } | Command::Release {} => !is_before_start,
            Command::Events { .. }
            | Command::Plot { .. }
            | Command::Text {}
            | Command::Edit { .. }
            | Command::Share {} => {
                let same = kept.iter().filter(|(later, _)| {
                    later.reply.same_channel(&request.reply) && is_same_kind(&later.command, &request.command)
                });
                same.count() < if matches!(request.command, Command::Plot { .. }) { MOST_CURVES } else { 1 }
            }
            Command::Ready {} => false,
        };
        if is_kept {
            kept.push((request, is_before_start));
        }
    }
    kept.reverse();
    kept.into_iter()
        .map(|(request, is_before_start)| Request { is_moot: is_before_start, ..request })
        .collect()
}

fn is_same_kind(a: &Command, b: &Command) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Changes;
    use tokio::sync::mpsc;

    fn request(text: &str) -> Request {
        let (reply, _) = mpsc::channel(1);
        Request { command: Command::parse(text).expect("a command"), reply, is_moot: false }
    }

    fn commands(texts: &[&str]) -> Vec<(Command, bool)> {
        let requests = texts.iter().map(|text| request(text)).collect();
        coalesce(requests).into_iter().map(|request| (request.command, request.is_moot)).collect()
    }

    /// Five hundred restarts are one; what the last one starts with stays.
    #[test]
    fn restarts_are_one() {
        let mut texts = vec!["{\"do\":\"restart\"}"; 500];
        assert_eq!(commands(&texts), [(Command::Restart {}, false)]);
        texts.push("{\"do\":\"run\"}");
        texts.insert(3, "{\"do\":\"change\",\"gravity\":[0,0,-1]}");
        texts.insert(4, "{\"do\":\"step\"}");
        let change = Command::Change(Changes { gravity: Some([0.0, 0.0, -1.0]), ..Changes::default() });
        let (pause, restart) = ((Command::Pause {}, true), (Command::Restart {}, false));
        assert_eq!(commands(&texts), [(change, true), pause, restart, (Command::Run {}, false)]);
    }

    /// Of the places that the mouse was at the last counts, between grabbing and releasing.
    #[test]
    fn the_hand_moves_to_its_last_place() {
        let moved = |x: u32| format!("{{\"do\":\"move\",\"to\":[{x},0,0]}}");
        let (a, b, c) = (moved(1), moved(2), moved(3));
        let found = commands(&[&a, &b, "{\"do\":\"release\"}", &c]);
        let to = |x: f64| Command::Move { to: [x, 0.0, 0.0] };
        assert_eq!(found, [(to(2.0), false), (Command::Release {}, false), (to(3.0), false)]);
    }

    /// Curves of one page are not without end; another page has its own.
    #[test]
    fn each_page_has_its_curves() {
        let plot = "{\"do\":\"plot\",\"id\":1,\"body\":null,\"quantities\":[\"total\"]}";
        let (reply, _one) = mpsc::channel(1);
        let of = |reply: &mpsc::Sender<_>| Request {
            command: Command::parse(plot).expect("a command"),
            reply: reply.clone(),
            is_moot: false,
        };
        let mut requests: Vec<Request> = (0..100).map(|_| of(&reply)).collect();
        let (other, _two) = mpsc::channel(1);
        requests.push(of(&other));
        assert_eq!(coalesce(requests).len(), MOST_CURVES + 1);
    }

    /// What cannot be undone stays in its order.
    #[test]
    fn few_commands_stay_as_they_are() {
        let texts = ["{\"do\":\"pause\"}", "{\"do\":\"step\"}", "{\"do\":\"step\"}", "{\"do\":\"run\"}"];
        let kept: Vec<Command> = commands(&texts).into_iter().map(|(command, _)| command).collect();
        assert_eq!(kept, [Command::Pause {}, Command::Step {}, Command::Step {}, Command::Run {}]);
    }
}
