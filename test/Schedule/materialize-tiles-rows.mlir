// RUN: moe-opt %s -split-input-file --moe-materialize-tiles | FileCheck %s

// Which tables are shared, and how many rows each covers.

#tiled = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>

// Both products of one plan read the table of its T·K rows, though the rows of
// the second come from another kernel.

// CHECK-LABEL: func.func @one_plan
// CHECK:         %[[PLAN:.+]]:3 = moe.kernel "plan"
// CHECK:         %[[T:.+]] = tensor.dim %arg1
// CHECK:         %[[ROWS:.+]] = affine.apply {{.*}}%[[T]]
// CHECK:         %[[TABLE:.+]] = moe.kernel "tiles" (%{{.+}} = %[[PLAN]]#0 : tensor<9xi32>, %{{.+}} = %[[ROWS]] : index)
// CHECK-NOT:     moe.kernel "tiles"
// CHECK:         %[[UP:.+]] = moe.kernel "up"{{.*}} = %[[TABLE]] : tensor<?x3xi32>)
// CHECK:         moe.kernel "down" (%{{.+}} = %[[UP]]{{.*}} = %[[TABLE]] : tensor<?x3xi32>)
func.func @one_plan(%x: tensor<?x64xf32>, %indices: tensor<?x2xi32>, %w: tensor<8x64x64xf32>) -> tensor<?x64xf32> {
  %plan:3 = moe.kernel "plan" (%i = %indices : tensor<?x2xi32>) -> (tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>) schedule(#moe.schedule<plan>) {
    %o, %s, %r, %e = moe.plan %i {experts = 8 : i64} : tensor<?x2xi32> -> tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
    moe.yield %o, %s, %r : tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32>
  }
  %up = moe.kernel "up" (%a = %x : tensor<?x64xf32>, %m = %w : tensor<8x64x64xf32>, %o = %plan#0 : tensor<9xi32>, %s = %plan#1 : tensor<?x2xi32>, %r = %plan#2 : tensor<?xi32>) -> (tensor<?x64xf32>) schedule(#tiled) {
    %rows = moe.dispatch %a, %o, %s, %r : tensor<?x64xf32>, tensor<9xi32>, tensor<?x2xi32>, tensor<?xi32> -> tensor<?x64xf32>
    %y = moe.grouped_matmul %rows, %m, %o : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  %down = moe.kernel "down" (%a = %up : tensor<?x64xf32>, %m = %w : tensor<8x64x64xf32>, %o = %plan#0 : tensor<9xi32>) -> (tensor<?x64xf32>) schedule(#tiled) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  return %down : tensor<?x64xf32>
}

// -----

#tiled = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>

// Rows of a slice are counted outside of the kernel that slices. 100 rows in
// tiles of 16 for 2 experts are at most 9 tiles.

// CHECK-LABEL: func.func @slices
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<?x64xf32>, %[[Y:[a-z0-9]+]]: tensor<100x64xf32>
// CHECK:         %[[T:.+]] = tensor.dim %[[X]]
// CHECK:         %[[ANY:.+]] = moe.kernel "tiles" (%{{.+}} = %{{.+}} : tensor<3xi32>, %{{.+}} = %[[T]] : index) -> (tensor<?x3xi32>)
// CHECK:         moe.kernel "dynamic"{{.*}} = %[[ANY]]
// CHECK:         %[[C100:.+]] = arith.constant 100 : index
// CHECK:         %[[KNOWN:.+]] = moe.kernel "tiles" (%{{.+}} = %{{.+}} : tensor<3xi32>, %{{.+}} = %[[C100]] : index) -> (tensor<9x3xi32>)
// CHECK:         moe.kernel "static"{{.*}} = %[[KNOWN]]
func.func @slices(%x: tensor<?x64xf32>, %y: tensor<100x64xf32>, %w: tensor<2x8x4xf32>, %offsets: tensor<3xi32>) -> (tensor<?x4xf32>, tensor<100x4xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x64xf32>
  %0 = moe.kernel "dynamic" (%a = %x : tensor<?x64xf32>, %size = %t : index, %m = %w : tensor<2x8x4xf32>, %o = %offsets : tensor<3xi32>) -> (tensor<?x4xf32>) schedule(#tiled) {
    %part = tensor.extract_slice %a[0, 8] [%size, 8] [1, 1] : tensor<?x64xf32> to tensor<?x8xf32>
    %p = moe.grouped_matmul %part, %m, %o : tensor<?x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<?x4xf32>
    moe.yield %p : tensor<?x4xf32>
  }
  %1 = moe.kernel "static" (%a = %y : tensor<100x64xf32>, %m = %w : tensor<2x8x4xf32>, %o = %offsets : tensor<3xi32>) -> (tensor<100x4xf32>) schedule(#tiled) {
    %part = tensor.extract_slice %a[0, 8] [100, 8] [1, 1] : tensor<100x64xf32> to tensor<100x8xf32>
    %p = moe.grouped_matmul %part, %m, %o : tensor<100x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<100x4xf32>
    moe.yield %p : tensor<100x4xf32>
  }
  return %0, %1 : tensor<?x4xf32>, tensor<100x4xf32>
}

// -----

#tiled = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>

// Other offsets, other table. A product that is not scheduled as tiles has none.

// CHECK-LABEL: func.func @two_prefixes
// CHECK-SAME:    %[[O:[a-z0-9]+]]: tensor<3xi32>, %[[P:[a-z0-9]+]]: tensor<3xi32>)
// CHECK:         moe.kernel "tiles" (%{{.+}} = %[[O]] :
// CHECK:         moe.kernel "first"
// CHECK:         moe.kernel "tiles" (%{{.+}} = %[[P]] :
// CHECK:         moe.kernel "second"
// CHECK-NOT:     moe.kernel "tiles"
// CHECK:         moe.kernel "unscheduled" (%{{[^=]+}} = %{{[^=]+}}, %{{[^=]+}} = %{{[^=]+}}, %{{[^=]+}} = %[[O]] : tensor<3xi32>) ->
func.func @two_prefixes(%x: tensor<8x8xf32>, %w: tensor<2x8x4xf32>, %o1: tensor<3xi32>, %o2: tensor<3xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = moe.kernel "first" (%a = %x : tensor<8x8xf32>, %m = %w : tensor<2x8x4xf32>, %o = %o1 : tensor<3xi32>) -> (tensor<8x4xf32>) schedule(#tiled) {
    %p = moe.grouped_matmul %a, %m, %o : tensor<8x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<8x4xf32>
    moe.yield %p : tensor<8x4xf32>
  }
  %1 = moe.kernel "second" (%a = %x : tensor<8x8xf32>, %m = %w : tensor<2x8x4xf32>, %o = %o2 : tensor<3xi32>) -> (tensor<8x4xf32>) schedule(#tiled) {
    %p = moe.grouped_matmul %a, %m, %o : tensor<8x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<8x4xf32>
    moe.yield %p : tensor<8x4xf32>
  }
  %2 = moe.kernel "unscheduled" (%a = %x : tensor<8x8xf32>, %m = %w : tensor<2x8x4xf32>, %o = %o1 : tensor<3xi32>) -> (tensor<8x4xf32>) {
    %p = moe.grouped_matmul %a, %m, %o : tensor<8x8xf32>, tensor<2x8x4xf32>, tensor<3xi32> -> tensor<8x4xf32>
    moe.yield %p : tensor<8x4xf32>
  }
  return %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
