"""The runtime library: bundles on a Vulkan device, NumPy arrays in and out."""

import ctypes
from typing import NamedTuple, Tuple

import numpy as np

from .find import find_library

__all__ = ["Device", "Session", "StatusError", "devices"]

_TYPES = {0: np.dtype(np.float32), 1: np.dtype(np.int32)}
_NUMBERS = {dtype: number for number, dtype in _TYPES.items()}
_VALIDATION = {None: 0, "on": 1, "sync": 2, "gpu": 3}
_CODES = ("ok", "invalid argument", "device", "runtime fault", "validation",
          "internal")


class StatusError(RuntimeError):
    """What the runtime reports; `code` names the kind.

    Attributes
    ----------
    code : {"invalid argument", "device", "runtime fault", "validation",
            "internal"}
        A run with a "runtime fault" has changed no state.
    """

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Device(NamedTuple):
    """A Vulkan device.

    Attributes
    ----------
    name : str
    type : {"discrete", "integrated", "virtual", "cpu", "other"}
    facts : bytes
        What the compiler must know, for `moe.compiler.compile_module`.
    """

    name: str
    type: str
    facts: bytes


class _Tensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p),
                ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("type", ctypes.c_int)]


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_int),
                ("pipeline_cache_dir", ctypes.c_char_p),
                ("validation", ctypes.c_int), ("profile", ctypes.c_int),
                ("guard_bytes", ctypes.c_uint64)]


class _ProgramInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("num_inputs", ctypes.c_size_t),
                ("inputs", ctypes.POINTER(_Tensor)),
                ("num_outputs", ctypes.c_size_t),
                ("outputs", ctypes.POINTER(_Tensor)),
                ("updates", ctypes.POINTER(ctypes.c_int64))]


class _Statistics(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64)
        for name in ("recordings", "pipelines", "submits", "waits")]


class Program(NamedTuple):
    """What a session tells of a program.

    Attributes
    ----------
    name : str
    index : int
        In the bundle.
    inputs, outputs : tuple of (shape, numpy.dtype)
        None in a shape is a dynamic size.
    updates : tuple of int or None
        For each input the output that updates it in place: it is state.
    """

    name: str
    index: int
    inputs: Tuple
    outputs: Tuple
    updates: Tuple


def _tensor(array, sizes, rank, dtype):
    """The C struct of an array, or of one without data."""
    return _Tensor(ctypes.sizeof(_Tensor),
                   None if array is None else array.ctypes.data, rank, sizes,
                   _NUMBERS[dtype])


def _load(library):
    api = ctypes.CDLL(str(library or find_library("moe-runtime")))
    for name in ("status_message", "device_name", "device_type",
                 "session_device_name"):
        getattr(api, f"moe_{name}").restype = ctypes.c_char_p
    for name in ("devices_enumerate", "session_create", "session_run",
                 "session_program", "session_output_shape", "device_facts",
                 "session_find_program"):
        getattr(api, f"moe_{name}").restype = ctypes.c_void_p
    for name in ("device_list_count", "session_num_programs"):
        getattr(api, f"moe_{name}").restype = ctypes.c_size_t
    return api


def _check(api, status):
    if not status:
        return
    status = ctypes.c_void_p(status)
    message = api.moe_status_message(status).decode(errors="replace")
    code = _CODES[api.moe_status_get_code(status)]
    api.moe_status_destroy(status)
    raise StatusError(message, code)


def devices(*, library=None):
    """List the machine's devices.

    Returns
    -------
    (list of Device, int or None)
        The devices, and the number of the one that a session takes by default.
    """
    api, handle = _load(library), ctypes.c_void_p()
    _check(api, api.moe_devices_enumerate(ctypes.byref(handle)))
    try:
        found, size = [], ctypes.c_size_t()
        for i in range(api.moe_device_list_count(handle)):
            number = ctypes.c_size_t(i)
            facts = api.moe_device_facts(handle, number, ctypes.byref(size))
            found.append(Device(api.moe_device_name(handle, number).decode(),
                                api.moe_device_type(handle, number).decode(),
                                ctypes.string_at(facts, size.value)))
        best = api.moe_device_list_best(handle)
        return found, best if best >= 0 else None
    finally:
        api.moe_device_list_destroy(handle)


class Session:
    """A bundle loaded on a device.

    Parameters
    ----------
    bundle : bytes
        Of `moe.compiler.compile_module`, or the content of a bundle's file.
    device : int, optional
        As `devices` numbers them; the best one by default.
    validate : {"on", "sync", "gpu"} or None
        Runs under the validation layer; any message of it is an error.
    cache : str, optional
        The folder where compiled kernels are kept.
    guard_bytes : int, optional
        Bytes before and after each buffer that no kernel may change; one that
        does is a "validation" error of the run.
    library : str, optional
        The path of libmoe-runtime.so.

    Raises
    ------
    StatusError
        From here and from all methods.
    """

    def __init__(self, bundle, *, device=None, validate=None, cache=None,
                 guard_bytes=0, library=None):
        self._session = ctypes.c_void_p()
        if validate not in _VALIDATION:
            kinds = ", ".join(map(repr, _VALIDATION))
            raise StatusError(f"expected validate to be one of {kinds}, but "
                              f"got {validate!r}", "invalid argument")
        self._api = _load(library)
        options = _Options(ctypes.sizeof(_Options),
                           -1 if device is None else device,
                           None if cache is None else str(cache).encode(),
                           _VALIDATION[validate], 0, guard_bytes)
        self._check(self._api.moe_session_create(
            bundle, ctypes.c_size_t(len(bundle)), ctypes.byref(options),
            ctypes.byref(self._session)))
        count = self._api.moe_session_num_programs(self._session)
        self.programs = {program.name: program for program in
                         (self._describe(i) for i in range(count))}
        self.device = self._api.moe_session_device_name(self._session).decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Free the device; the session is of no more use."""
        if self._session:
            self._api.moe_session_destroy(self._session)
            self._session = ctypes.c_void_p()

    def run(self, name, inputs, *, wanted=None):
        """Run a program and wait for its end.

        Parameters
        ----------
        name : str
        inputs : sequence of numpy.ndarray or None
            float32 or int32. None keeps what an earlier run has left in an
            input of static shape: weights, or state that it has updated.
        wanted : collection of int, optional
            The numbers of the results to bring back; all by default. The
            others stay on the device.

        Returns
        -------
        list of numpy.ndarray or None
            The results; None for those that are not wanted.
        """
        program = self._program(name)
        given, alive = self._tensors(program, inputs)
        if wanted is not None and not set(wanted) <= set(
                range(len(program.outputs))):
            raise StatusError(f"expected to want results of '{name}' below "
                              f"{len(program.outputs)}, but got "
                              f"{sorted(wanted)}", "invalid argument")
        results, outputs, alive_outputs = self._results(program, given, wanted)
        self._check(self._api.moe_session_run(
            self._session, ctypes.c_size_t(program.index), given,
            ctypes.c_size_t(len(program.inputs)), outputs,
            ctypes.c_size_t(len(results))))
        del alive, alive_outputs
        return results

    def statistics(self):
        """Count what the session has asked of the device so far.

        Returns
        -------
        dict of str to int
            "recordings", "pipelines", "submits" and "waits".
        """
        self._check_open()
        result = _Statistics(ctypes.sizeof(_Statistics))
        self._api.moe_session_statistics(self._session, ctypes.byref(result))
        return {name: getattr(result, name)
                for name, _ in _Statistics._fields_[1:]}

    def _check_open(self):
        if not self._session:
            raise StatusError("expected an open session, but got a closed one",
                              "invalid argument")

    def _program(self, name):
        self._check_open()
        if name not in self.programs:
            self._check(self._api.moe_session_find_program(
                self._session, name.encode(), ctypes.byref(ctypes.c_size_t())))
        return self.programs[name]

    def _describe(self, index):
        info = _ProgramInfo(ctypes.sizeof(_ProgramInfo))
        self._check(self._api.moe_session_program(
            self._session, ctypes.c_size_t(index), ctypes.byref(info)))

        def tensors(count, items):
            return tuple(
                (tuple(None if n < 0 else n for n in item.shape[:item.rank]),
                 _TYPES.get(item.type)) for item in items[:count])

        updates = tuple(None if i < 0 else i
                        for i in info.updates[:info.num_inputs])
        return Program(info.name.decode(errors="replace"), index,
                       tensors(info.num_inputs, info.inputs),
                       tensors(info.num_outputs, info.outputs), updates)

    def _tensors(self, program, arrays):
        """The C structs of the inputs, and what they point to."""
        if len(arrays) != len(program.inputs):
            raise StatusError(f"expected {len(program.inputs)} inputs of "
                              f"'{program.name}', but got {len(arrays)}",
                              "invalid argument")
        items, alive = [], []
        for i, (array, (shape, dtype)) in enumerate(
                zip(arrays, program.inputs)):
            if array is None and None in shape:
                raise StatusError(
                    f"expected an array for input {i} of '{program.name}', "
                    "which has a dynamic size, but got none",
                    "invalid argument")
            if array is not None:
                array = np.asarray(array)
                if array.dtype not in _NUMBERS:
                    raise StatusError(
                        f"expected input {i} of '{program.name}' to be "
                        f"{dtype}, but got {array.dtype}", "invalid argument")
                array = np.require(array, requirements="C")
                shape, dtype = array.shape, array.dtype
            sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
            alive += [array, sizes]
            items.append(_tensor(array, sizes, len(shape), dtype))
        return (_Tensor * max(len(items), 1))(*items), alive

    def _results(self, program, given, wanted):
        """Arrays for the results, their C structs, and what those point to."""
        results, items, alive = [], [], []
        for i, (shape, dtype) in enumerate(program.outputs):
            sizes = (ctypes.c_int64 * max(len(shape), 1))()
            self._check(self._api.moe_session_output_shape(
                self._session, ctypes.c_size_t(program.index), given,
                ctypes.c_size_t(len(program.inputs)), ctypes.c_size_t(i),
                sizes))
            array = None
            if wanted is None or i in wanted:
                array = np.empty(sizes[:len(shape)], dtype)
            results.append(array)
            alive.append(sizes)
            items.append(_tensor(array, sizes, len(shape), dtype))
        return results, (_Tensor * max(len(items), 1))(*items), alive

    def _check(self, status):
        _check(self._api, status)
