"""Pictures, pages and many runs at once."""

import html
import os

import numpy as np

from dolmen import _dolmen
from dolmen._errors import InputError


def render(simulation, width=640, height=480):
    """The present as an image: an array (height, width, 3) of bytes, made without a display."""
    pixels = simulation._picture(int(width), int(height))
    return np.frombuffer(pixels, np.uint8).reshape(int(height), int(width), 3)


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
    return Page(run._page())


def rollout(world, states, controls, *, step, jobs=None):
    """Runs k states (k, n, 13) under k rows of targets (k, steps, motors), each held for `step` seconds, on all cores.

    Gives `states` (k, steps + 1, n, 13) and `errors`, k texts or None. The numbers do not depend on `jobs`. Rows of `states` are
    those of `Exact.state`; targets are in the order of `world.motors`.
    """
    arrays = []
    for name, given in (("states", states), ("controls", controls)):
        try:
            array = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: {error}") from None
        if array.ndim != 3:
            raise InputError(f"{name} of {array.ndim} dimensions: give three")
        if not np.isfinite(array).all():
            raise InputError(f"{name}: a number is not finite")
        arrays.append(array)
    return _dolmen._rollout(world, *arrays, float(step), os.cpu_count() or 1 if jobs is None else int(jobs))
