// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @families
func.func @families() attributes {
  // CHECK-SAME: a = #moe.schedule<elementwise>
  a = #moe.schedule<elementwise>,
  // CHECK-SAME: b = #moe.schedule<reduce>
  b = #moe.schedule<reduce>,
  // CHECK-SAME: c = #moe.schedule<matmul>
  c = #moe.schedule<matmul>,
  // CHECK-SAME: d = #moe.schedule<route>
  d = #moe.schedule<route>,
  // CHECK-SAME: e = #moe.schedule<plan>
  e = #moe.schedule<plan>,
  // CHECK-SAME: f = #moe.schedule<tiles>
  f = #moe.schedule<tiles>,
  // CHECK-SAME: g = #moe.schedule<check_offsets>
  g = #moe.schedule<check_offsets>,
  // CHECK-SAME: h = #moe.schedule<outer>
  h = #moe.schedule<outer>,
  // CHECK-SAME: i = #moe.schedule<check_maps>
  i = #moe.schedule<check_maps>} {
  return
}

// CHECK-LABEL: @parameters
func.func @parameters() attributes {
  // CHECK-SAME: a = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>
  a = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>,
  // CHECK-SAME: b = #moe.schedule<plan, chunks = 64>
  b = #moe.schedule<plan, chunks = 64>,
  // CHECK-SAME: c = #moe.schedule<matmul, workgroup = 8, slice = 2>
  c = #moe.schedule<matmul, slice = 2, workgroup = 8>} {
  return
}

// CHECK-LABEL: @defaults_are_not_printed
func.func @defaults_are_not_printed() attributes {
  // CHECK-SAME: a = #moe.schedule<tiles, rows = 16>
  a = #moe.schedule<tiles, workgroup = 1, lanes = 1, rows = 16, columns = 1, vector = 1,
                    chunks = 0, slice = 0>} {
  return
}
