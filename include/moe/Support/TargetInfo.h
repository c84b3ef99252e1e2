//===- TargetInfo.h - What the compiler knows of a device -------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Plain facts, the same as the bundle's DeviceFacts, filled from a live device
// or from a named target. Nothing asks for a vendor: decisions read features.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_SUPPORT_TARGETINFO_H
#define MOE_SUPPORT_TARGETINFO_H

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Support/LLVM.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mlir::moe {

/// Element types that a bundle can name, with the bundle's numbers.
enum class ElementKind : uint8_t { F32, I32, F16, BF16, I8, U8, I64, I16 };

/// The type of MLIR; U8 is the only unsigned one.
Type getElementType(MLIRContext *context, ElementKind kind);
std::optional<ElementKind> getElementKind(Type type);

/// What invocations of a subgroup can do together: bits with the numbers of
/// Vulkan's subgroup feature flags.
enum SubgroupOperation : uint32_t {
  SubgroupBasic = 1u << 0,
  SubgroupVote = 1u << 1,
  SubgroupArithmetic = 1u << 2,
  SubgroupBallot = 1u << 3,
  SubgroupShuffle = 1u << 4,
  SubgroupShuffleRelative = 1u << 5,
  SubgroupClustered = 1u << 6,
  SubgroupQuad = 1u << 7,
};

/// One supported shape of a cooperative matrix product, of subgroup scope.
struct CooperativeMatrixShape {
  uint32_t m, n, k;
  ElementKind a, b, c, result;
};

/// Vulkan's packing of a version.
constexpr uint32_t makeApiVersion(uint32_t major, uint32_t minor) {
  return major << 22 | minor << 12;
}

/// All sizes are in bytes. The values given here are what every Vulkan 1.1
/// device must offer, or is known to.
struct TargetInfo {
  std::string name;
  uint32_t apiVersion = makeApiVersion(1, 1);
  uint32_t subgroupSize = 4; ///< what a kernel gets when it asks for none
  uint32_t minSubgroupSize = 4;
  uint32_t maxSubgroupSize = 4;
  uint32_t maxWorkgroupInvocations = 128;
  std::array<uint32_t, 3> maxWorkgroupSize = {128, 128, 64};
  std::array<uint32_t, 3> maxWorkgroupCount = {65535, 65535, 65535};
  uint32_t maxSharedMemory = 16384;
  uint32_t maxPushConstants = 128;
  uint32_t maxStorageBuffers = 4; ///< per stage
  uint64_t maxStorageRange = uint64_t(1) << 27;
  uint32_t minStorageAlignment = 256;
  uint32_t maxTexelElements = 65536;
  /// Iterations of all loops of one invocation together, after which the device
  /// leaves them; 0: no limit. Vulkan does not speak of one, so the smallest
  /// device has the lowest that is known.
  uint32_t maxLoopIterations = 65535;
  uint32_t subgroupOperations = SubgroupBasic;
  bool shaderInt64 = false;
  bool shaderInt16 = false;
  bool shaderInt8 = false;
  bool shaderFloat16 = false;
  bool storage16Bit = false;
  bool storage8Bit = false;
  bool bufferDeviceAddress = false;
  bool vulkanMemoryModel = false;
  bool bfloat16 = false;
  std::vector<CooperativeMatrixShape> cooperativeMatrices;

  bool supports(SubgroupOperation operation) const {
    return (subgroupOperations & operation) != 0;
  }
};

/// The named target, or nothing.
std::optional<TargetInfo> lookupTarget(StringRef name);
/// The names of all targets, in the order of the table.
SmallVector<StringRef> getTargetNames();

/// The facts as MLIR's conversions to SPIR-V ask for them.
spirv::TargetEnvAttr toTargetEnv(MLIRContext *context,
                                 const TargetInfo &target);

} // namespace mlir::moe

#endif // MOE_SUPPORT_TARGETINFO_H
