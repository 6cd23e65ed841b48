"""Ends functions that take too long."""

import ctypes
import threading

from dolmen._errors import TimeoutError


def raise_in(thread, exception):
    """Raises an exception of this class in another thread, at its next instruction of Python; None takes it back."""
    exception = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


def call(function, simulation, seconds):
    """Calls a controller, which has so many seconds."""
    thread, lock, state = threading.get_ident(), threading.Lock(), {"running": True, "late": False}

    def stop():
        with lock:
            if state["running"]:
                state["late"] = True
                raise_in(thread, TimeoutError)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        return function(simulation)
    finally:
        with lock:
            state["running"] = False
        timer.cancel()
        if state["late"]:
            # It may not have come yet, and must not come to somebody else.
            raise_in(thread, None)
            raise TimeoutError
