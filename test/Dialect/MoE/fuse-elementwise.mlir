// RUN: moe-opt %s --moe-fuse-elementwise="max-storage-buffers=4" | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: moe-opt %s --moe-fuse-elementwise="max-storage-buffers=5" | FileCheck %s --check-prefixes=CHECK,FIVE

// Four inputs and a result are five buffers.

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @four_inputs
// FOUR:          %[[THREE:.+]] = linalg.generic {{.+}} ins(%arg2, %arg0, %arg1 :
// FOUR:          linalg.generic {{.+}} ins(%arg3, %[[THREE]] :
// FIVE:          linalg.generic {{.+}} ins(%arg3, %arg2, %arg0, %arg1 :
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @four_inputs(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%c, %0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%d, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A tensor counts once, however often it and views of it are read, and what no
// buffer can hold is in the kernel anyway.

// CHECK-LABEL: func.func @one_tensor_read_in_parts
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @one_tensor_read_in_parts(%a: tensor<16xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %low = tensor.extract_slice %a[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %high = tensor.extract_slice %a[8] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %p = tensor.empty() : tensor<8xi1>
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%low, %b : tensor<8xf32>, tensor<8xf32>) outs(%p : tensor<8xi1>) {
  ^bb0(%x: f32, %y: f32, %o: i1):
    %s = arith.cmpf ogt, %x, %y : f32
    linalg.yield %s : i1
  } -> tensor<8xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%0, %low, %high, %c : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: i1, %y: f32, %z: f32, %w: f32, %o: f32):
    %s = arith.select %x, %y, %z : f32
    %t = arith.addf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
