// RUN: moe-opt %s -split-input-file -verify-diagnostics --moe-fit-interfaces="max-storage-buffers=1"

#space = #spirv.storage_class<StorageBuffer>

moe_rt.program @only_loads_and_stores_move {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %c64
  %y = moe_rt.buffer "y" <output> bytes %c64
  // expected-error @+1 {{expected kernel 'atomic' to have 2 bindings that can share a buffer, so that it binds at most 1, but got 1}}
  moe_rt.dispatch @atomic grid(%c1, %c1, %c1) reads(%x) updates(%y)
}
gpu.module @kernels {
  gpu.func @atomic(%x: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                   %y: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>}) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xi32, #space>
    %b = memref.atomic_rmw addi %a, %y[%c0] : (i32, memref<?xi32, #space>) -> i32
    gpu.return
  }
}

// -----

#space = #spirv.storage_class<StorageBuffer>

// Two copies back would undo each other's writes.
moe_rt.program @no_buffer_is_copied_back_twice {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %y = moe_rt.buffer "y" <output> bytes %c64
  %half = moe_rt.slice %y at %c0 bytes %c32
  // expected-error @+1 {{expected kernel 'twice' to have 2 bindings that can share a buffer, so that it binds at most 1, but got 0}}
  moe_rt.dispatch @twice grid(%c1, %c1, %c1) writes(%half) updates(%y)
}
gpu.module @kernels {
  gpu.func @twice(%x: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                  %y: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>}) kernel {
    gpu.return
  }
}

// -----

#space = #spirv.storage_class<StorageBuffer>

moe_rt.program @dispatches_that_bind_otherwise {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %c64
  %y = moe_rt.buffer "y" <output> bytes %c64
  moe_rt.dispatch @copy grid(%c1, %c1, %c1) reads(%x) writes(%y)
  // expected-error @+1 {{expected to bind and push as the first dispatch of kernel 'copy' does, but got others}}
  moe_rt.dispatch @copy grid(%c1, %c1, %c1) updates(%x, %y)
}
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                 %y: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 1)>}) kernel {
    gpu.return
  }
}

// -----

#space = #spirv.storage_class<StorageBuffer>

moe_rt.program @arguments_without_a_binding {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = moe_rt.buffer "x" <input> bytes %c64
  %y = moe_rt.buffer "y" <output> bytes %c64
  moe_rt.dispatch @copy grid(%c1, %c1, %c1) reads(%x) writes(%y)
}
gpu.module @kernels {
  // expected-error @+1 {{expected argument 1 to have a binding below 2 (those of its dispatches), but got none}}
  gpu.func @copy(%x: memref<?xi32, #space> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>},
                 %y: memref<?xi32, #space>) kernel {
    gpu.return
  }
}
