// RUN: moe-opt %s -split-input-file --moe-fit-interfaces="max-push-constants=8 max-storage-buffers=2" --canonicalize --cse | FileCheck %s

#space = #spirv.storage_class<StorageBuffer>

// A kernel that is dispatched for one slice after another gets a buffer for each
// dispatch. Parts of which the sizes differ begin at push constants. What has been
// written before is copied in; the first slice of the result has not.

// CHECK-LABEL: moe_rt.program @slices
// CHECK:         %[[W:.+]] = moe_rt.buffer "w"
// CHECK:         %[[Y:.+]] = moe_rt.buffer "y"
// CHECK:         %[[FIRST:.+]] = moe_rt.buffer "three shared" <transient> bytes %c64
// CHECK:         moe_rt.copy
// CHECK-NOT:     moe_rt.copy
// CHECK:         moe_rt.dispatch @three grid(%c1, %c1, %c1) push(%c2) reads(%[[W]]) updates(%[[FIRST]])
// CHECK-NEXT:    moe_rt.copy
// CHECK-NEXT:    %[[SECOND:.+]] = moe_rt.buffer "three shared" <transient> bytes %c32
// CHECK:         moe_rt.copy
// CHECK:         moe_rt.copy
// CHECK:         moe_rt.dispatch @three grid(%c1, %c1, %c1) push(%c1) reads(%[[W]]) updates(%[[SECOND]])
// CHECK-NEXT:    moe_rt.copy
// CHECK-NEXT:  }

module {
moe_rt.program @slices {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  %x = moe_rt.buffer "x" <input> bytes %c4096
  %w = moe_rt.buffer "w" <input> bytes %c4096
  %y = moe_rt.buffer "y" <output> bytes %c4096
  %upper_x = moe_rt.slice %x at %c0 bytes %c32
  %lower_x = moe_rt.slice %x at %c32 bytes %c16
  %upper_y = moe_rt.slice %y at %c0 bytes %c32
  %lower_y = moe_rt.slice %y at %c32 bytes %c16
  moe_rt.dispatch @three grid(%c1, %c1, %c1) reads(%upper_x, %w) writes(%upper_y)
  moe_rt.dispatch @three grid(%c1, %c1, %c1) reads(%lower_x, %w) writes(%lower_y)
}
gpu.module @kernels {
  gpu.func @three(%x: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                  %w: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>},
                  %y: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 2)>})
      kernel attributes {moe_rt.push_constants = 0 : i32} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #space>
    %b = memref.load %w[%c0] : memref<?xf32, #space>
    %c = arith.addf %a, %b : f32
    memref.store %c, %y[%c0] : memref<?xf32, #space>
    gpu.return
  }
}
}

// -----

#space = #spirv.storage_class<StorageBuffer>

// State that a kernel updates through a shared buffer keeps its bits where the
// grid in memory is zero: it is copied in, and back.

// CHECK-LABEL: moe_rt.program @state
// CHECK:         %[[N:.+]] = moe_rt.buffer "n"
// CHECK:         moe_rt.copy %[[N]] to %[[PART:.+]]
// CHECK:         moe_rt.dispatch_indirect @update grid(%{{.+}} at %{{.+}}) reads(%{{.+}}) updates(%{{.+}})
// CHECK-NEXT:    moe_rt.copy %[[PART]] to %[[N]]

module {
moe_rt.program @state {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %c64
  %s = moe_rt.buffer "s" <input> bytes %c12
  %n = moe_rt.buffer "n" <input> bytes %c16
  %grid = moe_rt.buffer "grid" <transient> bytes %c12
  moe_rt.dispatch_indirect @update grid(%grid at %c0) reads(%x, %s) updates(%n)
}
gpu.module @kernels {
  gpu.func @update(%x: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                   %s: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>},
                   %n: memref<?xf32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 2)>})
      kernel attributes {moe_rt.push_constants = 0 : i32} {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #space>
    %b = memref.load %s[%c0] : memref<?xf32, #space>
    %c = arith.addf %a, %b : f32
    memref.store %c, %n[%c0] : memref<?xf32, #space>
    gpu.return
  }
}
}
