// RUN: moe-opt %s --split-input-file --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(i) -> (i)>
#by4 = #moe.schedule<elementwise, workgroup = 64, vector = 4>

// The argument and its next value are one buffer, and the kernel reads all
// elements before it writes any. Nothing can find a fault, so nothing guards.

// CHECK-LABEL: moe_rt.program @step
// CHECK:         %[[W:.+]] = moe_rt.buffer "w" <input>
// CHECK:         moe_rt.tensor %[[W]] <input> 0 : f32
// CHECK:         %[[G:.+]] = moe_rt.buffer "input 1" <input>
// CHECK:         %[[Y:.+]] = moe_rt.buffer "result 0" <output>
// CHECK:         moe_rt.tensor %[[W]] <output> 1 : f32
// CHECK:         moe_rt.alias 0, 1
// CHECK-NOT:     guard
// CHECK:         moe_rt.dispatch @sum_and_difference grid({{.+}}) reads(%[[G]]) writes(%[[Y]]) updates(%[[W]])
// CHECK-NOT:     moe_rt.dispatch
// CHECK-LABEL: gpu.func @sum_and_difference
// CHECK-SAME:    %[[IN:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}, %[[STATE:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 2)>}, %[[OUT:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 1)>}
// CHECK:         memref.load %[[STATE]]
// CHECK:         memref.load %[[IN]]
// CHECK-NOT:     memref.load
// CHECK:         memref.store %{{.+}}, %[[OUT]]
// CHECK-NEXT:    memref.store %{{.+}}, %[[STATE]]
func.func @step(%w: tensor<8xf32> {moe.aliases_result = 1 : i64, moe.name = "w"}, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %y:2 = moe.kernel "sum_and_difference" (%b = %g : tensor<8xf32>, %a = %w : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>) updates [-1, 1] schedule(#by4) {
    %e = tensor.empty() : tensor<8xf32>
    %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32, %o0: f32, %o1: f32):
      %s = arith.addf %p, %q : f32
      %d = arith.subf %p, %q : f32
      linalg.yield %s, %d : f32, f32
    } -> (tensor<8xf32>, tensor<8xf32>)
    moe.yield %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#by4 = #moe.schedule<elementwise, workgroup = 64, vector = 4>

// The state is given twice and bound once: what reads it and what writes it
// are the same variable to the driver.

// CHECK-LABEL: moe_rt.program @given_twice
// CHECK:         moe_rt.dispatch @doubled grid({{.+}}) updates(%{{[^,]+}}) bytes
// CHECK-LABEL: gpu.func @doubled
// CHECK-SAME:    (%[[STATE:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}) kernel
// CHECK:         memref.load %[[STATE]]
// CHECK:         memref.store %{{.+}}, %[[STATE]]
func.func @given_twice(%w: tensor<8xf32> {moe.aliases_result = 0 : i64}) -> tensor<8xf32> {
  %y = moe.kernel "doubled" (%a = %w : tensor<8xf32>, %b = %w : tensor<8xf32>)
      -> (tensor<8xf32>) updates [0] schedule(#by4) {
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%b : tensor<8xf32>) outs(%a : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    moe.yield %r : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
