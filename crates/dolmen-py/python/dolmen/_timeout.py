"""Ends functions that take too long."""

import ctypes
import threading

from dolmen._errors import TimeoutError


def raise_in(thread, exception):
    """Raises an exception of this class in another thread, at its next instruction of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def call(function, simulation, seconds):
    """Calls a controller, which has so many seconds."""
    timer = threading.Timer(seconds, raise_in, (threading.get_ident(), TimeoutError))
    timer.daemon = True
    timer.start()
    try:
        return function(simulation)
    finally:
        timer.cancel()
