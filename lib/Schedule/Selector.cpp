//===- Selector.cpp - Chooses the schedule of a kernel
//---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Schedule/Selector.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::moe;

// Invocations of a workgroup for kernels without exchange: small, since
// lavapipe runs a workgroup's subgroups one after the other on one core.
static constexpr int64_t elementwiseWorkgroup = 64;
// A tree of 64 partial sums: 6 barriers.
static constexpr int64_t reduceWorkgroup = 64;
// Rows of a tile where the number of rows per expert is unknown: 16 rows of
// 4 columns are 64 accumulators a lane.
static constexpr int64_t defaultTileRows = 16;
static constexpr int64_t smallestTileRows = 4;

namespace {
/// Parameters of a schedule, with the attribute's defaults.
struct Parameters {
  Family family;
  int64_t workgroup = 1, lanes = 1, rows = 1, columns = 1, vector = 1,
          chunks = 0, slice = 0;

  ScheduleAttr get(MLIRContext *context) const {
    return ScheduleAttr::get(context, family, workgroup, lanes, rows, columns,
                             vector, chunks, slice);
  }
};
} // namespace

// Lanes that exchange values by shuffles; at most 32, so that a tile of
// 4 columns a lane stays narrow.
static int64_t exchangeLanes(const TargetInfo &target) {
  if (!target.supports(SubgroupShuffle))
    return 1;
  return std::min<int64_t>(llvm::bit_floor(target.subgroupSize), 32);
}

// Chunks of a plan, each walked by one invocation. A GPU wants many to hide
// latency. Narrow subgroups are those of a CPU, where more chunks only mean
// more counters: 512 took 3.4 ms where 2048 took 5.4 (65536 tokens, 8 of 128
// experts, on a busy machine), and still leave 2^24 slots within the 65535 loop
// iterations after which lavapipe leaves a loop.
static int64_t planChunks(const TargetInfo &target) {
  constexpr uint32_t narrowSubgroup = 8;
  return target.subgroupSize <= narrowSubgroup ? 512 : 2048;
}

template <typename OpTy> static OpTy findOp(KernelOp kernel) {
  auto ops = kernel.getBody().front().getOps<OpTy>();
  return ops.empty() ? OpTy() : *ops.begin();
}

// Rows of a tile for `rows` rows shared by `experts`: the average, rounded up
// to a power of two, so that few rows of a tile are idle.
static int64_t tileRows(int64_t rows, int64_t experts) {
  if (ShapedType::isDynamic(rows))
    return defaultTileRows;
  int64_t average = llvm::divideCeil(std::max<int64_t>(rows, 1), experts);
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(average), smallestTileRows,
                             defaultTileRows);
}

// Experts bound at a time so that the matrices fit one binding; 0 for all.
static FailureOr<int64_t> expertsPerSlice(KernelOp kernel,
                                          RankedTensorType type,
                                          const TargetInfo &target) {
  uint64_t expertBytes = uint64_t(type.getDimSize(1)) * type.getDimSize(2) * 4;
  if (expertBytes * type.getDimSize(0) <= target.maxStorageRange)
    return 0;
  // Slices begin where a binding may.
  uint64_t granule = 1;
  while (granule * expertBytes % target.minStorageAlignment != 0)
    granule *= 2;
  uint64_t slice = target.maxStorageRange / expertBytes / granule * granule;
  if (slice == 0)
    return kernel.emitOpError("expected ")
           << granule << " matrices of " << type
           << " to fit the target's storage range of " << target.maxStorageRange
           << " bytes, but got " << granule * expertBytes;
  return static_cast<int64_t>(slice);
}

static FailureOr<Parameters> selectMatmul(KernelOp kernel,
                                          const TargetInfo &target) {
  Parameters p{Family::Matmul};
  p.lanes = p.workgroup = exchangeLanes(target);
  p.vector = 4;
  p.rows = defaultTileRows;
  p.columns = 4 * p.lanes;
  if (p.lanes ==
      1) { // no exchange: a tile of 4 x 8 in the registers of one invocation
    p.rows = smallestTileRows;
    p.columns = 8;
  }
  if (auto grouped = findOp<GroupedMatmulOp>(kernel)) {
    p.rows = std::min(p.rows, tileRows(grouped.getLhs().getType().getDimSize(0),
                                       grouped.getExperts()));
    FailureOr<int64_t> slice = expertsPerSlice(
        kernel, cast<RankedTensorType>(grouped.getRhs().getType()), target);
    if (failed(slice))
      return failure();
    p.slice = *slice;
  } else if (auto dense = findOp<linalg::MatmulOp>(kernel)) {
    p.rows = std::min(
        p.rows,
        tileRows(
            cast<RankedTensorType>(dense.getResult(0).getType()).getDimSize(0),
            1));
  }
  return p;
}

static FailureOr<Parameters> selectOuter(KernelOp kernel, GroupedOuterOp op,
                                         const TargetInfo &target) {
  Parameters p{Family::Outer};
  p.lanes = p.workgroup = exchangeLanes(target);
  p.vector = 4;
  p.rows = p.lanes == 1 ? smallestTileRows : defaultTileRows;
  p.columns = p.lanes == 1 ? 8 : 4 * p.lanes;
  FailureOr<int64_t> slice = expertsPerSlice(kernel, op.getType(), target);
  if (failed(slice))
    return failure();
  p.slice = *slice;
  return p;
}

static Parameters selectReduce(const TargetInfo &target) {
  Parameters p{Family::Reduce};
  p.workgroup =
      std::min<int64_t>(reduceWorkgroup, target.maxWorkgroupInvocations);
  return p;
}

static bool hasWholeVectors(KernelOp kernel) {
  return llvm::all_of(kernel.getResultTypes(), [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getRank() > 0 && !tensor.isDynamicDim(tensor.getRank() - 1) &&
           tensor.getShape().back() > 0 && tensor.getShape().back() % 4 == 0;
  });
}

FailureOr<ScheduleAttr> moe::selectSchedule(KernelOp kernel,
                                            const TargetInfo &target) {
  Parameters p{Family::Elementwise};
  if (findOp<RouteOp>(kernel)) {
    p = {Family::Route};
    p.lanes = p.workgroup = exchangeLanes(target);
  } else if (findOp<PlanOp>(kernel)) {
    p = {Family::Plan};
    p.workgroup = 8;
    p.chunks = planChunks(target);
  } else if (auto tiles = findOp<TilesOp>(kernel)) {
    p = {Family::Tiles};
    p.workgroup = 64;
    p.rows = tiles.getRows();
  } else if (findOp<CheckMapsOp>(kernel)) {
    p = {Family::CheckMaps};
    p.workgroup = elementwiseWorkgroup;
    p.chunks = planChunks(target);
  } else if (findOp<CheckOffsetsOp>(kernel)) {
    p = {Family::CheckOffsets};
  } else if (findOp<GroupedMatmulOp>(kernel) ||
             findOp<linalg::MatmulOp>(kernel)) {
    FailureOr<Parameters> chosen = selectMatmul(kernel, target);
    if (failed(chosen))
      return failure();
    p = *chosen;
  } else if (auto outer = findOp<GroupedOuterOp>(kernel)) {
    FailureOr<Parameters> chosen = selectOuter(kernel, outer, target);
    if (failed(chosen))
      return failure();
    p = *chosen;
  } else if (findOp<GroupedReduceOp>(kernel) ||
             findOp<CombineWeightGradOp>(kernel)) {
    p = selectReduce(target);
  } else {
    if (kernel.getNumResults() == 0)
      return kernel.emitOpError("expected at least one result, but got none");
    Operation *root =
        kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    auto generic = dyn_cast_or_null<linalg::GenericOp>(root);
    if (generic && generic.getNumReductionLoops()) {
      p = selectReduce(target);
    } else {
      p.workgroup = elementwiseWorkgroup;
      p.vector = hasWholeVectors(kernel) ? 4 : 1;
    }
  }
  return p.get(kernel.getContext());
}

LogicalResult moe::checkSchedule(KernelOp kernel, const TargetInfo &target) {
  std::optional<ScheduleAttr> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("expected a schedule, but got none");
  if (schedule->getWorkgroup() > target.maxWorkgroupInvocations)
    return kernel.emitOpError("expected a workgroup of at most ")
           << target.maxWorkgroupInvocations << " invocations on target '"
           << target.name << "', but got " << schedule->getWorkgroup();
  if (schedule->getLanes() > target.subgroupSize)
    return kernel.emitOpError("expected at most ")
           << target.subgroupSize << " lanes on target '" << target.name
           << "', but got " << schedule->getLanes();
  if (schedule->getLanes() > 1 && !target.supports(SubgroupShuffle))
    return kernel.emitOpError("expected 1 lane on target '")
           << target.name << "', which has no subgroup shuffle, but got "
           << schedule->getLanes();
  if (llvm::is_contained({Family::Matmul, Family::Outer, Family::Route},
                         schedule->getFamily()) &&
      schedule->getWorkgroup() != schedule->getLanes())
    return kernel.emitOpError("expected a workgroup of ")
           << schedule->getLanes() << ", one invocation for each lane, but got "
           << schedule->getWorkgroup();
  if (schedule->getFamily() == Family::Reduce &&
      !llvm::isPowerOf2_64(schedule->getWorkgroup()))
    return kernel.emitOpError(
               "expected a workgroup that is a power of two, but got ")
           << schedule->getWorkgroup();
  return success();
}
