// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func @check(%slots: tensor<3x2xi32>, %row_to_slot: tensor<6xi32>) {
  %slot_to_row = tensor.cast %slots : tensor<3x2xi32> to tensor<?x2xi32>
  %0, %1 = moe.check_maps %slot_to_row, %row_to_slot : tensor<?x2xi32>, tensor<6xi32>
  %2 = tensor.cast %0 : tensor<?x2xi32> to tensor<*xi32>
  %3 = tensor.cast %1 : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%2) : (tensor<*xi32>) -> ()
  call @printMemrefI32(%3) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  // Maps of a plan that drops the slots 1 and 4 stay as they are.
  // CHECK:      [1,   -1],
  // CHECK-NEXT: [0,   3],
  // CHECK-NEXT: [-1,   2]
  // CHECK:      [2,  0,  5,  3,  -1,  -1]
  %s0 = arith.constant dense<[[1, -1], [0, 3], [-1, 2]]> : tensor<3x2xi32>
  %r0 = arith.constant dense<[2, 0, 5, 3, -1, -1]> : tensor<6xi32>
  call @check(%s0, %r0) : (tensor<3x2xi32>, tensor<6xi32>) -> ()

  // Out of range both ways, and two slots of one row: only the one that the row
  // gives back is left.
  // CHECK:      [-1,   -1],
  // CHECK-NEXT: [-1,   2],
  // CHECK-NEXT: [-1,   -1]
  // CHECK:      [-1,  -1,  3,  -1,  -1,  -1]
  %s1 = arith.constant dense<[[6, -2], [2147483647, 2], [2, -2147483648]]> : tensor<3x2xi32>
  %r1 = arith.constant dense<[0, 6, 3, -2, 2147483647, -2147483648]> : tensor<6xi32>
  call @check(%s1, %r1) : (tensor<3x2xi32>, tensor<6xi32>) -> ()
  return
}
