// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func @print(%weights: tensor<?x2xf32>, %indices: tensor<?x2xi32>) {
  %0 = tensor.cast %weights : tensor<?x2xf32> to tensor<*xf32>
  %1 = tensor.cast %indices : tensor<?x2xi32> to tensor<*xi32>
  call @printMemrefF32(%0) : (tensor<*xf32>) -> ()
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  // Row 0: scores 1/2, 3/4, 1/4. Row 1: NaN comes last, -inf has score 0.
  // CHECK: {{\[\[}}0.75, 0.5],
  // CHECK-NEXT: [0, {{-?}}nan],
  // CHECK-NEXT: [1, 0.5]]
  // CHECK: {{\[\[}}1, 0],
  // CHECK-NEXT: [2, 0],
  // CHECK-NEXT: [1, 2]]
  %logits = arith.constant dense<[
    [0.0, 1.0986122887, -1.0986122887],
    [0x7FC00000, 0x7FC00000, 0xFF800000],
    [0x7FC00000, 0x7F800000, 0.0]]> : tensor<3x3xf32>
  %0 = tensor.cast %logits : tensor<3x3xf32> to tensor<?x3xf32>
  %plain:2 = moe.route %0 {top_k = 2 : i64, scoring = #moe.scoring<sigmoid>}
    : tensor<?x3xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  call @print(%plain#0, %plain#1) : (tensor<?x2xf32>, tensor<?x2xi32>) -> ()

  // The bias selects, the scores without it are the weights.
  // CHECK: {{\[\[}}0.25, 0.75],
  // CHECK: {{\[\[}}2, 1],
  %bias = arith.constant dense<[-10.0, 0.0, 10.0]> : tensor<3xf32>
  %biased:2 = moe.route %0 bias %bias {top_k = 2 : i64, scoring = #moe.scoring<sigmoid>}
    : tensor<?x3xf32>, tensor<3xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  call @print(%biased#0, %biased#1) : (tensor<?x2xf32>, tensor<?x2xi32>) -> ()
  return
}
