// RUN: moe-opt %s --moe-schedule-pipeline --moe-linalg-pipeline --moe-gpu-pipeline --moe-spirv-pipeline --moe-program-pipeline | FileCheck %s
// RUN: moe-opt %s --moe-schedule-pipeline=target=minimal --moe-linalg-pipeline=target=minimal --moe-gpu-pipeline=target=minimal --moe-spirv-pipeline=target=minimal --moe-program-pipeline=target=minimal | FileCheck %s

// 33 sizes that no expression joins: more push constants than 128 bytes. The last
// one reaches the kernel in a buffer.

// CHECK: moe_rt.dispatch @sizes_sizes {{.*}} push(%[[LAST:[a-z0-9_]+]]) writes(
// CHECK: moe_rt.barrier
// CHECK: moe_rt.dispatch @sizes {{.*}} push({{([^,]+, ){31}[^,]+}}) reads({{[^,]+}}) writes({{[^,]+}})

func.func @f(%x0: tensor<?xf32>, %x1: tensor<?xf32>, %x2: tensor<?xf32>,
             %x3: tensor<?xf32>, %x4: tensor<?xf32>, %x5: tensor<?xf32>,
             %x6: tensor<?xf32>, %x7: tensor<?xf32>, %x8: tensor<?xf32>,
             %x9: tensor<?xf32>, %x10: tensor<?xf32>, %x11: tensor<?xf32>,
             %x12: tensor<?xf32>, %x13: tensor<?xf32>, %x14: tensor<?xf32>,
             %x15: tensor<?xf32>, %x16: tensor<?xf32>, %x17: tensor<?xf32>,
             %x18: tensor<?xf32>, %x19: tensor<?xf32>, %x20: tensor<?xf32>,
             %x21: tensor<?xf32>, %x22: tensor<?xf32>, %x23: tensor<?xf32>,
             %x24: tensor<?xf32>, %x25: tensor<?xf32>, %x26: tensor<?xf32>,
             %x27: tensor<?xf32>, %x28: tensor<?xf32>, %x29: tensor<?xf32>,
             %x30: tensor<?xf32>, %x31: tensor<?xf32>, %x32: tensor<?xf32>) -> tensor<1xi32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x0, %c0 : tensor<?xf32>
  %d1 = tensor.dim %x1, %c0 : tensor<?xf32>
  %d2 = tensor.dim %x2, %c0 : tensor<?xf32>
  %d3 = tensor.dim %x3, %c0 : tensor<?xf32>
  %d4 = tensor.dim %x4, %c0 : tensor<?xf32>
  %d5 = tensor.dim %x5, %c0 : tensor<?xf32>
  %d6 = tensor.dim %x6, %c0 : tensor<?xf32>
  %d7 = tensor.dim %x7, %c0 : tensor<?xf32>
  %d8 = tensor.dim %x8, %c0 : tensor<?xf32>
  %d9 = tensor.dim %x9, %c0 : tensor<?xf32>
  %d10 = tensor.dim %x10, %c0 : tensor<?xf32>
  %d11 = tensor.dim %x11, %c0 : tensor<?xf32>
  %d12 = tensor.dim %x12, %c0 : tensor<?xf32>
  %d13 = tensor.dim %x13, %c0 : tensor<?xf32>
  %d14 = tensor.dim %x14, %c0 : tensor<?xf32>
  %d15 = tensor.dim %x15, %c0 : tensor<?xf32>
  %d16 = tensor.dim %x16, %c0 : tensor<?xf32>
  %d17 = tensor.dim %x17, %c0 : tensor<?xf32>
  %d18 = tensor.dim %x18, %c0 : tensor<?xf32>
  %d19 = tensor.dim %x19, %c0 : tensor<?xf32>
  %d20 = tensor.dim %x20, %c0 : tensor<?xf32>
  %d21 = tensor.dim %x21, %c0 : tensor<?xf32>
  %d22 = tensor.dim %x22, %c0 : tensor<?xf32>
  %d23 = tensor.dim %x23, %c0 : tensor<?xf32>
  %d24 = tensor.dim %x24, %c0 : tensor<?xf32>
  %d25 = tensor.dim %x25, %c0 : tensor<?xf32>
  %d26 = tensor.dim %x26, %c0 : tensor<?xf32>
  %d27 = tensor.dim %x27, %c0 : tensor<?xf32>
  %d28 = tensor.dim %x28, %c0 : tensor<?xf32>
  %d29 = tensor.dim %x29, %c0 : tensor<?xf32>
  %d30 = tensor.dim %x30, %c0 : tensor<?xf32>
  %d31 = tensor.dim %x31, %c0 : tensor<?xf32>
  %d32 = tensor.dim %x32, %c0 : tensor<?xf32>
  %0 = moe.kernel "sizes" (%n0 = %d0 : index, %n1 = %d1 : index, %n2 = %d2 : index,
                           %n3 = %d3 : index, %n4 = %d4 : index, %n5 = %d5 : index,
                           %n6 = %d6 : index, %n7 = %d7 : index, %n8 = %d8 : index,
                           %n9 = %d9 : index, %n10 = %d10 : index, %n11 = %d11 : index,
                           %n12 = %d12 : index, %n13 = %d13 : index, %n14 = %d14 : index,
                           %n15 = %d15 : index, %n16 = %d16 : index, %n17 = %d17 : index,
                           %n18 = %d18 : index, %n19 = %d19 : index, %n20 = %d20 : index,
                           %n21 = %d21 : index, %n22 = %d22 : index, %n23 = %d23 : index,
                           %n24 = %d24 : index, %n25 = %d25 : index, %n26 = %d26 : index,
                           %n27 = %d27 : index, %n28 = %d28 : index, %n29 = %d29 : index,
                           %n30 = %d30 : index, %n31 = %d31 : index, %n32 = %d32 : index)
      -> (tensor<1xi32>) schedule(#moe.schedule<elementwise>) {
    %e = tensor.empty() : tensor<1xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%e : tensor<1xi32>) {
    ^bb0(%out: i32):
      %s1 = arith.maxui %n0, %n1 : index
      %s2 = arith.maxui %s1, %n2 : index
      %s3 = arith.maxui %s2, %n3 : index
      %s4 = arith.maxui %s3, %n4 : index
      %s5 = arith.maxui %s4, %n5 : index
      %s6 = arith.maxui %s5, %n6 : index
      %s7 = arith.maxui %s6, %n7 : index
      %s8 = arith.maxui %s7, %n8 : index
      %s9 = arith.maxui %s8, %n9 : index
      %s10 = arith.maxui %s9, %n10 : index
      %s11 = arith.maxui %s10, %n11 : index
      %s12 = arith.maxui %s11, %n12 : index
      %s13 = arith.maxui %s12, %n13 : index
      %s14 = arith.maxui %s13, %n14 : index
      %s15 = arith.maxui %s14, %n15 : index
      %s16 = arith.maxui %s15, %n16 : index
      %s17 = arith.maxui %s16, %n17 : index
      %s18 = arith.maxui %s17, %n18 : index
      %s19 = arith.maxui %s18, %n19 : index
      %s20 = arith.maxui %s19, %n20 : index
      %s21 = arith.maxui %s20, %n21 : index
      %s22 = arith.maxui %s21, %n22 : index
      %s23 = arith.maxui %s22, %n23 : index
      %s24 = arith.maxui %s23, %n24 : index
      %s25 = arith.maxui %s24, %n25 : index
      %s26 = arith.maxui %s25, %n26 : index
      %s27 = arith.maxui %s26, %n27 : index
      %s28 = arith.maxui %s27, %n28 : index
      %s29 = arith.maxui %s28, %n29 : index
      %s30 = arith.maxui %s29, %n30 : index
      %s31 = arith.maxui %s30, %n31 : index
      %s32 = arith.maxui %s31, %n32 : index
      %i = arith.index_cast %s32 : index to i32
      linalg.yield %i : i32
    } -> tensor<1xi32>
    moe.yield %y : tensor<1xi32>
  }
  return %0 : tensor<1xi32>
}
