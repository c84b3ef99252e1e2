"""Random valid functions, what they mean in float64, and what a device gives.

`bounds` is the arithmetic of the reference: between which numbers a result in
f32 must lie. `scalars`, `integers` and `elements` hold the ops on numbers, `views`,
`bodies`, `reductions`, `contractions`, `routing` and `experts` those on tensors; `program`
keeps text and reference of one function together, `generator` draws functions,
`batch` compiles and runs many at once, `compare` judges and `reduce` shrinks.
"""
