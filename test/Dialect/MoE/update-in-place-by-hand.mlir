// RUN: moe-opt %s -split-input-file --moe-update-in-place | FileCheck %s
// RUN: moe-opt %s -split-input-file --moe-update-in-place | moe-opt -split-input-file --moe-update-in-place | FileCheck %s

#id = affine_map<(i) -> (i)>

// What updates its argument already is left alone.
// CHECK-LABEL: func.func @done
// CHECK:         moe.kernel "k" (%{{.+}} = %{{.+}} : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
// CHECK-NOT:     moe.kernel
// CHECK:         return
func.func @done(%w: tensor<4xf32> {moe.aliases_result = 0 : i64}) -> tensor<4xf32> {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
    ^bb0(%o: f32):
      %s = arith.negf %o : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    moe.yield %r : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What reads the argument stays before the kernel that updates it by hand.
// CHECK-LABEL: func.func @one_of_two
// CHECK-SAME:    (%[[A:.+]]: tensor<4xf32> {{.*}}, %[[B:.+]]: tensor<4xf32> {{.*}})
// CHECK:         moe.kernel "sum" (%{{.+}} = %[[B]] : tensor<4xf32>, %{{.+}} = %[[A]] : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
// CHECK:         moe.kernel "by_hand" (%{{.+}} = %[[A]] : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
func.func @one_of_two(%a: tensor<4xf32> {moe.aliases_result = 0 : i64}, %b: tensor<4xf32> {moe.aliases_result = 1 : i64})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %1 = moe.kernel "sum" (%y = %b : tensor<4xf32>, %x = %a : tensor<4xf32>) -> (tensor<4xf32>) {
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    moe.yield %r : tensor<4xf32>
  }
  %0 = moe.kernel "by_hand" (%x = %a : tensor<4xf32>) -> (tensor<4xf32>) updates [0] {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
    ^bb0(%p: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    moe.yield %r : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @no_state
// CHECK-NOT:     updates
func.func @no_state(%w: tensor<4xf32>) -> tensor<4xf32> {
  %y = moe.kernel "k" (%a = %w : tensor<4xf32>) -> (tensor<4xf32>) {
    moe.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
