//===- RouteSelection.h - Experts in the registers of lanes -----*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Which lane holds which experts, and how lanes find the best of them. Floats
// are compared by integer keys of the same order; see Route.cpp for the why.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_CONVERSION_LINALGTOGPU_ROUTESELECTION_H
#define MOE_CONVERSION_LINALGTOGPU_ROUTESELECTION_H

#include "moe/Conversion/KernelBuilder.h"
#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

/// Keys that stand for no finite float: the keys of ±inf are ±infinityKey, all
/// others lie outside them.
constexpr int32_t notACandidate = std::numeric_limits<int32_t>::min();
constexpr int32_t nanLowest = notACandidate + 1;
constexpr int32_t nanHighest = std::numeric_limits<int32_t>::max();
constexpr int32_t infinityKey = 0x7f800000;

/// The key of f32 `value`, where NaN becomes `nan`; and the f32 of a key. The
/// key `nanLowest` gives back a NaN.
Value getKey(KernelBuilder &b, Value value, int32_t nan);
Value getFloat(KernelBuilder &b, Value key);
Value getNaN(KernelBuilder &b);

/// An expert, or a group, that may be selected: higher keys first, then lower
/// ids. Both i32.
struct Candidate {
  Value key, id;
};

/// Combines `value` over the lanes whose ids differ in the bits from `from`
/// up to, not including, `to`; all of them get the result.
Value exchange(KernelBuilder &b, Value value, int64_t from, int64_t to,
               function_ref<Value(Value, Value)> combine);

/// The best candidate of all lanes that comes after `previous`. The candidates
/// of a lane are in ascending order of ids.
Candidate selectNext(KernelBuilder &b, ArrayRef<Candidate> candidates,
                     Candidate previous, int64_t lanes);

/// How the experts of a token are dealt to lanes. Clusters of lanes, each as
/// wide as the number of groups allows, own whole groups; within a cluster
/// neighbouring lanes hold neighbouring experts, four to a load where possible.
class ExpertDeal {
public:
  ExpertDeal(KernelBuilder &b, int64_t experts, int64_t groups, int64_t lanes);

  /// Emits the ids of this lane's experts. To be called before the rest.
  void emitIds();

  /// Whether each register holds an expert (i1); null where it always does.
  ArrayRef<Value> getValid() const { return valid; }

  /// This lane's elements of the row at `start`; those that are no expert are
  /// copies of some expert's.
  SmallVector<Value> load(KernelBuffer &buffer, Value start);

  SmallVector<Candidate> getCandidates(ArrayRef<Value> keys);

  /// Leaves only the experts of the best `count` groups candidates.
  void keepBestGroups(MutableArrayRef<Candidate> candidates, int64_t count,
                      GroupScore score);

private:
  int64_t registersPerGroup() const { return loadsPerGroup * vector; }
  Value getGroupKey(ArrayRef<Candidate> members, GroupScore score);

  KernelBuilder &b;
  int64_t groups, lanes;
  int64_t groupSize, cluster, groupsPerLane, loadsPerGroup;
  int64_t vector;                ///< experts per load
  SmallVector<Value> positions;  ///< of each load: its first expert, an index
  SmallVector<Value> ids, valid; ///< of each register
  SmallVector<Candidate> ownGroups; ///< without keys
  SmallVector<Value> validGroups;
};

} // namespace mlir::moe

#endif // MOE_CONVERSION_LINALGTOGPU_ROUTESELECTION_H
