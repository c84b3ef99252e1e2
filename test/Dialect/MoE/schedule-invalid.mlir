// RUN: moe-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected workgroup to be at least 1, but got 0}}
func.func private @workgroup_zero() attributes {s = #moe.schedule<elementwise, workgroup = 0>}

// -----

// expected-error @+1 {{expected lanes to be at least 1, but got 0}}
func.func private @lanes_zero() attributes {s = #moe.schedule<matmul, lanes = 0>}

// -----

// expected-error @+1 {{expected rows to be at least 1, but got -16}}
func.func private @rows_negative() attributes {s = #moe.schedule<matmul, rows = -16>}

// -----

// expected-error @+1 {{expected columns to be at least 1, but got 0}}
func.func private @columns_zero() attributes {s = #moe.schedule<matmul, columns = 0>}

// -----

// expected-error @+1 {{expected vector to be 1 or 4, but got 2}}
func.func private @vector_of_two() attributes {s = #moe.schedule<elementwise, vector = 2>}

// -----

// expected-error @+1 {{expected chunks to be at least 0, but got -1}}
func.func private @chunks_negative() attributes {s = #moe.schedule<plan, chunks = -1>}

// -----

// expected-error @+1 {{expected slice to be at least 0, but got -1}}
func.func private @slice_negative() attributes {s = #moe.schedule<matmul, slice = -1>}

// -----

// expected-error @+2 {{expected ::mlir::moe::Family to be one of: elementwise, reduce, matmul, route, plan, tiles, check_offsets, outer, check_maps}}
// expected-error @+1 {{failed to parse MoE_ScheduleAttr parameter 'family'}}
func.func private @family_unknown() attributes {s = #moe.schedule<sort>}

// -----

// expected-error @+1 {{duplicate or unknown struct parameter name: depth}}
func.func private @parameter_unknown() attributes {s = #moe.schedule<matmul, depth = 2>}
