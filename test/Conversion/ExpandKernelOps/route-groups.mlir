// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  // Two groups of four. The bias lifts expert 0, and with it its group: the
  // second slot comes from that group too, although four others are better.
  // Weights 2·s0/(s0 + s3) and 2·s3/(s0 + s3) with s0 = 1/2, s3 = 0.952574.
  // CHECK: {{\[\[}}0.688433, 1.31157]]
  // CHECK: {{\[\[}}0, 3]]
  %ascending = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<1x8xf32>
  %bias = arith.constant dense<[10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf32>
  %w0, %i0 = moe.route %ascending bias %bias
    {top_k = 2 : i64, scoring = #moe.scoring<sigmoid>, renormalize, scale = 2.0 : f64,
     groups = 2 : i64, selected_groups = 1 : i64, group_score = #moe.group_score<top2_sum>}
    : tensor<1x8xf32>, tensor<8xf32> -> tensor<1x2xf32>, tensor<1x2xi32>
  %0 = tensor.cast %w0 : tensor<1x2xf32> to tensor<*xf32>
  %1 = tensor.cast %i0 : tensor<1x2xi32> to tensor<*xi32>
  call @printMemrefF32(%0) : (tensor<*xf32>) -> ()
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()

  // Four groups of two, the best two by their best expert. Row 0: groups 1 and
  // 3. Row 1: groups tie, so 0 and 1, and NaN comes after the rest of a
  // selected group, but before every other group.
  // CHECK: {{\[\[}}6, 2, 7],
  // CHECK-NEXT: [0, 2, 1]]
  %mixed = arith.constant dense<[[0.0, 1.0, 4.0, -4.0, 2.0, 3.0, 5.0, 0.5],
                                 [1.0, 0x7FC00000, 1.0, 0x7FC00000, 1.0, 0.5, 1.0, 0.5]]>
    : tensor<2x8xf32>
  %w2, %i2 = moe.route %mixed
    {top_k = 3 : i64, scoring = #moe.scoring<sigmoid>, groups = 4 : i64, selected_groups = 2 : i64}
    : tensor<2x8xf32> -> tensor<2x3xf32>, tensor<2x3xi32>
  %2 = tensor.cast %i2 : tensor<2x3xi32> to tensor<*xi32>
  call @printMemrefI32(%2) : (tensor<*xi32>) -> ()
  return
}
