// RUN: moe-opt %s --moe-expand-kernel-ops \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" --test-lower-to-llvm \
// RUN:   | mlir-runner -e main -entry-point-result=void \
// RUN:       -shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func @route(%logits: tensor<?x4xf32>) {
  %weights, %indices = moe.route %logits {top_k = 3 : i64}
    : tensor<?x4xf32> -> tensor<?x3xf32>, tensor<?x3xi32>
  %0 = tensor.cast %weights : tensor<?x3xf32> to tensor<*xf32>
  %1 = tensor.cast %indices : tensor<?x3xi32> to tensor<*xi32>
  call @printMemrefF32(%0) : (tensor<*xf32>) -> ()
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()
  return
}

func.func @renormalized(%logits: tensor<?x4xf32>) {
  %weights, %indices = moe.route %logits {top_k = 2 : i64, renormalize, scale = 3.0 : f64}
    : tensor<?x4xf32> -> tensor<?x2xf32>, tensor<?x2xi32>
  %0 = tensor.cast %weights : tensor<?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%0) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  // Row 0: probabilities 1/8, 2/8, 4/8, 1/8. Row 1: both zeros tie. Row 2: two
  // experts of probability 0. Rows 3 to 5: NaN, +inf, all -inf.
  // CHECK: {{\[\[}}0.5, 0.25, 0.125],
  // CHECK-NEXT: [0.25, 0.25, 0.25],
  // CHECK-NEXT: [0.5, 0.5, 0],
  // CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan],
  // CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan],
  // CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan]]
  // CHECK: {{\[\[}}2, 1, 0],
  // CHECK-NEXT: [0, 1, 2],
  // CHECK-NEXT: [1, 3, 0],
  // CHECK-NEXT: [0, 1, 2],
  // CHECK-NEXT: [0, 1, 2],
  // CHECK-NEXT: [0, 1, 2]]
  %logits = arith.constant dense<[
    [0.0, 0.6931471806, 1.3862943611, 0.0],
    [-0.0, 0.0, -0.0, 0.0],
    [0xFF800000, 5.0, 0xFF800000, 5.0],
    [1.0, 2.0, 0x7FC00000, 3.0],
    [1.0, 2.0, 0x7F800000, 3.0],
    [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<6x4xf32>
  %0 = tensor.cast %logits : tensor<6x4xf32> to tensor<?x4xf32>
  call @route(%0) : (tensor<?x4xf32>) -> ()

  // Weights 4/6 and 2/6, times 3.
  // CHECK: {{\[\[}}2, 1],
  // CHECK-NEXT: [1.5, 1.5],
  // CHECK-NEXT: [1.5, 1.5],
  // CHECK-NEXT: [{{-?}}nan, {{-?}}nan],
  call @renormalized(%0) : (tensor<?x4xf32>) -> ()
  return
}
