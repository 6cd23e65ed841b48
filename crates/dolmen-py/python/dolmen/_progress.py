"""A line that says how far a long call is; none where nobody looks."""

import sys
import time

# Shorter calls need no line, s.
SHORT = 1.0


class Line:
    """Rewrites a line of the terminal, a few times a second."""

    def __init__(self, end, unit, out=None):
        self._start, self._end, self._unit = None, end, unit
        self._out = sys.stderr if out is None else out
        self._began = time.monotonic()
        self._last = self._began + SHORT
        self._shown = 0

    def tell(self, now):
        """Says that `now` is reached; the first time, that it begins there."""
        if self._start is None:
            self._start = now
        clock = time.monotonic()
        if clock < self._last:
            return
        self._last = clock + 0.2
        done, whole = now - self._start, self._end - self._start
        text = f"{now:.6g} of {self._end:.6g} {self._unit}"
        if 0 < done <= whole:
            rate = done / (clock - self._began)
            text += f", {100 * done / whole:.0f} %, {rate:.3g} {self._unit} a second, {(whole - done) / rate:.0f} s left"
        self._out.write("\r" + text.ljust(self._shown))
        self._out.flush()
        self._shown = len(text)

    def end(self):
        """Takes the line away."""
        if self._shown:
            self._out.write("\r" + " " * self._shown + "\r")
            self._out.flush()


def bar(end):
    """A line for a simulation up to a time, or None if nobody would see it."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return Line(end, "s of simulated time") if terminal else None
