"""Tables that other packages take over without copies: the Arrow C stream interface, by NumPy and ctypes alone.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html.
"""

import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from collections.abc import Iterator, Mapping

import numpy as np


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


def _column(values):
    """Format, buffers and what they lie in."""
    if isinstance(values, np.ndarray):
        values = np.ascontiguousarray(values)
        form = {"f": b"g", "i": b"l"}[values.dtype.kind]
        return form, [None, values.ctypes.data], values
    texts = [text.encode() for text in values]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    data = np.frombuffer(b"".join(texts) + b"\0", np.uint8)
    return b"U", [None, offsets.ctypes.data, data.ctypes.data], (offsets, data)


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
        self._columns = dict(columns)

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
        rows, is_read = self.rows, [False]

        def get_schema(_, out):
            children = [_Schema() for _ in columns]
            for child, (name, form, _, _) in zip(children, columns, strict=True):
                _fill_schema(child, form, name)
            _fill_schema(out.contents, b"+s", b"", children)
            return 0

        def get_next(_, out):
            if is_read[0]:
                out.contents.release = _ReleaseArray()
                return 0
            is_read[0] = True
            children = [_Array() for _ in columns]
            for child, (_, _, buffers, keep) in zip(children, columns, strict=True):
                _fill_array(child, rows, buffers, keep=keep)
            _fill_array(out.contents, rows, [None], children)
            return 0

        def release(pointer):
            _kept.pop(pointer.contents.private_data, None)
            pointer.contents.release = _ReleaseStream()

        stream = _Stream()
        functions = _GetSchema(get_schema), _GetNext(get_next), _GetError(lambda _: None), _ReleaseStream(release)
        stream.get_schema, stream.get_next, stream.get_last_error, stream.release = functions
        stream.private_data = _keep(functions)
        address = ctypes.addressof(stream)
        _kept[-address] = stream
        return _new_capsule(address, b"arrow_array_stream", ctypes.cast(_drop_stream, c_void_p))
