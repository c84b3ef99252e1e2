// RUN: moe-opt %s --moe-spirv-pipeline=target=minimal | FileCheck %s --check-prefix=MINIMAL
// RUN: moe-opt %s --moe-spirv-pipeline=target=lavapipe | FileCheck %s --check-prefix=LAVAPIPE
// RUN: moe-opt %s --moe-spirv-pipeline=target=nvidia | FileCheck %s --check-prefix=NVIDIA
// RUN: moe-opt %s --moe-spirv-pipeline=target=amd32 | FileCheck %s --check-prefix=AMD32
// RUN: moe-opt %s --moe-spirv-pipeline=target=amd64 | FileCheck %s --check-prefix=AMD64

// The smallest device has no shuffles, and the limits that Vulkan guarantees,
// which are MLIR's defaults and not printed.
// MINIMAL: #spirv.vce<v1.3, [Shader, SampledBuffer, GroupNonUniform], [SPV_KHR_storage_buffer_storage_class]>
// MINIMAL-SAME: #spirv.resource_limits<subgroup_size = 4,

// LAVAPIPE: #spirv.vce<v1.6,
// LAVAPIPE-SAME: GroupNonUniformShuffle
// LAVAPIPE-NOT: GroupNonUniformClustered
// LAVAPIPE-NOT: CooperativeMatrixKHR
// LAVAPIPE: max_compute_shared_memory_size = 32768, max_compute_workgroup_invocations = 1024
// LAVAPIPE-SAME: max_compute_workgroup_size = [1024 : i32, 1024 : i32, 1024 : i32], subgroup_size = 8

// NVIDIA: #spirv.vce<v1.6,
// NVIDIA-SAME: Float16, StorageBuffer16BitAccess, StorageBuffer8BitAccess, VulkanMemoryModel, BFloat16TypeKHR, CooperativeMatrixKHR, BFloat16CooperativeMatrixKHR
// NVIDIA-SAME: SPV_KHR_cooperative_matrix
// NVIDIA-SAME: max_compute_shared_memory_size = 49152
// NVIDIA-SAME: min_subgroup_size = 32, max_subgroup_size = 32
// NVIDIA-SAME: #spirv.coop_matrix_props_khr<m_size = 16, n_size = 16, k_size = 16, a_type = f16, b_type = f16, c_type = f32, result_type = f32, acc_sat = false, scope = <Subgroup>>

// AMD32: min_subgroup_size = 32, max_subgroup_size = 64
// AMD64: subgroup_size = 64, min_subgroup_size = 64, max_subgroup_size = 64
module {
}
