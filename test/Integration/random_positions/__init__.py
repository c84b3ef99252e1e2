"""Positions at random, in and out of range, through every op that takes them.

A case is a function, how its inputs are drawn, and what NumPy makes of them:
the results, or the fault of the first position that is out of range. `__main__`
runs any number of each, on any device.
"""
