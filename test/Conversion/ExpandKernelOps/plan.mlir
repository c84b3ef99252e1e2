// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func @plan(%indices: tensor<?x2xi32>) {
  %offsets, %slot_to_row, %row_to_slot, %row_expert = moe.plan %indices {experts = 4 : i64}
    : tensor<?x2xi32> -> tensor<5xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
  %0 = tensor.cast %offsets : tensor<5xi32> to tensor<*xi32>
  %1 = tensor.cast %slot_to_row : tensor<?x2xi32> to tensor<*xi32>
  %2 = tensor.cast %row_to_slot : tensor<?xi32> to tensor<*xi32>
  %3 = tensor.cast %row_expert : tensor<?xi32> to tensor<*xi32>
  call @printMemrefI32(%0) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%2) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%3) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  // Three tokens; expert 3 stays empty. The order within an expert is that of the slots.
  // CHECK: [0, 3, 5, 6, 6]
  // CHECK: {{\[\[}}3, 0],
  // CHECK-NEXT: [1, 5],
  // CHECK-NEXT: [2, 4]]
  // CHECK: [1, 2, 4, 0, 5, 3]
  // CHECK: [0, 0, 0, 1, 1, 2]
  %sorted = arith.constant dense<[[1, 0], [0, 2], [0, 1]]> : tensor<3x2xi32>
  %0 = tensor.cast %sorted : tensor<3x2xi32> to tensor<?x2xi32>
  call @plan(%0) : (tensor<?x2xi32>) -> ()

  // A token that names one expert twice, and indices that are no expert.
  // CHECK: [0, 0, 0, 1, 3]
  // CHECK: {{\[\[}}-1, 0],
  // CHECK-NEXT: [1, 2],
  // CHECK-NEXT: [-1, -1]]
  // CHECK: [1, 2, 3, -1, -1, -1]
  // CHECK: [2, 3, 3, -1, -1, -1]
  %bad = arith.constant dense<[[-1, 2], [3, 3], [4, 2147483647]]> : tensor<3x2xi32>
  %1 = tensor.cast %bad : tensor<3x2xi32> to tensor<?x2xi32>
  call @plan(%1) : (tensor<?x2xi32>) -> ()

  // No tokens.
  // CHECK: [0, 0, 0, 0, 0]
  %none = arith.constant dense<0> : tensor<0x2xi32>
  %2 = tensor.cast %none : tensor<0x2xi32> to tensor<?x2xi32>
  call @plan(%2) : (tensor<?x2xi32>) -> ()
  return
}
