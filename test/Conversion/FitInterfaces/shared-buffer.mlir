// RUN: moe-opt %s --moe-fit-interfaces="max-storage-buffers=4" --canonicalize --cse | FileCheck %s
// RUN: moe-opt %s --moe-fit-interfaces="max-storage-buffers=6" | FileCheck %s --check-prefix=FITS

// A kernel of six bindings on a device of four: the bias, the table and what it
// updates are cheapest to copy. The table, whose size is not known, comes last,
// and begins at a constant all the same.

#space = #spirv.storage_class<StorageBuffer>

// CHECK-DAG:   #[[$WORDS:.+]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK-DAG:   #[[$ALL:.+]] = affine_map<()[s0] -> ((s0 ceildiv 4) * 16 + 64)>
// CHECK-LABEL: moe_rt.program @few
// CHECK-DAG:     %[[T:.+]] = moe_rt.dim 0, 0
// CHECK-DAG:     %[[TABLE_BYTES:.+]] = affine.apply #[[$WORDS]]()[%[[T]]]
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[C36:.+]] = arith.constant 36 : index
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : index
// CHECK:         %[[X:.+]] = moe_rt.buffer "x"
// CHECK:         %[[BIAS:.+]] = moe_rt.buffer "bias"
// CHECK:         %[[TABLE:.+]] = moe_rt.buffer "table"
// CHECK:         %[[W:.+]] = moe_rt.buffer "w"
// CHECK:         %[[Y:.+]] = moe_rt.buffer "y"
// CHECK:         %[[N:.+]] = moe_rt.buffer "n"
// CHECK:         %[[BYTES:.+]] = affine.apply #[[$ALL]]()[%[[T]]]
// CHECK:         %[[SHARED:.+]] = moe_rt.buffer "six shared" <transient> bytes %[[BYTES]]
// CHECK:         %[[BIAS_PART:.+]] = moe_rt.slice %[[SHARED]] at %[[C0]] bytes %[[C36]]
// CHECK:         moe_rt.copy %[[BIAS]] to %[[BIAS_PART]]
// CHECK:         %[[N_PART:.+]] = moe_rt.slice %[[SHARED]] at %{{.+}} bytes %[[C16]]
// CHECK:         moe_rt.copy %[[N]] to %[[N_PART]]
// CHECK:         %[[TABLE_PART:.+]] = moe_rt.slice %[[SHARED]] at %[[C64]] bytes %[[TABLE_BYTES]]
// CHECK:         moe_rt.copy %[[TABLE]] to %[[TABLE_PART]]
// CHECK:         moe_rt.dispatch @six grid({{.+}}) push(%[[T]]) reads(%[[X]], %[[W]]) writes(%[[Y]]) updates(%[[SHARED]])
// CHECK-NEXT:    moe_rt.copy %[[N_PART]] to %[[N]]

// Elements count from where the part begins: 12 words or 3 vectors for n, 16
// words for the table.
// CHECK:       gpu.func @six(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32, {{[^}]+}}abi<(0, 0)>}
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<?xvector<4xf32>, {{[^}]+}}abi<(0, 1)>}
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?xf32, {{[^}]+}}abi<(0, 2)>}
// CHECK-SAME:    %[[FLOATS:[a-z0-9]+]]: memref<?xf32, {{[^}]+}}abi<(0, 3)>}
// CHECK-SAME:    %[[VECTORS:[a-z0-9]+]]: memref<?xvector<4xi32>, {{[^}]+}}abi<(0, 3)>}
// CHECK-SAME:    %[[INTS:[a-z0-9]+]]: memref<?xi32, {{[^}]+}}abi<(0, 3)>}
// CHECK-DAG:     %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG:     %[[P:.+]] = moe_rt.push_constant 0
// CHECK:         memref.load %[[X]][%[[P]]]
// CHECK:         memref.load %[[FLOATS]][%[[P]]]
// CHECK:         %[[AT:.+]] = arith.addi %[[P]], %[[C16]]
// CHECK:         memref.load %[[INTS]][%[[AT]]]
// CHECK:         memref.load %[[W]][%[[P]]]
// CHECK:         memref.store %{{.+}}, %[[Y]][%[[P]]]
// CHECK:         %[[FOUR:.+]] = memref.load %[[VECTORS]][%[[C3]]]
// CHECK:         memref.store %[[FOUR]], %[[VECTORS]][%[[C3]]]

// FITS-NOT: moe_rt.copy
// FITS:     moe_rt.dispatch @six {{.+}} reads({{.+}}, {{.+}}, {{.+}}, {{.+}}) writes({{.+}}) updates({{.+}})
// FITS-NOT: moe_rt.copy

module {
moe_rt.program @few {
  %t = moe_rt.dim 0, 0 : "t"
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c36 = arith.constant 36 : index
  %rows = affine.apply affine_map<(d0) -> (d0 * 256)>(%t)
  %words = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)
  %large = arith.constant 1048576 : index
  %x = moe_rt.buffer "x" <input> bytes %rows
  %bias = moe_rt.buffer "bias" <input> bytes %c36
  %table = moe_rt.buffer "table" <input> bytes %words
  %w = moe_rt.buffer "w" <input> bytes %large
  %y = moe_rt.buffer "y" <output> bytes %rows
  %n = moe_rt.buffer "n" <input> bytes %c16
  moe_rt.dispatch @six grid(%t, %c1, %c1) push(%t) reads(%x, %bias, %table, %w) writes(%y) updates(%n)
}
gpu.module @kernels {
  gpu.func @six(%x: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                %bias: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>},
                %table: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 2)>},
                %w: memref<?xvector<4xf32>, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 3)>},
                %y: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 4)>},
                %n: memref<?xvector<4xi32>, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 5)>})
      kernel attributes {moe_rt.push_constants = 1 : i32} {
    %p = moe_rt.push_constant 0
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%p] : memref<?xf32, #space>
    %b = memref.load %bias[%p] : memref<?xf32, #space>
    %c = memref.load %table[%p] : memref<?xi32, #space>
    %d = memref.load %w[%p] : memref<?xvector<4xf32>, #space>
    %e = arith.sitofp %c : i32 to f32
    %f = vector.extract %d[0] : f32 from vector<4xf32>
    %g = arith.addf %a, %b : f32
    %h = arith.addf %e, %f : f32
    %i = arith.addf %g, %h : f32
    memref.store %i, %y[%p] : memref<?xf32, #space>
    %four = memref.load %n[%c0] : memref<?xvector<4xi32>, #space>
    memref.store %four, %n[%c0] : memref<?xvector<4xi32>, #space>
    gpu.return
  }
}
}
