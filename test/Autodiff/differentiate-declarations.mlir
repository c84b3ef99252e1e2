// RUN: moe-opt %s -split-input-file --moe-differentiate="function=f" | FileCheck %s
// RUN: moe-opt %s -split-input-file --moe-differentiate="function=f mode=split" | FileCheck %s --check-prefix=SPLIT
// RUN: moe-opt %s -split-input-file --moe-differentiate="function=f" --inline | FileCheck %s --check-prefix=INLINED

// Code that calls a derivative declares it; the derivative takes the place of
// the declaration and is as visible.

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.sin %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @f_vjp(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
func.func @step(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  %y, %dx = call @f_vjp(%x, %dy) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %dx : tensor<4xf32>
}
// CHECK-LABEL: func.func private @f(
// CHECK-LABEL: func.func private @f_vjp(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK:         math.cos
// CHECK-NOT:   @f_vjp(tensor
// CHECK-LABEL: func.func @step
// CHECK:         call @f_vjp

// Modes that make other functions leave the declaration alone.
// SPLIT-LABEL: func.func private @f_vjp(tensor<4xf32>, tensor<4xf32>)

// INLINED-LABEL: func.func @step
// INLINED:         math.cos
// INLINED-NOT:     call

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.sin %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @f_bwd(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func private @f_fwd(tensor<4xf32>) -> tensor<4xf32>
// SPLIT-LABEL: func.func private @f(
// SPLIT-LABEL: func.func private @f_fwd(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// SPLIT-LABEL: func.func private @f_bwd(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// SPLIT-NOT:   func.func private

// -----

// Without a declaration the derivative is public, and no derivative changes
// state; names stay.
func.func @f(%w: tensor<4xf32> {moe.aliases_result = 0 : i64, moe.name = "w"}) -> tensor<4xf32> {
  %y = math.sin %w : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @f(%{{.*}}: tensor<4xf32> {moe.aliases_result = 0 : i64, moe.name = "w"})
// CHECK-LABEL: func.func @f_vjp(%{{.*}}: tensor<4xf32> {moe.name = "w"}, %{{.*}}: tensor<4xf32>)
// SPLIT-LABEL: func.func @f(%{{.*}}: tensor<4xf32> {moe.aliases_result = 0 : i64, moe.name = "w"})
// SPLIT-LABEL: func.func @f_fwd(%{{.*}}: tensor<4xf32> {moe.name = "w"})
// SPLIT-LABEL: func.func @f_bwd(%{{.*}}: tensor<4xf32> {moe.name = "w"}
