"""Compiles and runs many functions at once, and counts."""

import collections
import re
import subprocess

import numpy as np
from moe.compiler import CompileError, compile_module
from moe.find import find_tool
from moe.runtime import Session, StatusError

from .compare import compare
from .generator import Generator


class Job:
    """One function, what it is run on, and what must come.

    Attributes
    ----------
    seed : int
    name : str
    text : str
        Of one function.
    """

    def __init__(self, seed, derivative=False, program=None, results=None):
        self.seed, self.name = seed, f"f{seed}"
        self.derivative = derivative
        self.program = program or Generator(seed, tame=derivative)
        self.results = results or self.program.results
        self.text = self.program.text(self.results, self.name)
        _, arguments = self.program.needed(self.results)
        self.inputs = [array for _, array in arguments]
        self.expected = [v.bounds for v in self.results]
        self.float_arguments = sum(v.kind == "f" for v, _ in arguments)
        if derivative:
            draw = np.random.default_rng(seed)
            cotangents = [draw.normal(size=v.bounds.shape).astype(np.float32)
                          for v in self.results if v.kind == "f"]
            self.inputs += cotangents
            floats = [v for v in self.results if v.kind == "f"]
            self.expected = self.expected + self.program.gradients(
                floats, cotangents)

    @property
    def entry(self):
        return self.name + "_vjp" * self.derivative

    def differentiable(self):
        return self.float_arguments and any(
            v.kind == "f" for v in self.results)


class Report:
    """What came of many functions.

    Attributes
    ----------
    counts : collections.Counter
    refused : dict of str to list of int
        Seeds by the compiler's message, without names and numbers.
    differences : list of (int, str)
        A seed, and what is wrong.
    """

    def __init__(self):
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.refused = collections.defaultdict(list)
        self.differences = []

    def merge(self, other):
        self.counts += other.counts
        self.kinds += other.kinds
        for message, seeds in other.refused.items():
            self.refused[message] += seeds
        self.differences += other.differences


def message_kind(message):
    """A diagnostic without what differs from function to function."""
    message = re.sub(r"tensor<[^>]*>", "tensor", message)
    message = re.sub(r"affine_map<.*?\)>", "map", message)
    message = re.sub(r"%\w+", "%v", message)
    return re.sub(r"-?\d+", "N", message)


def differentiate(jobs):
    """Text of the derivatives of all functions, and of those refused.

    Returns
    -------
    (str, dict of Job to str)
    """
    refused = {}
    jobs = list(jobs)
    while jobs:
        text = "".join(job.text for job in jobs)
        kept = ",".join(job.entry for job in jobs)
        done = subprocess.run(
            [find_tool("moe-opt"), "-",
             *(f"--moe-differentiate=function={job.name}" for job in jobs),
             f"--symbol-privatize=exclude={kept}", "--symbol-dce"],
            input=text, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout, jobs, refused
        job = _at_fault(text, done.stderr, jobs)
        if job is None:
            if len(jobs) == 1:
                refused[jobs[0]] = f"crash: {done.stderr[-500:]}"
                return "", [], refused
            halves = [differentiate(part) for part in (
                jobs[:len(jobs) // 2], jobs[len(jobs) // 2:])]
            return (halves[0][0] + halves[1][0], halves[0][1] + halves[1][1],
                    {**refused, **halves[0][2], **halves[1][2]})
        refused[job] = _first_error(done.stderr)
        jobs.remove(job)
    return "", [], refused


def _first_error(diagnostics):
    found = re.search(r"error: (.*)", diagnostics)
    return found.group(1) if found else diagnostics[-300:]


def _at_fault(text, diagnostics, jobs):
    """The function of the first error's line."""
    named = re.search(r":(\d+):\d+: error", diagnostics)
    if not named:
        return None
    head = text.split("\n")[:int(named.group(1))]
    for line in reversed(head):
        found = re.match(r"\s*func\.func (?:private )?@(f\d+)", line)
        if found:
            return next((j for j in jobs if j.name == found.group(1)), None)
    return None


def compile_jobs(jobs, libraries):
    """A bundle of as many as compile, those, and the others' messages."""
    jobs, refused = list(jobs), {}
    text = None
    if jobs and jobs[0].derivative:
        jobs = [job for job in jobs if job.differentiable()]
        text, jobs, refused = differentiate(jobs)
    while jobs:
        if not jobs[0].derivative:
            text = "".join(job.text for job in jobs)
        try:
            return (compile_module(text, library=libraries.get("compiler"),
                                   target=libraries.get("target")), jobs,
                    refused)
        except CompileError as error:
            job = _at_fault(text, str(error), jobs)
            if job is None:
                if len(jobs) == 1:
                    refused[jobs[0]] = _first_error(str(error))
                    return None, [], refused
                # The message has no place: each alone tells.
                for job in list(jobs):
                    _, kept, more = compile_jobs([job], libraries)
                    refused.update(more)
                    if not kept:
                        jobs.remove(job)
                if jobs and jobs[0].derivative:
                    text, jobs, more = differentiate(jobs)
                continue
            refused[job] = _first_error(str(error))
            jobs.remove(job)
            if job.derivative:
                text, jobs, more = differentiate(jobs)
                refused.update(more)
    return None, [], refused


def run_jobs(jobs, libraries, validate=None):
    """Compile, run and compare.

    Returns
    -------
    Report
    """
    report = Report()
    bundle, running, refused = compile_jobs(jobs, libraries)
    for job, message in refused.items():
        report.refused[message_kind(message)].append(job.seed)
    report.counts["functions"] += len(jobs)
    report.counts["refused"] += len(refused)
    report.counts["without a float"] += len(jobs) - len(running) - len(refused)
    if bundle is None:
        return report
    with Session(bundle, validate=validate,
                 library=libraries.get("runtime")) as session:
        for job in running:
            report.kinds.update(set(job.program.kinds))
            report.counts["run"] += 1
            try:
                results = session.run(job.entry, job.inputs)
            except StatusError as error:
                report.differences.append((job.seed, f"fault: {error}"))
                continue
            judge(job, results, report)
    return report


def judge(job, results, report):
    """Compare all results of a function."""
    for number, (got, limits) in enumerate(zip(results, job.expected)):
        found = compare(got, limits)
        for name in ("compared", "nan", "infinite", "loose", "wide"):
            report.counts[name] += getattr(found, name)
        if found.wrong:
            at, low, high, came = found.wrong[0]
            report.differences.append((
                job.seed, f"result {number} at {at}: expected {low!r} … "
                f"{high!r}, but got {came!r}"))
            return
