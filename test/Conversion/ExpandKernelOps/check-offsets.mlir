// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func @check(%offsets: tensor<5xi32>) {
  %rows = arith.constant dense<0.0> : tensor<6x1xf32>
  %dynamic = tensor.cast %rows : tensor<6x1xf32> to tensor<?x1xf32>
  %checked = moe.check_offsets %offsets, %dynamic : tensor<5xi32>, tensor<?x1xf32>
  %0 = tensor.cast %checked : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%0) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  // Offsets in order stay as they are.
  // CHECK: [0, 2, 2, 5, 6]
  %good = arith.constant dense<[0, 2, 2, 5, 6]> : tensor<5xi32>
  call @check(%good) : (tensor<5xi32>) -> ()

  // The first is not 0, one decreases, two are above the number of rows.
  // CHECK: [0, 4, 4, 6, 6]
  %bad = arith.constant dense<[3, 4, 1, 7, 2147483647]> : tensor<5xi32>
  call @check(%bad) : (tensor<5xi32>) -> ()

  // Negative offsets.
  // CHECK: [0, 0, 0, 1, 1]
  %negative = arith.constant dense<[-1, -2147483648, 0, 1, -3]> : tensor<5xi32>
  call @check(%negative) : (tensor<5xi32>) -> ()
  return
}
