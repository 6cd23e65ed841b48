"""Many variants of a scene: on the cores of this machine, or on Ray."""

import functools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping

import numpy as np

from dolmen import _dolmen
from dolmen._arrow import Table
from dolmen._errors import Error, InputError
from dolmen._numbers import number, whole
from dolmen._progress import Line


# How often a part is made again on Ray after its worker, its node or its result was lost.
RETRIES = 8


class Range:
    """Numbers between two, for samples; `log` spaces them evenly in their logarithms."""

    def __init__(self, start, stop, *, log=False):
        self.start, self.stop, self.log = number(start, "start"), number(stop, "stop"), bool(log)

    def __str__(self):
        return f"{self.start!r}:{self.stop!r}" + (":log" if self.log else "")


def _text(value):
    """A value as a scene has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_text(inner) for inner in value) + "]"
    raise InputError(f"{value!r} is no value of a scene: give numbers, vectors, texts")


def _key(key):
    if not isinstance(key, str):
        raise InputError(f"vary: {key!r} is no key of a scene, such as 'contact.friction'")
    return key


def _values(key, values):
    if isinstance(values, (str, Range)):
        return f"{key}={values}"
    if not isinstance(values, Iterable):
        raise InputError(f"{key} = {values!r}: give a list of values, a text such as '0.1:0.9:9', or a Range")
    values = [_text(value) for value in values]
    if not values:
        raise InputError(f"{key}: there are no values; give at least one")
    return f"{key}=" + ",".join(values)


@functools.lru_cache(maxsize=1)
def _plan(spec, base):
    """A plan; made once on each worker, as it tries the scene."""
    return _dolmen.Plan(spec, base)


def _progress(total, shown):
    if not shown:
        return None
    line = Line(total, "variants")

    def tell(done):
        line.tell(done)
        if done >= total:
            line.end()

    return tell


def sweep(
    scene,
    *,
    vary,
    measure,
    until=None,
    out=None,
    resume=True,
    jobs=None,
    samples=100,
    random=None,
    latin=None,
    seed=0,
    on=None,
    progress=None,
):
    """Runs all variants and returns their table.

    `vary` maps keys of the scene to lists of values, to texts as `sweep --vary` of the command takes them, or (with `random=N` or
    `latin=N`) to a `Range`; a list of dictionaries gives variants one by one. `measure` maps columns to expressions of
    `dolmen verify` or to functions of the simulation at the end. The folder `out` keeps the parts that are done: the same call
    goes on from there (`resume=False` begins anew). `on="ray"` has the parts made by Ray.
    """
    world = scene if isinstance(scene, _dolmen.World) else _dolmen.load(scene)
    name, base = world.source
    if isinstance(vary, Mapping):
        keys = [_values(_key(key), values) for key, values in vary.items()]
        design = {"kind": "grid"}
        if random is not None and latin is not None:
            raise InputError("random and latin: give one of them")
        if random is not None:
            design = {"kind": "random", "count": whole(random, "random", 1), "seed": whole(seed, "seed", 0)}
        if latin is not None:
            design = {"kind": "latin", "count": whole(latin, "latin", 1), "seed": whole(seed, "seed", 0)}
    else:
        variants = list(vary) if isinstance(vary, Iterable) and not isinstance(vary, str) else [None]
        if not all(isinstance(variant, Mapping) for variant in variants):
            raise InputError("vary: give a dictionary of keys and their values, or a list of dictionaries, one for each variant")
        keys = [_key(key) for key in variants[0]] if variants else []
        if any(list(variant) != keys for variant in variants):
            raise InputError("variants that are given one by one have the same keys in the same order")
        rows = [[_text(variant[key]) for key in keys] for variant in variants]
        design = {"kind": "rows", "rows": rows}
    if not isinstance(measure, Mapping) or not measure:
        raise InputError("measure: give a dictionary of columns, each an expression or a function")
    for column, quantity in measure.items():
        if not isinstance(column, str):
            raise InputError(f"measure: {column!r} is no name of a column")
        if not (isinstance(quantity, str) or callable(quantity)):
            raise InputError(f"measure[{column!r}] is neither an expression nor a function")
    measures = [
        {"name": column, "expression": quantity if isinstance(quantity, str) else None}
        for column, quantity in measure.items()
    ]
    functions = tuple(quantity for quantity in measure.values() if not isinstance(quantity, str))
    spec = json.dumps(
        {
            "scene": {"name": name, "text": world.text_read, "set": []},
            "vary": keys,
            "design": design,
            "measures": measures,
            "until": None if until is None else repr(number(until, "until")),
            "samples": whole(samples, "samples", 1),
        }
    )
    base = os.path.abspath(base)
    plan = _dolmen.Plan(spec, base)
    jobs = os.cpu_count() or 1 if jobs is None else whole(jobs, "jobs", 1)
    shown = sys.stderr.isatty() if progress is None else progress
    folder = tempfile.mkdtemp(prefix="dolmen-sweep-") if out is None else os.fspath(out)
    try:
        if out is None:
            os.rmdir(folder)
        elif not resume:
            _dolmen._clear_sweep(folder)
        tell = _progress(plan.variants, shown)
        if on is None:
            plan.run(folder, jobs, functions, tell)
        elif on == "ray":
            _on_ray(plan, spec, base, functions, folder, tell)
        else:
            raise InputError(f"on = {on!r}: give 'ray', or None for this machine")
        return Table(_dolmen._read_sweep(folder))
    finally:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)


def _on_ray(plan, spec, base, functions, folder, tell):
    """Has the missing parts made by Ray: the scene is shipped once, parts are tasks that Ray repeats when a worker or a node is
    lost, and no more are under way than the cluster has processors for, twice over."""
    try:
        import ray
    except ImportError as error:
        raise Error("on='ray' needs Ray: pip install 'dolmen[ray]'") from error
    if not ray.is_initialized():
        ray.init(logging_level="warning")

    @ray.remote(max_retries=RETRIES, retry_exceptions=False, num_cpus=1)
    def make(shipped, part):
        spec, base, functions = shipped
        return part, _plan(spec, base).part(part, functions)

    lock, missing = plan.open(folder)
    shipped = ray.put((spec, base, functions))
    waiting, under_way = list(reversed(missing)), {}
    total, done, lost = plan.parts, plan.parts - len(missing), []
    try:
        while waiting or under_way:
            # The size of a cluster changes.
            most = max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))
            while waiting and len(under_way) < most:
                part = waiting.pop()
                under_way[make.remote(shipped, part)] = part
            ready, _ = ray.wait(list(under_way), num_returns=1, timeout=10)
            for reference in ready:
                asked = under_way.pop(reference)
                try:
                    part, made = ray.get(reference)
                except ray.exceptions.RayError as error:
                    # What was made went with the node that kept it; what a function or a worker does wrong it does again.
                    is_lost = isinstance(error, ray.exceptions.ObjectLostError)
                    if not is_lost or lost.count(asked) == RETRIES:
                        raise Error(
                            f"part {asked} failed on Ray, {RETRIES + 1} times if its worker died: {error}\n"
                            "  help: leave its variants out, or give workers more memory; the same call goes on from here"
                        ) from error
                    lost.append(asked)
                    waiting.append(asked)
                    continue
                _dolmen._write_part(folder, part, made)
                done += 1
                if tell:
                    tell(done * plan.variants // total)
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)
        del lock
