// RUN: not moe-opt %s --moe-fit-interfaces="max-storage-buffers=0" 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not moe-opt %s --moe-fit-interfaces="max-push-constants=3" 2>&1 | FileCheck %s --check-prefix=SIZES

// BUFFERS: error: expected limits of at least one storage buffer and 4 bytes of push constants, but got 0 and 128
// SIZES: error: expected limits of at least one storage buffer and 4 bytes of push constants, but got 32 and 3
module {}
