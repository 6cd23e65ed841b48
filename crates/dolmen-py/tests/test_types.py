"""The type stubs: a program as one would write it passes mypy, and wrong ones do not."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

RIGHT = """
import functools
import dolmen as dm
b = dm.WorldBuilder(gravity=(0, 0, -9.81))
arm = b.body("arm", dm.Box(1, 0.1, 0.1), mass=1.0)
b.hinge("j", arm, axis=(0, 1, 0), motor=dm.Position(kp=50, kd=2, limit=5))
sim = dm.Exact(b.build(), tolerance=1e-9)
driver: dm.Driver = sim
fixed: dm.Driver = dm.Fixed(b.build(), step=1 / 240, field=lambda t, state: 0 * state[:, :3])
steps = dm.Fixed(b.build(), threads=2, sleep=True, stiff=False, strict=True, state=[[0.0] * 13])
event = steps.next_event("collision", until=1)
at: float = 0.0 if event is None else event["t"] + len(event["bodies"][0])
rolled = dm.rollout(b.build(), [sim.state], [[[0.0]]], step=0.1, driver=functools.partial(dm.Fixed, step=1 / 500))
shape = rolled["states"].shape, steps.settings["threads"], sim.take_joint_events()
other: dm.Exact = sim.fork()
m: float = sim.mass_matrix()[0, 0]
sim.control(lambda s: None, rate=500)
sim.motors["j"].target = 0.3
sim.apply(arm, force=(0, 0, 1), until=3)
run = sim.record(until=5, every=0.01, tables=["states"])
z: float = run.table("states")["z"][0]
table = dm.sweep(sim.world, vary={"gravity": [(0, 0, -1)]}, measure={"x": "kinetic", "y": lambda s: s.time}, until=1)
"""

GYM = """
import numpy as np
import dolmen as dm
import dolmen.gym as dg
env = dg.pendulum(render_mode="rgb_array")
seen, info = env.reset(seed=1)
seen, reward, ended, truncated, info = env.step(dg.swing_up(seen))
many = dg.VectorEnv(dg.pendulum, 3, jobs=2)
rows: np.ndarray = many.reset(seed=1)[0]
own = dg.SceneEnv("pendulum.toml", observe=dg.observe_contacts, terminated=lambda s: s.time > 1, driver=dm.Fixed)
"""

WRONG = ["import dolmen as dm\ndm.Sphere('x')\n", "import dolmen as dm\ndm.Exact(3)\n", "import dolmen as dm\ndm.nothing\n"]


def check(tmp_path, text):
    file = tmp_path / "program.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)


def test_a_right_program_passes(tmp_path):
    done = check(tmp_path, RIGHT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_with_environments_passes(tmp_path):
    pytest.importorskip("gymnasium")
    done = check(tmp_path, GYM)
    assert done.returncode == 0, done.stdout + done.stderr


# What the stubs leave out on purpose.
ALLOWED = r"""
dolmen\.(Driver|Run|World)
dolmen\.Page\.__init__
dolmen\._sweep\._plan
dolmen\.gym\.(LEG|FOOT|STIFFNESS|DAMPING)
"""


@pytest.mark.long
def test_the_stubs_have_the_arguments_that_the_package_has(tmp_path):
    pytest.importorskip("gymnasium")
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(ALLOWED)
    command = [sys.executable, "-m", "mypy.stubtest", "dolmen", "--ignore-missing-stub", "--concise"]
    command += ["--ignore-unused-allowlist", "--allowlist", str(allowed)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_programs_do_not(tmp_path):
    for text in WRONG:
        assert check(tmp_path, text).returncode == 1, text


def test_the_stubs_name_all_kinds_of_events():
    import dolmen

    with pytest.raises(dolmen.InputError) as caught:
        dolmen.Exact(dolmen.WorldBuilder().build()).next_event("?", until=1)
    kinds = str(caught.value).split("give one of ")[1].split(", ")
    stub = (Path(dolmen.__file__).parent / "__init__.pyi").read_text()
    named = stub.split("_Kind = Literal[")[1].split("]")[0].replace('"', "").replace(",", " ").split()
    assert sorted(named) == sorted(kinds)


def test_the_stubs_name_what_the_package_has():
    import dolmen

    stub = (Path(dolmen.__file__).parent / "__init__.pyi").read_text()
    for name in dolmen.__all__:
        assert f"class {name}" in stub or f"def {name}" in stub or f" as {name}" in stub or f"{name}:" in stub, name
    for name in [name for name in dir(dolmen.Exact) + dir(dolmen.Fixed) + dir(dolmen.Run) if not name.startswith("_")]:
        assert f"def {name}(" in stub, name
