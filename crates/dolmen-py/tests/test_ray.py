"""Sweeps on Ray: the table of this machine, also when a worker or a node is killed in the middle."""

import os
import signal
import threading
import time

import pytest

import dolmen as dm

pytestmark = pytest.mark.long
ray = pytest.importorskip("ray")

SLOW = 0.01


def slow_measure(pids):
    """A function that Ray ships by value, as the workers do not know this file; it leaves its process in the folder `pids`."""
    pause = SLOW

    def slow(sim):
        import os
        import time

        if pids is not None:
            open(os.path.join(pids, str(os.getpid())), "w").close()
        time.sleep(pause)
        return sim.positions[0][0]

    return slow


def sweep(pids=None, **how):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("block", dm.Box(0.2, 0.2, 0.1), mass=1, position=(0, 0, 0.05), velocity=(2, 0, 0))
    b.fixed("floor", dm.Plane())
    b.contact(friction=0.3)
    vary = {"contact.friction": "0.1:0.9:500"}
    measure = {"x": "position(block).x", "own": slow_measure(pids)}
    table = dm.sweep(b.build(), vary=vary, measure=measure, until=0.5, **how)
    return {name: list(values) for name, values in table.items() if name != "cpu"}


@pytest.fixture
def cluster():
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    node = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address)
    yield cluster, node
    ray.shutdown()
    cluster.shutdown()


def swept_with(kill, tmp_path):
    """The table of a sweep on Ray, in the middle of which something is killed."""
    out, pids, killed = tmp_path / "out", tmp_path / "pids", []
    pids.mkdir()

    def wait():
        # When a tenth of the parts is there.
        while len(list(out.glob("part-*.parquet"))) < 25:
            time.sleep(0.05)
        killed.append(kill([int(file.name) for file in pids.iterdir()]))

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    table = sweep(pids=str(pids), on="ray", out=out)
    thread.join()
    assert killed, "nothing was killed"
    return table


def test_the_table_survives_a_worker_that_is_killed(cluster, tmp_path):
    def kill(pids):
        os.kill(pids[0], signal.SIGKILL)
        return pids[0]

    assert swept_with(kill, tmp_path) == sweep(jobs=2)


def test_a_part_that_kills_its_worker_ends_the_sweep(cluster, tmp_path):
    def deadly(sim):
        import os

        if sim.world.gravity[2] < -5:
            os._exit(1)
        return 0.0

    b = dm.WorldBuilder()
    b.body("ball", dm.Sphere(0.1), mass=1)
    how = dict(measure={"x": deadly}, until=0.1, out=tmp_path / "out", on="ray")
    with pytest.raises(dm.Error, match="part 1 failed on Ray"):
        dm.sweep(b.build(), vary={"gravity": [(0, 0, -1), (0, 0, -9), (0, 0, -2)]}, **how)


def test_the_table_survives_a_node_that_is_killed(cluster, tmp_path):
    _, node = cluster

    def kill(pids):
        raylet = node.all_processes["raylet"][0].process.pid
        os.kill(raylet, signal.SIGKILL)
        return raylet

    assert swept_with(kill, tmp_path) == sweep(jobs=2)
