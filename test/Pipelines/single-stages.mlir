// RUN: moe-opt %s --moe-compile-pipeline=target=nvidia > %t.whole
// RUN: moe-opt %s --moe-kernels-pipeline=target=nvidia \
// RUN:   | moe-opt --moe-schedule-pipeline=target=nvidia \
// RUN:   | moe-opt --moe-linalg-pipeline=target=nvidia \
// RUN:   | moe-opt --moe-gpu-pipeline \
// RUN:   | moe-opt --moe-spirv-pipeline=target=nvidia \
// RUN:   | moe-opt --moe-program-pipeline=target=nvidia > %t.stages
// RUN: diff %t.whole %t.stages
// RUN: FileCheck %s --input-file=%t.stages

// The stages one by one, printed and parsed in between, are the whole.

// CHECK: moe_rt.program @layer
// CHECK: spirv.module @matmul

func.func @layer(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>) -> (tensor<?x128xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%t) : tensor<?x128xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>)
                     outs(%i : tensor<?x128xf32>) -> tensor<?x128xf32>
  %f = tensor.empty(%t) : tensor<?x128xf32>
  %p = linalg.softmax dimension(1) ins(%h : tensor<?x128xf32>) outs(%f : tensor<?x128xf32>) -> tensor<?x128xf32>
  %g = tensor.empty(%t) : tensor<?xf32>
  %j = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<?x128xf32>) outs(%j : tensor<?xf32>) dimensions = [1]
  return %p, %s : tensor<?x128xf32>, tensor<?xf32>
}
