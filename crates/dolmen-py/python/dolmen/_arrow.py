"""Tables that other packages take over without copies: the Arrow C stream interface, by NumPy and ctypes alone.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html.
"""

import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from collections.abc import Iterator, Mapping

import numpy as np

from dolmen._errors import InputError


class _Schema(Structure):
    pass


class _Array(Structure):
    pass


class _Stream(Structure):
    pass


_ReleaseSchema = CFUNCTYPE(None, POINTER(_Schema))
_ReleaseArray = CFUNCTYPE(None, POINTER(_Array))
_GetSchema = CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))
_GetNext = CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))
_GetError = CFUNCTYPE(c_void_p, POINTER(_Stream))
_ReleaseStream = CFUNCTYPE(None, POINTER(_Stream))

_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", _ReleaseSchema),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", _ReleaseArray),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", _GetError),
    ("release", _ReleaseStream),
    ("private_data", c_void_p),
]

# What a structure that was handed out needs to stay in memory, by a number in its `private_data`.
_kept: dict[int, object] = {}
_numbers = itertools.count(1)


def _keep(thing):
    number = next(_numbers)
    _kept[number] = thing
    return number


@_ReleaseSchema
def _release_schema(pointer):
    schema = pointer.contents
    for i in range(schema.n_children):
        child = schema.children[i]
        if child.contents.release:
            child.contents.release(child)
    _kept.pop(schema.private_data, None)
    schema.release = _ReleaseSchema()


@_ReleaseArray
def _release_array(pointer):
    array = pointer.contents
    for i in range(array.n_children):
        child = array.children[i]
        if child.contents.release:
            child.contents.release(child)
    _kept.pop(array.private_data, None)
    array.release = _ReleaseArray()


def _fill_schema(schema, form, name, children=()):
    pointers = (POINTER(_Schema) * max(len(children), 1))(*[ctypes.pointer(child) for child in children])
    schema.format, schema.name, schema.metadata = form, name, None
    schema.flags, schema.n_children = 0, len(children)
    schema.children = pointers if children else None
    schema.dictionary = None
    schema.release = _release_schema
    schema.private_data = _keep((form, name, children, pointers))


def _fill_array(array, length, buffers, children=(), keep=()):
    held = (c_void_p * max(len(buffers), 1))(*buffers)
    pointers = (POINTER(_Array) * max(len(children), 1))(*[ctypes.pointer(child) for child in children])
    array.length, array.null_count, array.offset = length, 0, 0
    array.n_buffers, array.n_children = len(buffers), len(children)
    array.buffers = held
    array.children = pointers if children else None
    array.dictionary = None
    array.release = _release_array
    array.private_data = _keep((held, children, pointers, keep))


def _checked(name, values):
    """A column as an array of numbers or a list of texts."""
    if not isinstance(name, str):
        raise InputError(f"column {name!r}: give a text as its name")
    if not isinstance(values, np.ndarray):
        values = list(values)
        if all(isinstance(value, str) for value in values):
            return values
        values = np.asarray(values)
    if values.ndim != 1 or not (values.dtype.kind == "f" or np.can_cast(values.dtype, np.int64)):
        raise InputError(f"column {name!r} is an array {values.shape} of {values.dtype}: give a list of texts or of real numbers")
    return values


def _column(values):
    """Format, buffers and what they lie in."""
    if isinstance(values, np.ndarray):
        form, kind = (b"g", np.float64) if values.dtype.kind == "f" else (b"l", np.int64)
        values = np.ascontiguousarray(values, kind)
        return form, [None, values.ctypes.data], values
    texts = [text.encode() for text in values]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    data = np.frombuffer(b"".join(texts) + b"\0", np.uint8)
    return b"U", [None, offsets.ctypes.data, data.ctypes.data], (offsets, data)


class _Source:
    """What a stream gives: one batch of all rows."""

    def __init__(self, columns, rows):
        self.columns, self.rows, self.is_read = columns, rows, False


@_GetSchema
def _get_schema(stream, out):
    source = _kept[stream.contents.private_data]
    children = [_Schema() for _ in source.columns]
    for child, (name, form, _, _) in zip(children, source.columns, strict=True):
        _fill_schema(child, form, name)
    _fill_schema(out.contents, b"+s", b"", children)
    return 0


@_GetNext
def _get_next(stream, out):
    source = _kept[stream.contents.private_data]
    if source.is_read:
        out.contents.release = _ReleaseArray()
        return 0
    source.is_read = True
    children = [_Array() for _ in source.columns]
    for child, (_, _, buffers, keep) in zip(children, source.columns, strict=True):
        _fill_array(child, source.rows, buffers, keep=keep)
    _fill_array(out.contents, source.rows, [None], children)
    return 0


@_GetError
def _get_error(stream):
    return None


@_ReleaseStream
def _release_stream(stream):
    _kept.pop(stream.contents.private_data, None)
    stream.contents.release = _ReleaseStream()


_destructor = CFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [c_void_p, c_char_p]


@_destructor
def _drop_stream(capsule):
    # A consumer that took the stream over has set its release to none.
    address = _capsule_pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    if stream.release:
        stream.release(ctypes.pointer(stream))
    _kept.pop(-address, None)


class Table(Mapping):
    """Columns by name: arrays of numbers and lists of texts, all of one length.

    pyarrow, polars and pandas take it as it is: ``pyarrow.table(table)``, ``polars.DataFrame(table)``.
    """

    def __init__(self, columns):
        self._columns = {name: _checked(name, values) for name, values in dict(columns).items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}")

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(next(iter(self._columns.values()), ()))

    def __repr__(self):
        return f"<dolmen.Table: {self.rows} rows of {', '.join(self._columns)}>"

    def __arrow_c_stream__(self, requested_schema=None):
        columns = [(name.encode(), *_column(values)) for name, values in self._columns.items()]
        stream = _Stream()
        stream.get_schema, stream.get_next = _get_schema, _get_next
        stream.get_last_error, stream.release = _get_error, _release_stream
        stream.private_data = _keep(_Source(columns, self.rows))
        address = ctypes.addressof(stream)
        _kept[-address] = stream
        return _new_capsule(address, b"arrow_array_stream", ctypes.cast(_drop_stream, c_void_p))
