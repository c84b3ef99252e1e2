"""Makes a function that differs smaller: its first value that differs."""

import multiprocessing

import numpy as np

from . import batch

_INPUTS_SHOWN = 40


def reduced(seed, derivative=False):
    """Text of the smallest function found, what is wrong, and its inputs.

    Each value that the function computes is made its only result, in the order of
    the program; the first such function that differs is the answer.
    """
    job = batch.Job(seed, derivative)
    kept, _ = job.program.needed(job.results)
    values = [v for i in kept for v in i.results
              if v.kind in ("f" if derivative else "fi") and v.dims is not None
              and "tensor.empty" not in i.text]
    for value in values:
        smaller = batch.Job(seed, derivative, job.program, [value])
        wrong = _in_a_process(smaller)
        if wrong:
            return _described(smaller, wrong)
    return _described(job, "only as a whole")


def _in_a_process(job):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(False)
    process = context.Process(target=_work, args=(theirs, job))
    process.start()
    theirs.close()
    try:
        wrong = ours.recv()
    except EOFError:
        wrong = "crash"
    process.join()
    return wrong


def _work(pipe, job):
    report = batch.run_jobs([job], {})
    pipe.send(report.differences[0][1] if report.differences else None)
    pipe.close()


def _described(job, wrong):
    lines = [f"reduced: {wrong}", job.text.rstrip()]
    for i, array in enumerate(job.inputs):
        values = np.array2string(array.reshape(-1)[:_INPUTS_SHOWN],
                                 max_line_width=100)
        lines.append(f"input {i} {array.shape}: {values}")
    return "\n".join(lines)
