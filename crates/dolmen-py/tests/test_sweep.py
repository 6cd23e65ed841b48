"""Sweeps from Python: closed forms, functions as measures, going on, Ray if it is there."""

import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import dolmen as dm


def sliding():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("block", dm.Box(0.2, 0.2, 0.1), mass=1, position=(0, 0, 0.05), velocity=(2, 0, 0))
    b.fixed("floor", dm.Plane())
    b.contact(friction=0.3)
    b.duration(2.0)
    return b.build()


def test_a_grid_gives_the_closed_form_by_expression_and_by_function():
    friction = np.linspace(0.2, 0.8, 7)
    table = dm.sweep(
        sliding(),
        vary={"contact.friction": friction, "body.block.velocity": [(1, 0, 0), (2, 0, 0)]},
        measure={"x": "position(block).x", "own": lambda sim: sim.positions[0][0]},
        jobs=2,
    )
    assert table.rows == 14 and set(table["status"]) == {"done"}
    wanted = table["body.block.velocity.x"] ** 2 / (2 * table["contact.friction"] * 9.81)
    assert np.allclose(table["x"], wanted, atol=1e-9) and (table["x"] == table["own"]).all()


def test_a_sweep_goes_on_and_samples_are_those_of_the_seed(tmp_path):
    how = dict(
        vary={"contact.friction": dm.Range(0.1, 0.9, log=True), "body.block.mass": dm.Range(1, 3)},
        measure={"x": "position(block).x"},
        until=0.5,
        latin=60,
        seed=4,
    )
    whole = dm.sweep(sliding(), **how, jobs=1)
    out = tmp_path / "out"
    dm.sweep(sliding(), **how, out=out)
    for part in sorted(out.glob("part-*"))[::2]:
        os.remove(part)
    again = dm.sweep(sliding(), **how, out=out, jobs=3)
    for name in whole:
        if name != "cpu":
            assert list(whole[name]) == list(again[name]), name
    with pytest.raises(dm.InputError, match="holds another sweep"):
        dm.sweep(sliding(), **{**how, "seed": 5}, out=out)
    dm.sweep(sliding(), **{**how, "seed": 5}, out=out, resume=False)


SLOW = """
import sys, time
import dolmen as dm

def slow(sim):
    time.sleep(0.01)
    return sim.positions[0][0]

dm.sweep(dm.loads(sys.argv[1]), vary={"contact.friction": "0.1:0.9:300"}, measure={"x": slow}, until=0.2, out=sys.argv[2], jobs=2)
"""


def test_a_sweep_that_is_killed_goes_on_where_it_was(tmp_path):
    out, scene = tmp_path / "out", sliding().to_toml()
    parts = lambda: {file.name: file.stat().st_mtime_ns for file in out.glob("part-*.parquet")}
    process = subprocess.Popen([sys.executable, "-c", SLOW, scene, str(out)])
    deadline = time.monotonic() + 60
    while len(parts()) < 10 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = parts()
    assert 10 <= len(before) < 150, len(before)
    how = dict(vary={"contact.friction": "0.1:0.9:300"}, measure={"x": lambda sim: sim.positions[0][0]}, until=0.2)
    # Under the name that the process had.
    again = dm.sweep(dm.loads(scene), **how, out=out, jobs=3)
    assert all(parts()[name] == when for name, when in before.items())
    whole = dm.sweep(dm.loads(scene), **how, jobs=1)
    assert all(list(again[name]) == list(whole[name]) for name in whole if name != "cpu")
    assert list(again["variant"]) == list(range(300))


def test_a_variant_that_fails_is_a_row():
    def wrong(sim):
        raise ZeroDivisionError("mine")

    table = dm.sweep(
        sliding(),
        vary=[{"body.block.mass": 1.0}, {"body.block.mass": -1.0}],
        measure={"x": "position(block).x", "own": wrong},
    )
    assert table["status"] == ["done", "refused"]
    assert "mine" in table["reason"][0] and "mass" in table["reason"][1]
    assert math.isnan(table["own"][0]) and not math.isnan(table["x"][0]) and math.isnan(table["x"][1])


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (dict(vary={}), "nothing varies"),
        (dict(vary={"contact.frction": [1]}), "did you mean"),
        (dict(vary={"contact.friction": []}), "at least one"),
        (dict(vary={"contact.friction": [object()]}), "no value of a scene"),
        (dict(measure={"x": 3}), "neither"),
        (dict(measure={}), "dictionary"),
        (dict(measure={"x": "position(blok).x"}), "there is no body"),
        (dict(until=float("nan")), "finite"),
        (dict(jobs=0), "at least one"),
        (dict(on="slurm"), "ray"),
        (dict(random=3, latin=3), "one of them"),
    ],
)
def test_wrong_input_is_refused(given, match):
    how = dict(vary={"contact.friction": [0.1]}, measure={"x": "position(block).x"})
    with pytest.raises(dm.InputError, match=match):
        dm.sweep(sliding(), **{**how, **given})


def test_a_missing_ray_is_said():
    try:
        import ray  # noqa: F401
    except ImportError:
        with pytest.raises(dm.Error, match=r"dolmen\[ray\]"):
            dm.sweep(sliding(), vary={"contact.friction": [0.1]}, measure={"x": "position(block).x"}, on="ray")
    else:
        pytest.skip("Ray is installed")


def test_tables_are_taken_over_by_other_packages():
    pyarrow = pytest.importorskip("pyarrow")
    run = dm.Exact(dm.load("bouncing-ball")).record(until=1.0, every=0.25)
    table = run.table("states")
    assert table.rows == 10 and table["body"][:2] == ["ball", "floor"]
    taken = pyarrow.table(table)
    assert taken.num_rows == 10 and taken["body"].to_pylist() == table["body"]
    assert (taken["z"].to_numpy() == table["z"]).all()
    del table
    assert taken["z"].to_pylist()[0] == 1.0 or taken["z"].to_pylist()[0] > 0
    empty = pyarrow.table(dm.Exact(dm.load("bouncing-ball")).record(until=0.1, every=0.1).table("events"))
    assert empty.num_rows == 0


def test_tables_of_odd_columns_are_taken_over_or_refused():
    pyarrow = pytest.importorskip("pyarrow")
    columns = {
        "single": np.arange(6, dtype=np.float32)[::-2],
        "small": np.arange(3, dtype=np.uint8),
        "is": np.array([True, False, True]),
        "list": [1, 2.5, 3],
        "text": ["a", "", "ü"],
    }
    taken = pyarrow.table(dm.Table(columns))
    for name, values in columns.items():
        assert taken[name].to_pylist() == list(values), name
    # Streams that are opened and not read.
    for _ in range(3):
        dm.Table(columns).__arrow_c_stream__()
    for wrong in ({"a": [1, 2], "b": [1]}, {"a": np.zeros((2, 2))}, {"a": np.zeros(2, complex)}, {"a": ["x", 1]}, {3: [1]}, {"a": np.zeros(1, np.uint64)}):
        with pytest.raises(dm.InputError, match="column"):
            dm.Table(wrong)


def test_a_sweep_that_begins_anew_leaves_other_files(tmp_path):
    how = dict(measure={"x": "position(block).x"}, until=0.1, out=tmp_path / "out")
    dm.sweep(sliding(), vary={"contact.friction": "0.1:0.9:40"}, **how)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    table = dm.sweep(sliding(), vary={"contact.friction": [0.2, 0.3]}, resume=False, **how)
    assert table.rows == 2 and (tmp_path / "out" / "notes.txt").read_text() == "mine"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(dm.InputError, match="holds no sweep"):
        dm.sweep(sliding(), vary={"contact.friction": [0.2]}, resume=False, **{**how, "out": tmp_path / "other"})


def test_only_the_tables_that_are_asked_for_are_saved(tmp_path):
    run = dm.Exact(dm.load("bouncing-ball")).record(until=1.0, every=0.25, tables=["states", "energy"])
    run.save(tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["energy.csv", "states.csv"]
    with pytest.raises(dm.InputError, match="no table"):
        run.table("momentum")
    with pytest.raises(dm.InputError, match="no table"):
        dm.Exact(dm.load("bouncing-ball")).record(until=1.0, every=0.25, tables=["statse"])
