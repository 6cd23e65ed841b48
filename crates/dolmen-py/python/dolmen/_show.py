"""Pictures, pages and many runs at once."""

import html
import os

import numpy as np

from dolmen import _dolmen
from dolmen._errors import InputError
from dolmen._numbers import number, whole


def render(simulation, width=640, height=480):
    """The present as an image: an array (height, width, 3) of bytes, made without a display."""
    if not isinstance(simulation, _dolmen.Driver):
        raise InputError(f"a {type(simulation).__name__} is no simulation: give one, such as dolmen.Exact(world)")
    width, height = whole(width, "width"), whole(height, "height")
    if min(width, height) < 1:
        raise InputError(f"width and height of {width} x {height}: give pixels, at least one")
    return np.frombuffer(simulation._picture(width, height), np.uint8).reshape(height, width, 3)


class Page:
    """The viewer's replay of a run, for a notebook cell; `save` writes it as a file that opens in a browser."""

    def __init__(self, text):
        self._text = text

    def save(self, path):
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)

    def _repr_html_(self):
        return f'<iframe style="width:100%;height:540px;border:0" srcdoc="{html.escape(self._text)}"></iframe>'


def show(run):
    """The viewer's replay of a run, in a notebook cell."""
    if not isinstance(run, _dolmen.Run):
        raise InputError(f"a {type(run).__name__} is no run: give what `record` returned")
    return Page(run._page())


def rollout(world, states, controls, *, step, jobs=None, driver=_dolmen.Exact):
    """Runs k states (k, n, 13) under k rows of targets (k, steps, motors), each held for `step` seconds, on all cores.

    Gives `states` (k, steps + 1, n, 13) and `errors`, k texts or None; what comes after an error is NaN. The numbers do not
    depend on `jobs`. Rows of `states` are those of `Exact.state`; targets are in the order of `world.motors`. `driver` makes a
    simulation of a world, such as `functools.partial(dolmen.Fixed, step=1/500)`.
    """
    jobs = os.cpu_count() or 1 if jobs is None else whole(jobs, "jobs", 1)
    like = None if driver is _dolmen.Exact else driver(world)
    if not (like is None or isinstance(like, _dolmen.Driver)):
        raise InputError("driver: give something that makes a simulation of a world, such as dolmen.Fixed")
    return _dolmen._rollout(world, states, controls, number(step, "step"), jobs, like)
