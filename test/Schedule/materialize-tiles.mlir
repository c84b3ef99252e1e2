// RUN: moe-opt %s --moe-materialize-tiles | FileCheck %s

#tiled = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 16, columns = 32, vector = 4>
#low = #moe.schedule<matmul, workgroup = 8, lanes = 8, rows = 8, columns = 32, vector = 4>

// Products over one prefix share a table of one height.

// CHECK-LABEL: func.func @shared
// CHECK:         %[[TABLE:.+]] = moe.kernel "tiles" (%{{.+}} = %[[OFFSETS:.+]] : tensor<9xi32>, %{{.+}} = %{{.+}} : index) -> (tensor<?x3xi32>)
// CHECK:           moe.tiles %{{.+}}, %{{.+}} {rows = 16 : i64}
// CHECK-NOT:     moe.kernel "tiles"
// CHECK:         moe.kernel "up"{{.*}} = %[[TABLE]] : tensor<?x3xi32>)
// CHECK:         moe.kernel "down"{{.*}} = %[[TABLE]] : tensor<?x3xi32>)
// CHECK:         moe.kernel "tiles"
// CHECK:           moe.tiles %{{.+}}, %{{.+}} {rows = 8 : i64}
// CHECK:         moe.kernel "low"
func.func @shared(%x: tensor<?x64xf32>, %w: tensor<8x64x64xf32>, %offsets: tensor<9xi32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = moe.kernel "up" (%a = %x : tensor<?x64xf32>, %m = %w : tensor<8x64x64xf32>, %o = %offsets : tensor<9xi32>) -> (tensor<?x64xf32>) schedule(#tiled) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  %1 = moe.kernel "down" (%a = %x : tensor<?x64xf32>, %m = %w : tensor<8x64x64xf32>, %o = %offsets : tensor<9xi32>) -> (tensor<?x64xf32>) schedule(#tiled) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  %2 = moe.kernel "low" (%a = %x : tensor<?x64xf32>, %m = %w : tensor<8x64x64xf32>, %o = %offsets : tensor<9xi32>) -> (tensor<?x64xf32>) schedule(#low) {
    %y = moe.grouped_matmul %a, %m, %o : tensor<?x64xf32>, tensor<8x64x64xf32>, tensor<9xi32> -> tensor<?x64xf32>
    moe.yield %y : tensor<?x64xf32>
  }
  return %0, %1, %2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
