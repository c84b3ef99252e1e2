// RUN: moe-opt %s --moe-fit-interfaces="max-push-constants=8 max-storage-buffers=3" --canonicalize --cse | FileCheck %s
// RUN: moe-opt %s --moe-fit-interfaces="max-push-constants=8 max-storage-buffers=2" --canonicalize --cse | FileCheck %s --check-prefix=SHARED

#space = #spirv.storage_class<StorageBuffer>

// Two push constants stay, three more sizes are written to a buffer in front of
// the dispatch, two at a time.

// CHECK-LABEL: moe_rt.program @sizes
// CHECK:         %[[A:.+]] = moe_rt.dim 0, 0
// CHECK:         %[[B:.+]] = moe_rt.dim 1, 0
// CHECK:         %[[SIZES:.+]] = moe_rt.buffer "five sizes" <transient> bytes %c12
// CHECK:         %[[ALL:.+]] = moe_rt.slice %[[SIZES]] at %c0 bytes %c12
// CHECK:         moe_rt.dispatch @five_sizes grid(%c1, %c1, %c1) push(%[[A]], %[[B]]) writes(%[[ALL]]) label "sizes"
// CHECK:         moe_rt.dispatch @five_sizes_1 grid(%c1, %c1, %c1) push(%[[A]]) writes(%{{.+}}) label "sizes"
// CHECK:         moe_rt.dispatch @five grid(%{{.+}}) push(%[[A]], %[[B]]) reads(%{{.+}}, %[[SIZES]]) writes(%{{.+}})

// CHECK:       gpu.func @five(
// CHECK-SAME:    %{{.+}}: memref<?xf32, {{[^}]+}}abi<(0, 0)>}, %[[OUT:[a-z0-9]+]]: memref<?xf32, {{[^}]+}}abi<(0, 2)>}
// CHECK-SAME:    %[[WORDS:[a-z0-9]+]]: memref<?xi32, {{[^}]+}}abi<(0, 1)>}
// CHECK-SAME:    moe_rt.push_constants = 2 : i32
// CHECK-DAG:     %[[FIRST:.+]] = moe_rt.push_constant 0
// CHECK-DAG:     %[[WORD:.+]] = memref.load %[[WORDS]][%c2]
// CHECK-DAG:     %[[LAST:.+]] = arith.index_cast %[[WORD]] : i32 to index
// CHECK:         memref.store %{{.+}}, %[[OUT]][%[[LAST]]]

// CHECK:       gpu.func @five_sizes(
// CHECK-SAME:    moe_rt.push_constants = 2 : i32
// CHECK-DAG:     moe_rt.push_constant 0
// CHECK-DAG:     moe_rt.push_constant 1
// CHECK:       gpu.func @five_sizes_1(
// CHECK-SAME:    moe_rt.push_constants = 1 : i32
// CHECK:         memref.store %{{.+}}, %{{.+}}[%c2]

// Where bindings end too, they lie at the start of the buffer that the cheapest
// bindings share.

// SHARED-LABEL: moe_rt.program @sizes
// SHARED:         %[[SHARED:.+]] = moe_rt.buffer "five shared" <transient>
// SHARED:         %[[PART:.+]] = moe_rt.slice %[[SHARED]] at %c32 bytes
// SHARED:         moe_rt.copy %{{.+}} to %[[PART]]
// SHARED:         %[[SIZES:.+]] = moe_rt.slice %[[SHARED]] at %c0 bytes %c12
// SHARED:         moe_rt.dispatch @five_sizes {{.+}} writes(%[[SIZES]])
// SHARED:         moe_rt.dispatch @five grid(%{{.+}}) push(%{{.+}}, %{{.+}}) reads(%[[SHARED]]) writes(%{{.+}}) label

// SHARED:       gpu.func @five(
// SHARED-SAME:    memref<?xf32, {{[^}]+}}abi<(0, 1)>}
// SHARED-SAME:    memref<?xf32, {{[^}]+}}abi<(0, 0)>}
// SHARED-SAME:    memref<?xi32, {{[^}]+}}abi<(0, 0)>}

module {
moe_rt.program @sizes {
  %a = moe_rt.dim 0, 0 : "a"
  %b = moe_rt.dim 1, 0 : "b"
  %c1 = arith.constant 1 : index
  %words = affine.apply affine_map<(d0) -> (d0 * 4)>(%a)
  %rows = affine.apply affine_map<(d0) -> (d0 * 64)>(%a)
  %x = moe_rt.buffer "x" <input> bytes %words
  %y = moe_rt.buffer "y" <output> bytes %rows
  moe_rt.dispatch @five grid(%c1, %c1, %c1) push(%a, %b, %a, %b, %a) reads(%x) writes(%y) label "five"
}
gpu.module @kernels {
  gpu.func @five(%x: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                 %y: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>})
      kernel attributes {moe_rt.push_constants = 5 : i32} {
    %0 = moe_rt.push_constant 0
    %4 = moe_rt.push_constant 4
    %v = memref.load %x[%0] : memref<?xf32, #space>
    memref.store %v, %y[%4] : memref<?xf32, #space>
    gpu.return
  }
}
}
