// RUN: moe-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// Bodies of four elements at once: what is the same for all stays scalar, and
// indices are kept as their first for as long as they are neighbours.

#id = affine_map<(d0, d1) -> (d0, d1)>
#by4 = #moe.schedule<elementwise, workgroup = 64, vector = 4>

// CHECK-LABEL: gpu.func @neighbours
// CHECK-SAME:    (%[[X:.+]]: memref<?xvector<4xf32>, {{.*}}<(0, 0)>}, %{{.+}}: memref
// CHECK:         %[[ROW:.+]] = arith.divui
// CHECK:         memref.load %[[X]]
// CHECK-NOT:     memref.load
// CHECK:         %[[VALUE:.+]] = arith.index_cast %[[ROW]] : index to i32
// CHECK:         %[[FLOAT:.+]] = arith.sitofp %[[VALUE]] : i32 to f32
// CHECK:         %[[ALL:.+]] = vector.broadcast %[[FLOAT]] : f32 to vector<4xf32>
// CHECK:         arith.addf %{{.+}}, %[[ALL]] : vector<4xf32>
func.func @f(%x: tensor<?x16xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x16xf32>
  %0 = moe.kernel "neighbours" (%a = %x : tensor<?x16xf32>, %n = %t : index) -> (tensor<?x8xf32>) schedule(#by4) {
    %c4 = arith.constant 4 : index
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
    ^bb0(%out: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %shifted = arith.addi %column, %c4 : index
      %value = tensor.extract %a[%row, %shifted] : tensor<?x16xf32>
      %i = arith.index_cast %row : index to i32
      %f = arith.sitofp %i : i32 to f32
      %sum = arith.addf %value, %f : f32
      linalg.yield %sum : f32
    } -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// Anything else is read element by element.

// CHECK-LABEL:   gpu.func @mirrored
// CHECK-COUNT-4:   memref.load %{{.+}} : memref<?xf32
// CHECK:           vector.from_elements
// CHECK:           memref.store %{{.+}} : memref<?xvector<4xf32>
func.func @g(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %0 = moe.kernel "mirrored" (%a = %x : tensor<?x8xf32>, %n = %t : index) -> (tensor<?x8xf32>) schedule(#by4) {
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
    ^bb0(%out: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %mirrored = affine.apply affine_map<(d0) -> (-d0 + 7)>(%column)
      %value = tensor.extract %a[%row, %mirrored] : tensor<?x8xf32>
      linalg.yield %value : f32
    } -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// A producer in the kernel is computed where it is read, and never stored. Its
// i1 never leaves registers.

// CHECK-LABEL: gpu.func @clamp
// CHECK:         %[[X:.+]] = memref.load %{{.+}} : memref<?xvector<4xf32>
// CHECK:         %[[NEGATIVE:.+]] = arith.cmpf olt, %[[X]], %{{.+}} : vector<4xf32>
// CHECK:         %[[CLAMPED:.+]] = arith.select %[[NEGATIVE]], %{{.+}}, %[[X]] : vector<4xi1>, vector<4xf32>
// CHECK:         memref.store %[[CLAMPED]]
func.func @h(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %0 = moe.kernel "clamp" (%a = %x : tensor<?x8xf32>, %n = %t : index) -> (tensor<?x8xf32>) schedule(#by4) {
    %zero = arith.constant 0.0 : f32
    %m = tensor.empty(%n) : tensor<?x8xi1>
    %negative = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x8xf32>) outs(%m : tensor<?x8xi1>) {
    ^bb0(%p: f32, %out: i1):
      %c = arith.cmpf olt, %p, %zero : f32
      linalg.yield %c : i1
    } -> tensor<?x8xi1>
    %e = tensor.empty(%n) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%negative, %a : tensor<?x8xi1>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%c: i1, %p: f32, %out: f32):
      %v = arith.select %c, %zero, %p : f32
      linalg.yield %v : f32
    } -> tensor<?x8xf32>
    moe.yield %y : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}
