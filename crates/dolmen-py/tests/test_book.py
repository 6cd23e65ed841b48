"""The Python of the book runs, in the order of its pages, and prints what they say."""

import contextlib
import io
import os
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


def blocks(page, language):
    parts = page.read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return [part.split("```")[0] for part in parts]


def made_tosses(folder):
    """Tosses in the form of the filmed ones, simulated with the coefficients that the page finds."""
    import numpy as np

    import dolmen as dm

    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("cube", dm.Box(0.1048, 0.1048, 0.1048), mass=0.37, inertia=(0.00081, 0.00081, 0.00081))
    b.fixed("table", dm.Plane(offset=-0.0011))
    b.contact(restitution=0.38, friction=0.19)
    world, random = b.build(), np.random.default_rng(3)
    rows = ["toss,row,qw,qx,qy,qz,x,y,z,wx_body,wy_body,wz_body,vx,vy,vz"]
    # The page takes every 46th.
    for toss in range(6):
        start = np.zeros((2, 13))
        q = random.normal(size=4)
        start[0] = [0, 0, 0.3, *(q / np.linalg.norm(q)), *random.uniform(-1, 1, 2), -0.5, *random.uniform(-5, 5, 3)]
        start[1, 3] = 1
        states = dm.Exact(world, state=start).record(until=0.5, every=0.0068).states()
        for k in range(len(states["t"]) - 1):
            q, w = states["orientations"][k, 0], states["spins"][k, 0]
            # Into the frame of the body: by the conjugate.
            spin = w + 2 * np.cross(-q[1:], np.cross(-q[1:], w) + q[0] * w)
            numbers = [*q, *states["positions"][k, 0], *spin, *states["velocities"][k, 0]]
            rows.append(f"{46 * toss},{k}," + ",".join(repr(float(n)) for n in numbers))
        rows += [f"{46 * toss + other},0," + ",".join(["0"] * 13) for other in range(1, 46) if toss < 5]
    (folder / "cube-tosses").mkdir()
    (folder / "cube-tosses" / "tosses.csv").write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize("name", ["../README.md", "python.md", "from-python.md"])
def test_programs_of_the_page_run(name, tmp_path, monkeypatch):
    page = DOCS / name
    if name == "from-python.md":
        for needed in ("scipy", "matplotlib", "gymnasium"):
            pytest.importorskip(needed)
        if "DOLMEN_DATA" not in os.environ:
            made_tosses(tmp_path)
            monkeypatch.setenv("DOLMEN_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    names = {}
    printed = io.StringIO()
    programs = blocks(page, "python")
    assert programs
    with contextlib.redirect_stdout(printed):
        for program in programs:
            exec(compile(program, str(page), "exec"), names)
    assert printed.getvalue() == "".join(blocks(page, "text"))
