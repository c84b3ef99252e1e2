// RUN: moe-opt %s \
// RUN:   --moe-differentiate=function=dispatch \
// RUN:   --moe-differentiate=function=dispatch_weighted \
// RUN:   --moe-differentiate=function=grouped_matmul \
// RUN:   --moe-differentiate=function=grouped_matmul_f16 \
// RUN:   --moe-differentiate=function=grouped_outer \
// RUN:   --moe-differentiate=function=grouped_reduce \
// RUN:   --moe-differentiate=function=combine \
// RUN:   --moe-differentiate=function=combine_weight_grad \
// RUN:   --moe-differentiate=function=route \
// RUN:   --moe-differentiate=function=route_weights \
// RUN:   --moe-differentiate=function=route_grad \
// RUN:   | FileCheck %s

// Gathering rows and adding them up are each other's derivatives.
func.func @dispatch(%x: tensor<?x4xf32>, %o: tensor<3xi32>, %s: tensor<?x2xi32>, %r: tensor<?xi32>) -> tensor<?x4xf32> {
  %0 = moe.dispatch %x, %o, %s, %r : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @dispatch_vjp(
// CHECK: %[[ROWS:.*]] = moe.dispatch %arg0, %arg1, %arg2, %arg3
// CHECK: %[[DX:.*]] = moe.combine %arg4, %arg1, %arg2, %arg3 {order = #moe.combine_order<slot>}
// CHECK: return %[[ROWS]], %[[DX]]

func.func @dispatch_weighted(%x: tensor<?x4xf32>, %o: tensor<3xi32>, %s: tensor<?x2xi32>, %r: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x4xf32> {
  %0 = moe.dispatch %x, %o, %s, %r weights %w : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @dispatch_weighted_vjp(
// CHECK: %[[ROWS:.*]] = moe.dispatch %arg0, %arg1, %arg2, %arg3 weights %arg4
// CHECK: %[[DX:.*]] = moe.combine %arg5, %arg1, %arg2, %arg3 weights %arg4 {order = #moe.combine_order<slot>}
// CHECK: %[[DW:.*]] = moe.combine_weight_grad %arg0, %arg5, %arg1, %arg2, %arg3
// CHECK: return %[[ROWS]], %[[DX]], %[[DW]]

func.func @grouped_matmul(%a: tensor<?x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3xi32>, %b: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %0 = moe.grouped_matmul %a, %w, %o bias %b : tensor<?x4xf32>, tensor<2x4x3xf32>, tensor<3xi32>, tensor<2x3xf32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @grouped_matmul_vjp(
// CHECK: %[[Y:.*]] = moe.grouped_matmul %arg0, %arg1, %arg2 bias %arg3
// CHECK: %[[DLHS:.*]] = moe.grouped_matmul %arg4, %arg1, %arg2 {transpose_rhs}
// CHECK: %[[DRHS:.*]] = moe.grouped_outer %arg0, %arg4, %arg2
// CHECK: %[[DBIAS:.*]] = moe.grouped_reduce %arg4, %arg2
// CHECK: return %[[Y]], %[[DLHS]], %[[DRHS]], %[[DBIAS]]

// The gradient of the matrices stays f32.
func.func @grouped_matmul_f16(%a: tensor<?x4xf16>, %w: tensor<2x3x4xf16>, %o: tensor<?xi32>) -> tensor<?x3xf32> {
  %0 = moe.grouped_matmul %a, %w, %o {transpose_rhs} : tensor<?x4xf16>, tensor<2x3x4xf16>, tensor<?xi32> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @grouped_matmul_f16_vjp(
// CHECK: %[[Y:.*]] = moe.grouped_matmul %arg0, %arg1, %arg2 {transpose_rhs}
// CHECK: %[[DY:.*]] = arith.truncf %arg3
// CHECK: %[[OFFSETS:.*]] = tensor.cast %arg2
// CHECK: %[[DLHS:.*]] = moe.grouped_matmul %[[DY]], %arg1, %[[OFFSETS]]
// CHECK: %[[DRHS:.*]] = moe.grouped_outer %[[DY]], %arg0, %[[OFFSETS]]
// CHECK: return %[[Y]], %[[DLHS]], %[[DRHS]]

func.func @grouped_outer(%a: tensor<?x4xf32>, %b: tensor<?x3xf32>, %o: tensor<3xi32>, %i: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %0 = moe.grouped_outer %a, %b, %o init %i : tensor<?x4xf32>, tensor<?x3xf32>, tensor<3xi32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// CHECK-LABEL: func.func @grouped_outer_vjp(
// CHECK: %[[Y:.*]] = moe.grouped_outer %arg0, %arg1, %arg2 init %arg3
// CHECK: %[[DLHS:.*]] = moe.grouped_matmul %arg1, %arg4, %arg2 {transpose_rhs}
// CHECK: %[[DRHS:.*]] = moe.grouped_matmul %arg0, %arg4, %arg2
// CHECK: return %[[Y]], %[[DLHS]], %[[DRHS]], %arg4

// A product over no features repeats each expert's gradient.
func.func @grouped_reduce(%y: tensor<?x4xf16>, %o: tensor<3xi32>) -> tensor<2x4xf32> {
  %0 = moe.grouped_reduce %y, %o : tensor<?x4xf16>, tensor<3xi32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func @grouped_reduce_vjp(
// CHECK: %[[C0:.*]] = arith.constant 0
// CHECK: %[[SUMS:.*]] = moe.grouped_reduce %arg0, %arg1
// CHECK: %[[R:.*]] = tensor.dim %arg0, %[[C0]]
// CHECK: %[[LHS:.*]] = tensor.empty(%[[R]])
// CHECK: %[[RHS:.*]] = tensor.empty()
// CHECK: %[[SPREAD:.*]] = moe.grouped_matmul %[[LHS]], %[[RHS]], %arg1 bias %arg2
// CHECK: %[[DROWS:.*]] = arith.truncf %[[SPREAD]]
// CHECK: return %[[SUMS]], %[[DROWS]]

func.func @combine(%y: tensor<?x4xf32>, %o: tensor<3xi32>, %s: tensor<?x2xi32>, %r: tensor<?xi32>, %w: tensor<?x2xf32>) -> tensor<?x4xf32> {
  %0 = moe.combine %y, %o, %s, %r weights %w : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @combine_vjp(
// CHECK: %[[OUT:.*]] = moe.combine %arg0, %arg1, %arg2, %arg3 weights %arg4
// CHECK: %[[DROWS:.*]] = moe.dispatch %arg5, %arg1, %arg2, %arg3 weights %arg4
// CHECK: %[[DW:.*]] = moe.combine_weight_grad %arg5, %arg0, %arg1, %arg2, %arg3
// CHECK: return %[[OUT]], %[[DROWS]], %[[DW]]

func.func @combine_weight_grad(%g: tensor<?x4xf32>, %y: tensor<?x4xf32>, %o: tensor<3xi32>, %s: tensor<?x2xi32>, %r: tensor<?xi32>) -> tensor<?x2xf32> {
  %0 = moe.combine_weight_grad %g, %y, %o, %s, %r : tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
// CHECK-LABEL: func.func @combine_weight_grad_vjp(
// CHECK: %[[DW:.*]] = moe.combine_weight_grad %arg0, %arg1, %arg2, %arg3, %arg4
// CHECK: %[[DGRAD:.*]] = moe.combine %arg1, %arg2, %arg3, %arg4 weights %arg5
// CHECK: %[[DROWS:.*]] = moe.dispatch %arg0, %arg2, %arg3, %arg4 weights %arg5
// CHECK: return %[[DW]], %[[DGRAD]], %[[DROWS]]

func.func @route(%x: tensor<?x4xf16>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %w, %i = moe.route %x {top_k = 2 : i64, renormalize, scale = 2.5 : f64, scoring = #moe.scoring<sigmoid>} : tensor<?x4xf16> -> tensor<?x2xf32>, tensor<?x2xi32>
  return %w, %i : tensor<?x2xf32>, tensor<?x2xi32>
}
// CHECK-LABEL: func.func @route_vjp(
// CHECK: %[[WEIGHTS:.*]], %[[INDICES:.*]] = moe.route %arg0 {renormalize, scale = 2.500000e+00 : f64, scoring = #moe.scoring<sigmoid>, top_k = 2 : i64}
// CHECK: %[[DLOGITS:.*]] = moe.route_grad %arg0, %[[INDICES]], %arg1 {renormalize, scale = 2.500000e+00 : f64, scoring = #moe.scoring<sigmoid>}
// CHECK: return %[[WEIGHTS]], %[[INDICES]], %[[DLOGITS]]

func.func @route_weights(%x: tensor<?x4xf32>, %i: tensor<?x2xi32>) -> tensor<?x2xf32> {
  %w = moe.route_weights %x, %i : tensor<?x4xf32>, tensor<?x2xi32> -> tensor<?x2xf32>
  return %w : tensor<?x2xf32>
}
// CHECK-LABEL: func.func @route_weights_vjp(
// CHECK: %[[WEIGHTS:.*]] = moe.route_weights %arg0, %arg1
// CHECK: %[[DLOGITS:.*]] = moe.route_grad %arg0, %arg1, %arg2
// CHECK: return %[[WEIGHTS]], %[[DLOGITS]]

// Differentiated in parts: a gradient reaches the logits and the weights.
func.func @route_grad(%x: tensor<?x4xf32>, %i: tensor<?x2xi32>, %g: tensor<?x2xf32>) -> tensor<?x4xf32> {
  %w = moe.route_grad %x, %i, %g : tensor<?x4xf32>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x4xf32>
  return %w : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @route_grad_vjp(
// CHECK: moe.route_grad
// CHECK: linalg.softmax
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>
