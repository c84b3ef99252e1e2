// RUN: moe-opt %s | moe-opt | FileCheck %s

// CHECK-LABEL: @one_input
func.func @one_input(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[Y:.*]] = moe.kernel "scale" (%[[A:.*]] = %{{.*}} : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
  %y = moe.kernel "scale" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[A]]
    %sum = arith.addf %a, %a : tensor<?x64xf32>
    // CHECK-NEXT: moe.yield %[[SUM]] : tensor<?x64xf32>
    moe.yield %sum : tensor<?x64xf32>
    // CHECK-NEXT: }
  }
  // CHECK: return %[[Y]]
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: @size_input_and_two_results
func.func @size_input_and_two_results(%x: tensor<?xf32>, %n: index) {
  // CHECK: %{{.*}}:2 = moe.kernel "pair" (%[[A:.*]] = %{{.*}} : tensor<?xf32>, %{{.*}} = %{{.*}} : index)
  // CHECK-SAME: -> (tensor<?xf32>, tensor<4xi32>) {
  %y, %z = moe.kernel "pair" (%a = %x : tensor<?xf32>, %m = %n : index)
      -> (tensor<?xf32>, tensor<4xi32>) {
    %c = arith.constant dense<1> : tensor<4xi32>
    // CHECK: moe.yield %[[A]], %{{.*}} : tensor<?xf32>, tensor<4xi32>
    moe.yield %a, %c : tensor<?xf32>, tensor<4xi32>
  }
  return
}

// CHECK-LABEL: @no_inputs_and_no_results
func.func @no_inputs_and_no_results() {
  // CHECK: moe.kernel "nothing" () -> () {
  // CHECK-NEXT: moe.yield
  // CHECK-NEXT: }
  moe.kernel "nothing" () -> () {
    moe.yield
  }
  return
}

// CHECK-LABEL: @scheduled
func.func @scheduled() {
  // CHECK: moe.kernel "a \22b\22" () -> () schedule(#moe.schedule<elementwise, workgroup = 64>) {
  moe.kernel "a \"b\"" () -> () schedule(#moe.schedule<elementwise, workgroup = 64>) {
    moe.yield
  }
  // CHECK: moe.kernel "c" () -> () schedule(#moe.schedule<tiles>) attributes {note = "kept"} {
  moe.kernel "c" () -> () schedule(#moe.schedule<tiles>) attributes {note = "kept"} {
    moe.yield
  }
  return
}
