// RUN: moe-opt %s --loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: @plan_that_reports_stays_in_the_loop
func.func @plan_that_reports_stays_in_the_loop(%indices: tensor<4x2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: moe.plan
  scf.for %i = %c0 to %n step %c1 {
    %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 8 : i64}
      : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  }
  return
}

// CHECK-LABEL: @plan_that_drops_is_hoisted
func.func @plan_that_drops_is_hoisted(%indices: tensor<4x2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: moe.plan
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {
        experts = 8 : i64, out_of_range = #moe.out_of_range<drop>}
      : tensor<4x2xi32> -> tensor<9xi32>, tensor<4x2xi32>, tensor<8xi32>, tensor<8xi32>
  }
  return
}

// CHECK-LABEL: @check_stays_in_the_loop
func.func @check_stays_in_the_loop(%offsets: tensor<9xi32>, %rows: tensor<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: moe.check_offsets
  scf.for %i = %c0 to %n step %c1 {
    %checked = moe.check_offsets %offsets, %rows : tensor<9xi32>, tensor<?x64xf32>
  }
  return
}

// CHECK-LABEL: @check_of_maps_stays_in_the_loop
func.func @check_of_maps_stays_in_the_loop(%slot_to_row: tensor<?x2xi32>, %row_to_slot: tensor<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: moe.check_maps
  scf.for %i = %c0 to %n step %c1 {
    %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<?xi32>
  }
  return
}

// CHECK-LABEL: @kernel_is_hoisted_with_its_body
func.func @kernel_is_hoisted_with_its_body(%x: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: moe.kernel
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %y = moe.kernel "k" (%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      %sum = arith.addf %a, %a : tensor<4xf32>
      moe.yield %sum : tensor<4xf32>
    }
  }
  return
}

// CHECK-LABEL: @kernel_that_reports_stays_in_the_loop
func.func @kernel_that_reports_stays_in_the_loop(%x: tensor<9xi32>, %rows: tensor<4x1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: moe.kernel
  scf.for %i = %c0 to %n step %c1 {
    %y = moe.kernel "k" (%a = %x : tensor<9xi32>, %b = %rows : tensor<4x1xf32>) -> (tensor<9xi32>) {
      %checked = moe.check_offsets %a, %b : tensor<9xi32>, tensor<4x1xf32>
      moe.yield %checked : tensor<9xi32>
    }
  }
  return
}
