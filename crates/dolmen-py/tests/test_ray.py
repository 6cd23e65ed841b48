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


def slow_measure():
    """A function that Ray ships by value: the workers do not know this file."""
    pause = SLOW

    def slow(sim):
        import time

        time.sleep(pause)
        return sim.positions[0][0]

    return slow


def sweep(**how):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("block", dm.Box(0.2, 0.2, 0.1), mass=1, position=(0, 0, 0.05), velocity=(2, 0, 0))
    b.fixed("floor", dm.Plane())
    b.contact(friction=0.3)
    vary = {"contact.friction": "0.1:0.9:500"}
    table = dm.sweep(b.build(), vary=vary, measure={"x": "position(block).x", "own": slow_measure()}, until=0.5, **how)
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


def in_the_middle(out, kill):
    """Kills something when a tenth of the parts is there."""

    def wait():
        while len(list(out.glob("part-*.parquet"))) < 25:
            time.sleep(0.05)
        kill()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_the_table_survives_a_worker_that_is_killed(cluster, tmp_path):
    from ray.util.state import list_workers

    def kill():
        workers = [w for w in list_workers(filters=[("worker_type", "=", "WORKER"), ("is_alive", "=", "True")])]
        os.kill(workers[0].pid, signal.SIGKILL)

    out = tmp_path / "out"
    killer = in_the_middle(out, kill)
    table = sweep(on="ray", out=out)
    killer.join()
    assert table == sweep(jobs=2)


def test_the_table_survives_a_node_that_is_killed(cluster, tmp_path):
    _, node = cluster

    def kill():
        os.kill(node.all_processes["raylet"][0].process.pid, signal.SIGKILL)

    out = tmp_path / "out"
    killer = in_the_middle(out, kill)
    table = sweep(on="ray", out=out)
    killer.join()
    assert table == sweep(jobs=2)
