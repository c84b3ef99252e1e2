// RUN: moe-opt %s --pass-pipeline='builtin.module(gpu.module(moe-expand-math))' | FileCheck %s

// Functions become arithmetic that is rounded one by one; the numbers are
// checked on a device.

gpu.module @kernels {
  // CHECK-LABEL: func.func @exponential
  // CHECK-NOT:     math.exp
  // CHECK:         arith.mulf %{{.+}}, %{{.+}} : vector<4xf32>
  // CHECK:         arith.shli %{{.+}}, %{{.+}} : vector<4xi32>
  // CHECK-NOT:     math.exp
  func.func @exponential(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.exp %x : vector<4xf32>
    return %y : vector<4xf32>
  }

  // CHECK-LABEL: func.func @remainder
  // CHECK-NOT:     arith.remsi
  // CHECK:         arith.remui %{{.+}}, %{{.+}} : index
  func.func @remainder(%x: index, %y: index) -> index {
    %z = arith.remsi %x, %y : index
    return %z : index
  }

  // CHECK-LABEL: func.func @quotient_by_a_constant_zero
  // CHECK:         %[[INFINITY:.+]] = arith.constant dense<0x7F800000> : vector<4xf32>
  // CHECK:         arith.mulf %{{.+}}, %[[INFINITY]]
  func.func @quotient_by_a_constant_zero(%x: vector<4xf32>) -> vector<4xf32> {
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %y = arith.divf %x, %zero : vector<4xf32>
    return %y : vector<4xf32>
  }

  // Other widths are left to what follows.
  // CHECK-LABEL: func.func @half
  // CHECK:         math.exp %{{.+}} : f16
  func.func @half(%x: f16) -> f16 {
    %y = math.exp %x : f16
    return %y : f16
  }
}
