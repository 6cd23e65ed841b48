"""Single numbers that a program gives."""

import operator

from dolmen._errors import InputError


def whole(value, name, least=None):
    """A whole number of any type."""
    try:
        found = operator.index(value)
    except TypeError:
        raise InputError(f"{name} = {value!r}: give a whole number") from None
    if least is not None and found < least:
        raise InputError(f"{name} = {found}: give at least {('zero', 'one')[least]}")
    return found


def number(value, name):
    """A real number of any type."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} = {value!r}: give a number") from None
