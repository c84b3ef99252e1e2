// RUN: moe-opt %s --moe-compile-pipeline=stop-after=gpu | FileCheck %s
// RUN: moe-opt %s --moe-compile-pipeline | FileCheck %s --check-prefix=SPIRV

// Indices that fit 32 bits by the ranges of loops, sizes and constants are
// those of the device. A product that does not is an i64, and a quotient of it
// that does is an index again.

// A size that does not is passed in two push constants, each with a sign: n times
// 100000 is high times 2^32 + low.

#id = affine_map<(d0) -> (d0)>

// CHECK-DAG:   #[[$HIGH:.+]] = affine_map<(d0) -> ((d0 * 3125 + 67108864) floordiv 134217728)>
// CHECK-DAG:   #[[$LOW:.+]] = affine_map<(d0) -> (d0 * 100000 - ((d0 * 3125 + 67108864) floordiv 134217728) * 4294967296)>
// CHECK-LABEL: moe_rt.program @size
// CHECK:         %[[SIZE_HIGH:.+]] = affine.apply #[[$HIGH]]
// CHECK:         %[[SIZE_LOW:.+]] = affine.apply #[[$LOW]]
// CHECK:         moe_rt.dispatch {{.*}} push(%{{.+}}, %[[SIZE_HIGH]], %[[SIZE_LOW]])
// What proves that n fits is asserted where no kernel binds what has it.
// CHECK:         moe_rt.assert %{{.+}} <at_most> %{{.+}}, "dim 0 of input 0 (which kernels compute with, and none reads)"

// CHECK-LABEL: gpu.func @elementwise(
// CHECK-NOT:     i64
// CHECK:         arith.muli %{{.+}}, %{{.+}} : index
// CHECK-NOT:     i64
// CHECK:         gpu.return
// SPIRV-LABEL: spirv.module @elementwise
// SPIRV-NOT:     Int64
func.func @narrow(%like: tensor<8xf32>) -> tensor<46340xi32> {
  %init = tensor.empty() : tensor<46340xi32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<46340xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %square = arith.muli %i, %i : index
    %r = arith.index_cast %square : index to i32
    linalg.yield %r : i32
  } -> tensor<46340xi32>
  return %y : tensor<46340xi32>
}

// CHECK-LABEL: gpu.func @elementwise_1(
// CHECK:         %[[WIDE:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         %[[SQUARE:.+]] = arith.muli %[[WIDE]], %[[WIDE]] : i64
// CHECK:         %[[QUOTIENT:.+]] = arith.divsi %[[SQUARE]], %{{.+}} : i64
// CHECK:         %[[NARROW:.+]] = arith.index_cast %[[QUOTIENT]] : i64 to index
// CHECK:         arith.addi %[[NARROW]], %{{.+}} : index
// SPIRV-LABEL: spirv.module @elementwise_1
// SPIRV-SAME:    Int64
func.func @wide(%like: tensor<8xf32>) -> tensor<50001xi32> {
  %init = tensor.empty() : tensor<50001xi32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<50001xi32>) {
  ^bb0(%out: i32):
    %d = arith.constant 100000 : index
    %i = linalg.index 0 : index
    %square = arith.muli %i, %i : index
    %q = arith.divsi %square, %d : index
    %sum = arith.addi %q, %i : index
    %r = arith.index_cast %sum : index to i32
    linalg.yield %r : i32
  } -> tensor<50001xi32>
  return %y : tensor<50001xi32>
}

// CHECK-LABEL: gpu.func @elementwise_2(
// CHECK-DAG:     %[[HIGH:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         arith.muli %[[HIGH]], %{{.+}} : i64
func.func @size(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %factor = arith.constant 100000 : index
  %large = arith.muli %n, %factor : index
  %init = tensor.empty(%n) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%init : tensor<?xi32>) {
  ^bb0(%out: i32):
    %d = arith.constant 70000 : index
    %q = arith.divui %large, %d : index
    %r = arith.index_cast %q : index to i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
