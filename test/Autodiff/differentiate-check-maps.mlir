// RUN: moe-opt %s --moe-differentiate="wrt=0" | FileCheck %s --check-prefix=JOINT
// RUN: moe-opt %s --moe-differentiate="wrt=0 mode=split" | FileCheck %s --check-prefix=SPLIT

// A check by hand has no derivative: the backward reads the maps that it gave.

// JOINT-LABEL: func.func @add_vjp(
// JOINT: %[[TO_ROW:.*]], %[[TO_SLOT:.*]] = moe.check_maps
// JOINT-NOT: moe.check_maps
// JOINT: moe.dispatch %{{.*}}, %{{.*}}, %[[TO_ROW]], %[[TO_SLOT]]

// SPLIT-LABEL: func.func @add_fwd(
// SPLIT: %[[TO_ROW:.*]], %[[TO_SLOT:.*]] = moe.check_maps
// SPLIT: return %{{.*}}, %[[TO_ROW]], %[[TO_SLOT]]
// SPLIT-LABEL: func.func @add_bwd(
// SPLIT-NOT: moe.check_maps
// SPLIT: moe.dispatch

func.func @add(%rows: tensor<?x4xf32>, %offsets: tensor<3xi32>, %s2r: tensor<?x2xi32>,
               %r2s: tensor<?xi32>) -> tensor<?x4xf32> {
  %0, %1 = moe.check_maps %s2r, %r2s : tensor<?x2xi32>, tensor<?xi32>
  %out = moe.combine %rows, %offsets, %0, %1
    : tensor<?x4xf32>, tensor<3xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x4xf32>
  return %out : tensor<?x4xf32>
}
