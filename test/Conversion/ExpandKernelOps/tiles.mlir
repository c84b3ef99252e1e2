// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func @tiles(%offsets: tensor<4xi32>, %total: index) {
  %table, %count, %grid = moe.tiles %offsets, %total {rows = 4 : i64}
    : tensor<4xi32> -> tensor<?x3xi32>, tensor<1xi32>, tensor<3xi32>
  %0 = tensor.cast %table : tensor<?x3xi32> to tensor<*xi32>
  %1 = tensor.cast %count : tensor<1xi32> to tensor<*xi32>
  %2 = tensor.cast %grid : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%0) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%2) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  // Expert 1 is empty, expert 2 has whole tiles, two rows have no expert.
  // CHECK: {{\[\[}}0, 0, 4],
  // CHECK-NEXT: [0, 4, 1],
  // CHECK-NEXT: [2, 5, 4],
  // CHECK-NEXT: [2, 9, 4],
  // CHECK-NEXT: [-1, 13, 2],
  // CHECK-NEXT: [-1, 0, 0],
  // CHECK-NEXT: [-1, 0, 0]]
  // CHECK: [5]
  // CHECK: [1, 5, 1]
  %ragged = arith.constant dense<[0, 5, 5, 13]> : tensor<4xi32>
  %c15 = arith.constant 15 : index
  call @tiles(%ragged, %c15) : (tensor<4xi32>, index) -> ()

  // The most tiles there can be: every expert and the tail begin one.
  // CHECK: {{\[\[}}0, 0, 1],
  // CHECK-NEXT: [1, 1, 1],
  // CHECK-NEXT: [2, 2, 1],
  // CHECK-NEXT: [-1, 3, 2],
  // CHECK-NEXT: [-1, 0, 0]]
  // CHECK: [4]
  %single = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %c5 = arith.constant 5 : index
  call @tiles(%single, %c5) : (tensor<4xi32>, index) -> ()

  // No rows.
  // CHECK: {{\[\[}}-1, 0, 0],
  // CHECK-NEXT: [-1, 0, 0],
  // CHECK-NEXT: [-1, 0, 0]]
  // CHECK: [0]
  // CHECK: [1, 0, 1]
  %empty = arith.constant dense<0> : tensor<4xi32>
  %c0 = arith.constant 0 : index
  call @tiles(%empty, %c0) : (tensor<4xi32>, index) -> ()
  return
}
