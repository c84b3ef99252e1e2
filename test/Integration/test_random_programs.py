"""Random functions over all kinds of ops, and proof that faults are found.

A longer run is `tools/dev/random-functions --count=10000`.
"""

import copy
import re

import pytest
from moe.runtime import Session
from random_programs import batch
from random_programs.compare import compare
from random_programs.known_open import open_reason

BATCH = 40


@pytest.fixture(scope="module")
def libraries(tools, build):
    return {name: str(build / f"lib/libmoe-{name}.so")
            for name in ("compiler", "runtime")}


def run(seeds, libraries, derivative):
    """Run functions, those of known kinds left out, and print the counts."""
    report, left_out = batch.Report(), {}
    for i in range(0, len(seeds), BATCH):
        jobs = []
        for seed in seeds[i:i + BATCH]:
            job = batch.Job(seed, derivative)
            reason = open_reason(job)
            if reason is None:
                jobs.append(job)
            else:
                left_out.setdefault(reason, []).append(seed)
        report.merge(batch.run_jobs(jobs, libraries, "sync"))
    print(f"seeds {seeds[0]} to {seeds[-1]}: {dict(report.counts)}")
    for what, found in [*report.refused.items(), *left_out.items()]:
        print(f"{len(found)} times, as seed {found[0]}: {what}")
    return report


@pytest.mark.parametrize("derivative, count, elements", [
    (False, 200, 15000), (True, 80, 8000)])
def test_no_silent_difference(libraries, derivative, count, elements):
    report = run(range(count), libraries, derivative)
    assert not report.differences, report.differences[:5]
    counts = report.counts
    assert counts["run"] > 0.4 * count
    assert counts["compared"] > elements
    assert counts["loose"] < 0.1 * counts["compared"]
    assert counts["wide"] < 0.15 * counts["compared"]


# What a wrong lowering might do, done to the text that is compiled.
MUTATIONS = {
    "a sum is a difference": ("arith.addf", "arith.subf"),
    "a maximum is a minimum": ("arith.maximumf", "arith.minimumf"),
    "rounding goes the other way": ("math.floor", "math.ceil"),
    "a division has no sign": ("arith.divsi", "arith.divui"),
    "a shift has no sign": ("arith.shrsi", "arith.shrui"),
    "a condition is turned": ("arith.cmpf olt", "arith.cmpf ogt"),
    "a stride lost its sign": (r"\[-1\]", "[1]"),
    "loops are exchanged": (r"affine_map<\(d0, d1\) -> \(d1, d0\)>",
                            "affine_map<(d0, d1) -> (d0, d1)>"),
    "a logarithm has another base": ("math.log2", "math.log10"),
    "an accurate function is not": ("math.expm1", "math.exp"),
}


@pytest.fixture(scope="module")
def pool():
    return [batch.Job(seed) for seed in range(100000, 101000)]


@pytest.mark.parametrize("name", list(MUTATIONS))
def test_a_wrong_op_is_found(libraries, pool, name):
    pattern, replacement = MUTATIONS[name]
    jobs = []
    for job in pool:
        if open_reason(job) is None and re.search(pattern, job.text):
            changed = copy.copy(job)
            changed.text = re.sub(pattern, replacement, job.text)
            jobs.append(changed)
    # Some compute what nobody reads, or what does not differ on their inputs.
    report = batch.run_jobs(jobs[:30], libraries)
    found = {seed for seed, _ in report.differences}
    print(f"{name}: {len(found)} of {report.counts['run']} found")
    assert found


def test_a_wrong_element_is_found(libraries):
    """One that is 1e-4 off, or one more."""
    jobs = [job for job in map(batch.Job, range(BATCH))
            if open_reason(job) is None]
    bundle, jobs, _ = batch.compile_jobs(jobs, libraries)
    found = tried = 0
    with Session(bundle, library=libraries["runtime"]) as session:
        for job in jobs:
            got, limits = session.run(job.entry, job.inputs)[0], job.expected[0]
            assert not compare(got, limits).wrong
            sure = ~limits.loose.reshape(-1)
            for i in sure.nonzero()[0][:20]:
                wrong = got.copy().reshape(-1)
                before = wrong[i]
                wrong[i] = before * 1.0001 + 1e-30 if limits.is_float \
                    else before + 1
                if wrong[i] == before or before != before:
                    continue  # an infinity or NaN, or far above 1
                tried += 1
                found += bool(compare(wrong.reshape(got.shape), limits).wrong)
    assert tried > 200 and found > 0.98 * tried, (found, tried)
