"""What is known to be wrong, and is left out of the short run by name.

A reason, and whether a program with these kinds of ops falls under it. None now.
"""

OPEN = {}


def open_reason(job):
    """The first of the reasons that hold for a job, or None."""
    for reason, holds in OPEN.items():
        if holds(job.program.kinds, job.derivative):
            return reason
    return None
