"""What can go wrong."""

import builtins


class Error(Exception):
    """Something went wrong: the text says what, where and what to do.

    ``run`` is what was recorded until then, if `Exact.record` was stopped; else None.
    """

    run = None


class InputError(Error, ValueError):
    """An argument or a snapshot is not one that can be used."""


class SceneError(InputError):
    """A scene is wrong: every mistake with its file, line and column, as `dolmen check` shows it."""


class LawError(Error):
    """A law was broken, and the simulation is strict."""


class LawWarning(UserWarning):
    """A law was broken: results from there on are not to be trusted."""


class ImportNote(UserWarning):
    """A file of another format says something that the scene made of it does not."""


class UnsupportedError(Error, NotImplementedError):
    """The driver does not have this."""


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001
    """A call took longer than its `timeout`."""

    def __init__(self, text: str = "the call took longer than its timeout") -> None:
        super().__init__(text)
