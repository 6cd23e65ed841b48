//! The comparison of a scene that is run again can fail: a program that gives other bits when bodies are in another order, when it is
//! sampled otherwise, or when it is resumed, is found; one that does not is not.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dolmen_hunt::judge::{Class, Run};
use dolmen_hunt::process::{Dolmen, End, Ended};
use dolmen_hunt::trial::{Trial, repeat};

/// Stands in for the command: it writes the same tables whatever it is given, but for one difference.
const PROGRAM: &str = r#"#!/bin/bash
if [ "$2" = --resume ]; then out="$3"; else out="$4"; fi
way=$(basename "$out")
mkdir -p "$out"
echo '{"status": "done"}' > "$out/summary.json"
# A run that is to be killed lasts.
if [ "$way" = resumed ] && [ "$2" != --resume ]; then sleep 20; fi
last=2 event=0.5 code=0 extra=
case "DIFFERENCE:$way" in
    order:shuffled | sampling-state:sampled | resume:resumed) last=2.0000000000000004 ;;
    sampling-event:sampled) event=0.25 ;;
    code:shuffled) code=1; echo 'error: it cannot go on' >&2 ;;
    lines:shuffled) extra='2,floor,0\n' ;;
    violated:sampled) extra='0.7,violated,\n'; code=3 ;;
esac
printf "t,body,x\n0,ball,1\n1,ball,$last\n$([ DIFFERENCE = lines ] && echo "$extra")" > "$out/states.csv"
printf "t,kind,note\n$event,collision,\n$([ DIFFERENCE = violated ] && echo "$extra")" > "$out/events.csv"
exit $code
"#;

const SCENE: &str = "format = 1\n[[body]]\nname = \"ball\"\n[[body]]\nname = \"floor\"\n";

/// What `repeat` finds of a program with this difference.
fn found(difference: &str) -> Vec<(Class, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("dolmen");
    fs::write(&program, PROGRAM.replace("DIFFERENCE", difference)).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    let dolmen = Dolmen { program, limit: 60.0 };
    let (scene, run): (_, &Path) = (folder.path().join("scene.toml"), &folder.path().join("run"));
    fs::write(&scene, SCENE).expect("a scene");
    let ended: Ended = dolmen.run(&scene, run, &[]).expect("it starts");
    assert_eq!(ended.end, End::Code(0), "{}", ended.message);
    let trial = Trial { ended, run: Run::default(), findings: Vec::new() };
    let findings = repeat(&dolmen, SCENE, folder.path(), &trial).expect("it is run again");
    findings.into_iter().map(|finding| (finding.class, finding.text)).collect()
}

#[test]
fn the_same_bits_are_no_finding() {
    assert_eq!(found("none"), []);
    // A law may be noticed to be broken at a sample that another run does not have.
    assert_eq!(found("violated"), []);
}

#[test]
fn other_bits_are_found_by_the_way_they_came_about() {
    for (difference, class, text) in [
        ("order", Class::Order, "states.csv differs in line 3"),
        ("lines", Class::Order, "states.csv has 4 lines instead of 3"),
        ("code", Class::Order, "it cannot go on"),
        ("sampling-event", Class::Sampling, "events.csv differs in line 2"),
        ("sampling-state", Class::Sampling, "the last state differs"),
        ("resume", Class::Resume, "states.csv differs in line 3"),
    ] {
        let found = found(difference);
        assert_eq!(found.len(), 1, "{difference}: {found:?}");
        assert!(found[0].0 == class && found[0].1.contains(text), "{difference}: {found:?}");
    }
}
