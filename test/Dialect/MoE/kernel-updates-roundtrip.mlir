// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @second_result_updates
func.func @second_result_updates(%w: tensor<4xf32> {moe.aliases_result = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: moe.kernel "k" (%{{.*}} = %{{.*}} : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) updates [-1, 0] {
  %y:2 = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) updates [-1, 0] {
    moe.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @before_a_schedule_and_attributes
func.func @before_a_schedule_and_attributes(%w: tensor<4xf32>) {
  // CHECK: -> (tensor<4xf32>) updates [0] schedule(#moe.schedule<elementwise, workgroup = 64>) attributes {note = "kept"} {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0]
      schedule(#moe.schedule<elementwise, workgroup = 64>) attributes {note = "kept"} {
    moe.yield %a : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: @no_results
func.func @no_results() {
  // CHECK: moe.kernel "k" () -> () updates [] {
  moe.kernel "k" () -> () updates [] {
    moe.yield
  }
  return
}
