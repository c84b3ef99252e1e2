"""A session of the runtime library, through its C API.

As a program it runs one bundle on several inputs in one process, see `main`.
"""

import ctypes
import json
import sys

import numpy as np

_TYPES = {np.dtype(np.float32): 0, np.dtype(np.int32): 1}
_LARGEST_RANK = 8
_VALIDATION_SYNC = 2


class _Tensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p),
                ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("type", ctypes.c_int)]


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_int),
                ("pipeline_cache_dir", ctypes.c_char_p),
                ("validation", ctypes.c_int), ("profile", ctypes.c_int)]


class _ProgramInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("num_inputs", ctypes.c_size_t),
                ("inputs", ctypes.POINTER(_Tensor)),
                ("num_outputs", ctypes.c_size_t),
                ("outputs", ctypes.POINTER(_Tensor))]


class _Statistics(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64)
        for name in ("recordings", "pipelines", "submits", "waits")]


class Session:
    """Runs the programs of a bundle; errors are RuntimeErrors.

    With `validate`, so is any message of synchronization validation.
    """

    def __init__(self, library, bundle, validate=False):
        self._api = ctypes.CDLL(str(library))
        self._api.moe_status_message.restype = ctypes.c_char_p
        for name in ("session_create", "session_run", "session_program",
                     "session_output_shape"):
            getattr(self._api, f"moe_{name}").restype = ctypes.c_void_p
        self._session = ctypes.c_void_p()
        data = bundle.read_bytes() if hasattr(bundle, "read_bytes") else bundle
        options = _Options(ctypes.sizeof(_Options), -1, None,
                           _VALIDATION_SYNC if validate else 0, 0)
        self._check(self._api.moe_session_create(
            data, ctypes.c_size_t(len(data)), ctypes.byref(options),
            ctypes.byref(self._session)))
        self._api.moe_session_num_programs.restype = ctypes.c_size_t
        self._programs = {}
        for index in range(self._api.moe_session_num_programs(self._session)):
            info = _ProgramInfo(ctypes.sizeof(_ProgramInfo))
            self._check(self._api.moe_session_program(
                self._session, ctypes.c_size_t(index), ctypes.byref(info)))
            self._programs[info.name.decode()] = (ctypes.c_size_t(index), info)

    def close(self):
        self._api.moe_session_destroy(self._session)

    def run(self, *inputs, entry=None):
        """Give the results for these arrays, as a list.

        Without an entry, the first function is run.
        """
        program, info = self._programs[entry or next(iter(self._programs))]
        given = self._tensors(inputs)
        outputs = []
        for i in range(info.num_outputs):
            shape = (ctypes.c_int64 * _LARGEST_RANK)()
            self._check(self._api.moe_session_output_shape(
                self._session, program, given,
                ctypes.c_size_t(len(inputs)), ctypes.c_size_t(i), shape))
            like = info.outputs[i]
            dtype = next(key for key, value in _TYPES.items()
                         if value == like.type)
            outputs.append(np.full(shape[:like.rank], -77, dtype))
        self._check(self._api.moe_session_run(
            self._session, program, given,
            ctypes.c_size_t(len(inputs)), self._tensors(outputs),
            ctypes.c_size_t(len(outputs))))
        return outputs

    def statistics(self):
        """Count what the session has asked of the device so far."""
        result = _Statistics(ctypes.sizeof(_Statistics))
        self._api.moe_session_statistics(self._session, ctypes.byref(result))
        return {name: getattr(result, name)
                for name, _ in _Statistics._fields_[1:]}

    def _tensors(self, arrays):
        shapes = [(ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
                  for array in arrays]
        return (_Tensor * max(len(arrays), 1))(*[
            _Tensor(ctypes.sizeof(_Tensor), array.ctypes.data, array.ndim,
                    shape, _TYPES[array.dtype])
            for array, shape in zip(arrays, shapes)])

    def _check(self, status):
        if status:
            status = ctypes.c_void_p(status)
            message = self._api.moe_status_message(status).decode(
                errors="replace")
            self._api.moe_status_destroy(status)
            raise RuntimeError(message)


def main(library, bundle, inputs, runs, outputs):
    """Run on some rows of the first input, for each entry of `runs`.

    Parameters
    ----------
    library, bundle, inputs, outputs : str
        Files; both arrays are archives of NumPy.
    runs : str
        Separated by commas: "7" for the first seven rows, "7:9" for two more.

    Prints the statistics after each run, a JSON object a line.
    """
    with np.load(inputs) as archive:
        first, *others = archive.values()
    with open(bundle, "rb") as file:
        session = Session(library, file.read())
    results = {}
    for i, rows in enumerate(runs.split(",")):
        rows = slice(*map(int, rows.split(":")))
        given = [np.ascontiguousarray(first[rows]), *others]
        for j, result in enumerate(session.run(*given)):
            results[f"{i}_{j}"] = result
        print(json.dumps(session.statistics()), flush=True)
    session.close()
    np.savez(outputs, **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
