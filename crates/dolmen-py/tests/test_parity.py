"""`run.save` writes the tables of the command, byte for byte.

The command is that of `DOLMEN`, or the one that lies in the target folder; without it these tests are skipped. Fast scenes are
compared always over a tenth of their time, all of them over all of it with `--long`.
"""

import os
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

import dolmen as dm

ROOT = Path(__file__).parents[3]
FAST = [
    "bouncing-ball",
    "three-billiard-balls",
    "tumbling-block",
    "incline-with-friction",
    "figure-eight",
    "destructive-chain",
]


def command():
    given = os.environ.get("DOLMEN")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = [Path(given)] if given else [target / profile / "dolmen" for profile in ("debug", "release")]
    return next((str(path) for path in found if path.exists()), shutil.which("dolmen"))


def scenes():
    names = dm.scenes()
    fast = [name for name in FAST if name in names]
    assert len(fast) >= 3, "the fast scenes have other names now"
    return [(name, 0.1) for name in fast] + [pytest.param(name, 1.0, marks=pytest.mark.long) for name in names]


@pytest.mark.parametrize(("name", "share"), scenes())
def test_the_tables_are_those_of_the_command(name, share, tmp_path):
    program = command()
    if program is None:
        pytest.skip("there is no command to compare with; name it in DOLMEN")
    world = dm.load(name)
    duration = (world.duration or 1.0) * share
    every = duration / 10
    # A scene with meshes is run where its files are.
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    scene = name
    if 'driver = "intro"' in world.text_read:
        # The update loop for teaching is not in the package: the same scene without it.
        (tmp_path / f"{name}.toml").write_text(re.sub(r"(?m)^(driver|intro) = .*\n", "", world.text_read), encoding="utf-8")
        scene = str(tmp_path / f"{name}.toml")
        world = dm.load(scene)
    how = ["--for", repr(duration), "--every", repr(every), "--quiet", "--out", str(theirs)]
    done = subprocess.run([program, "run", scene, *how], capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dm.LawWarning)
        try:
            run = dm.Exact(world).record(until=duration, every=every)
        except dm.Error as error:
            # What was taken until then.
            run = error.run
    assert (done.returncode in (0, 3)) == (run.states()["t"][-1] == duration), done.stderr
    run.save(ours)
    for file in sorted(ours.iterdir()):
        assert file.read_bytes() == (theirs / file.name).read_bytes(), f"{name}: {file.name}"
    tables = {file.name for file in theirs.glob("*.csv")} - {"shapes.csv", "profile.csv"}
    assert tables == {file.name for file in ours.iterdir()}


OUTPUT = """
format = 1
gravity = [0, 0, -9.8]
[run]
duration = 1.0
[output]
tables = ["states", "coordinates", "sensors", "joint-events"]
bodies = ["b*"]
every = { sensors = 0.3 }
[[body]]
name = "bob"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [1, 0, 0]
[[body]]
name = "other"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [5, 0, 0]
[[joint]]
name = "pin"
kind = "hinge"
a = "bob"
axis = [0, 1, 0]
[[joint.limit]]
lower_deg = -40
upper_deg = 40
[[sensor]]
name = "imu"
kind = "imu"
body = "bob"
"""


def test_what_the_scene_wants_written_is_written(tmp_path):
    program = command()
    if program is None:
        pytest.skip("there is no command to compare with; name it in DOLMEN")
    (tmp_path / "scene.toml").write_text(OUTPUT)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    how = ["--every", "0.1", "--quiet", "--out", str(theirs)]
    subprocess.run([program, "run", str(tmp_path / "scene.toml"), *how], check=True, capture_output=True)
    dm.Exact(dm.load(tmp_path / "scene.toml")).record(until=1.0, every=0.1).save(ours)
    assert {file.name for file in ours.iterdir()} == {file.name for file in theirs.glob("*.csv")}
    for file in ours.iterdir():
        assert file.read_bytes() == (theirs / file.name).read_bytes(), file.name
