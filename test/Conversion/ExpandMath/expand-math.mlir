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
  // CHECK-NOT:     arith.divf
  // CHECK:         arith.constant dense<0x7F800000> : vector<4xf32>
  // CHECK:         arith.ori
  // CHECK:         %[[INFINITY:.+]] = arith.bitcast
  // CHECK:         arith.mulf %{{.+}}, %[[INFINITY]]
  func.func @quotient_by_a_constant_zero(%x: vector<4xf32>) -> vector<4xf32> {
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %y = arith.divf %x, %zero : vector<4xf32>
    return %y : vector<4xf32>
  }

  // One zero among constants is enough for a driver: the sign is that of both.
  // CHECK-LABEL: func.func @sum_with_a_zero
  // CHECK:         %[[SOME:.+]] = arith.constant dense<[0.000000e+00, 1.0{{.+}}]>
  // CHECK:         %[[BOTH:.+]] = arith.andi
  // CHECK:         arith.bitcast %[[BOTH]]
  // CHECK:         %[[SUM:.+]] = arith.addf %{{.+}}, %[[SOME]]
  // CHECK:         arith.select %{{.+}}, %{{.+}}, %[[SUM]]
  func.func @sum_with_a_zero(%x: vector<2xf32>) -> vector<2xf32> {
    %some = arith.constant dense<[0.0, 1.0]> : vector<2xf32>
    %y = arith.addf %x, %some : vector<2xf32>
    return %y : vector<2xf32>
  }

  // CHECK-LABEL: func.func @any_sign_of_a_zero
  // CHECK-NEXT:    %[[ZERO:.+]] = arith.constant
  // CHECK-NEXT:    arith.addf %{{.+}}, %[[ZERO]] fastmath<contract>
  func.func @any_sign_of_a_zero(%x: f32) -> f32 {
    %zero = arith.constant 0.0 : f32
    %y = arith.addf %x, %zero fastmath<contract> : f32
    return %y : f32
  }

  // Shifted by the width or more, nothing is left; by what is known, it is as it
  // was.
  // CHECK-LABEL: func.func @shift(
  // CHECK-SAME:    %[[X:.+]]: i32, %[[N:.+]]: i32
  // CHECK:         %[[SHIFTED:.+]] = arith.shli %[[X]], %[[N]] : i32
  // CHECK:         %[[FITS:.+]] = arith.cmpi ult, %[[N]], %{{.+}} : i32
  // CHECK:         %[[LEFT:.+]] = arith.select %[[FITS]], %[[SHIFTED]]
  // CHECK:         %[[KNOWN:.+]] = arith.shli %[[LEFT]]
  // CHECK:         return %[[KNOWN]]
  func.func @shift(%x: i32, %n: i32) -> i32 {
    %c3 = arith.constant 3 : i32
    %y = arith.shli %x, %n : i32
    %z = arith.shli %y, %c3 : i32
    return %z : i32
  }

  // CHECK-LABEL: func.func @predicates
  // CHECK-NOT:     arith.cmpf
  // CHECK:         arith.cmpi ugt
  // CHECK:         return
  func.func @predicates(%x: f32, %y: f32) -> (i1, i1) {
    %never = arith.cmpf false, %x, %y : f32
    %unordered = arith.cmpf uno, %x, %y : f32
    return %never, %unordered : i1, i1
  }

  // Most quotients are small; the other steps are behind a branch.
  // CHECK-LABEL: func.func @float_remainder
  // CHECK-NOT:     arith.remf
  // CHECK:         scf.if
  // CHECK-NOT:     scf.for
  // CHECK:         return
  func.func @float_remainder(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
    %z = arith.remf %x, %y : vector<4xf32>
    return %z : vector<4xf32>
  }

  // Other widths are left to what follows.
  // CHECK-LABEL: func.func @half
  // CHECK:         math.exp %{{.+}} : f16
  func.func @half(%x: f16) -> f16 {
    %y = math.exp %x : f16
    return %y : f16
  }
}
