//! Buffers hold nothing that a result depends on.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;

/// Tasks after which buffers are thrown away, and how many of the tasks of a scene are tried.
const TASKS: u32 = 3000;

/// Goes on to `t`, and throws all buffers away after every task of the first ones.
fn run(name: &str, t: f64, is_renewed: bool) -> Option<(String, usize, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let document = Document::load(folder.join(format!("{name}.toml"))).expect("a sound scene");
    if document.scene().run.as_ref().is_some_and(|run| run.intro.is_some()) {
        return None;
    }
    let mut simulation = Simulation::new(document.build(&folder).expect("a world")).ok()?;
    let mut tasks = 0;
    // An interruption after every task: the run then stands between two of them.
    while tasks < TASKS {
        let mut is_first = true;
        let went = simulation.advance_while(t, &mut |_| std::mem::take(&mut is_first));
        tasks += 1;
        if is_renewed {
            simulation.renew_scratch();
        }
        match went {
            Err(stop) if stop.reason == dolmen::drive::exact::Reason::Interrupted => {}
            Ok(()) | Err(_) => break,
        }
    }
    let forces = format!("{:?} {:?}", simulation.contact_forces(), simulation.joint_forces());
    Some((simulation.sample().hash(), simulation.events().len(), forces))
}

/// The same bits with new buffers after every task, in every built-in scene.
#[test]
fn throwing_buffers_away_between_any_two_tasks_changes_no_bit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("scenes")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()))
        .filter(|name| !name.ends_with(".expect"))
        .collect();
    names.sort();
    let mut changed = Vec::new();
    for name in &names {
        if run(name, 0.5, false) != run(name, 0.5, true) {
            changed.push(name);
        }
    }
    assert!(changed.is_empty(), "{changed:?} depend on what buffers hold");
}
