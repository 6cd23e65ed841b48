//! `dolmen view`: a scene or a run in the browser.

use std::net::IpAddr;
use std::path::Path;

use dolmen::scene::Document;
use dolmen_view::{Given, Viewer};

use crate::args::{SceneOptions, ViewOptions};
use crate::built_in::{self, Found};
use crate::failure::Failure;
use crate::files::cannot_write;
use crate::fingerprint;
use crate::run_folder;
use crate::tell::tell;

/// What is shown if nothing is asked for: the first of these that is built in.
const FAVOURITES: [&str; 3] = ["bricks", "box-of-hard-spheres", "intro-cube"];

/// Serves a page that shows what was asked for, with the built-in scenes to pick from, until it is ended.
pub(crate) fn view(options: &ViewOptions) -> Result<(), Failure> {
    let scenes = built_in::all();
    let mut first = 0;
    let mut viewer = Viewer::new().port(options.port);
    if let Some(host) = options.host {
        check_host(host, options.insecure)?;
        viewer = viewer.host(host);
    }
    if let Some(target) = &options.target {
        // After the others: what is asked for by name counts.
        let set = [options.set.clone(), options.driver.overrides()].concat();
        viewer = viewer.scene(shown(target, &set, options.allow_outside)?);
        if let Some(beside) = &options.beside {
            viewer = viewer.scene(shown(beside, &[], options.allow_outside)?).beside(1);
        }
    } else {
        let favourite = |name: &&str| scenes.iter().position(|(other, _)| other == name);
        first = FAVOURITES.iter().find_map(favourite).unwrap_or(0);
    }
    let is_shown = |name: &str| {
        [&options.target, &options.beside].iter().any(|shown| shown.as_deref() == Some(Path::new(name)))
    };
    for (name, text) in scenes.iter().filter(|(name, _)| !is_shown(name)) {
        let document = Document::parse(&format!("{name}.toml"), text)
            .map_err(|errors| Failure::input(errors.to_string()))?;
        viewer = viewer.scene(given(Found { name: (*name).to_owned(), base: ".".into(), document }));
    }
    let showing = viewer.starting_with(first).start().map_err(|error| Failure::stopped(error.to_string()))?;
    crate::print(&format!("{}\n", showing.url()))?;
    if !options.no_open && !showing.open() {
        tell!("open this address in a browser; Ctrl-C ends the server");
    }
    showing.wait().map_err(|error| Failure::stopped(error.to_string()))
}

/// A scene or a run, with the values of it that are changed.
fn shown(target: &Path, set: &[String], allow_outside: bool) -> Result<Given, Failure> {
    let found = find(target, set, allow_outside)?;
    let recorded = if target.is_dir() { fingerprint::check(target, &found)? } else { None };
    // Every mistake of a scene is told here, before anything is opened.
    found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let given = given(found);
    let Some(recorded) = recorded else { return Ok(given) };
    // What is changed on purpose is no other motion of the same run.
    let hash = recorded.state_hash.filter(|_| set.is_empty());
    Ok(given.ending_at(recorded.t_end, hash))
}

/// That others on the network are let in only if that was asked for: nothing is encrypted, the token neither.
fn check_host(host: IpAddr, is_insecure: bool) -> Result<(), Failure> {
    if host.is_loopback() || is_insecure {
        return Ok(());
    }
    let help =
        "give --insecure as well to allow it, or leave --host out and forward the port by ssh (ssh -L)";
    Err(Failure::input(format!(
        "--host {host} lets other machines in, over connections that are not encrypted\n  help: {help}"
    )))
}

/// The scene by name or path, or that of the run in a folder.
pub(crate) fn find(path: &Path, set: &[String], allow_outside: bool) -> Result<Found, Failure> {
    let mut scene = path.to_owned();
    let target = path.display();
    let mut name = None;
    if path.is_dir() {
        run_folder::tidy(path).map_err(|error| cannot_write(path, &error))?;
        let file =
            ["scene.toml", "scene.json"].map(|name| path.join(name)).into_iter().find(|file| file.is_file());
        if !run_folder::is_run(path) {
            let help = "give a folder that `dolmen run` wrote, a scene file, or the name of a built-in scene";
            return Err(Failure::input(format!("{target} is not a run\n  help: {help}")));
        }
        let Some(file) = file else {
            let help = "run the scene again, with --overwrite";
            return Err(Failure::input(format!(
                "the run in {target} has no scene: its process was killed before it was written\n  help: {help}"
            )));
        };
        scene = file;
        name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    let mut found = built_in::find(&SceneOptions { scene, set: set.to_vec(), allow_outside })?;
    found.name = name.unwrap_or(found.name);
    Ok(found)
}

/// A scene as the viewer takes it.
pub(crate) fn given(found: Found) -> Given {
    let Found { name, base, document } = found;
    Given::document(name, document, Some(base))
}
