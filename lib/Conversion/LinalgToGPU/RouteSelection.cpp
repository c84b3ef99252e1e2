//===- RouteSelection.cpp - Experts in the registers of lanes -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RouteSelection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int32_t magnitudeBits = 0x7fffffff;

Value moe::getKey(KernelBuilder &b, Value value, int32_t nan) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  Value magnitude = b.logicalAnd(bits, b.i32(magnitudeBits));
  // Negating the magnitude also gives both zeros one key.
  Value key =
      b.select(b.lt(bits, b.i32(0)), b.sub(b.i32(0), magnitude), magnitude);
  return b.select(b.lt(b.i32(infinityKey), magnitude), b.i32(nan), key);
}

Value moe::getFloat(KernelBuilder &b, Value key) {
  Value negative = b.logicalOr(b.sub(b.i32(0), key), b.i32(~magnitudeBits));
  Value bits = b.select(b.lt(key, b.i32(0)), negative, key);
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}

Value moe::getNaN(KernelBuilder &b) {
  return arith::BitcastOp::create(b, b.getF32Type(), b.i32(0x7fc00000));
}

Value moe::exchange(KernelBuilder &b, Value value, int64_t from, int64_t to,
                    function_ref<Value(Value, Value)> combine) {
  for (int64_t mask = from; mask < to; mask *= 2)
    value = combine(value, b.shuffleXor(value, mask));
  return value;
}

Candidate moe::selectNext(KernelBuilder &b, ArrayRef<Candidate> candidates,
                          Candidate previous, int64_t lanes) {
  // The highest id loses every tie against a candidate.
  Candidate best{b.i32(notACandidate),
                 b.i32(std::numeric_limits<int32_t>::max())};
  for (const Candidate &next : candidates) {
    Value isAfter = b.logicalOr(
        b.lt(next.key, previous.key),
        b.logicalAnd(b.eq(next.key, previous.key), b.lt(previous.id, next.id)));
    Value better = b.logicalAnd(isAfter, b.lt(best.key, next.key));
    best = {b.select(better, next.key, best.key),
            b.select(better, next.id, best.id)};
  }
  for (int64_t mask = 1; mask < lanes; mask *= 2) {
    Candidate other{b.shuffleXor(best.key, mask), b.shuffleXor(best.id, mask)};
    Value better = b.logicalOr(
        b.lt(best.key, other.key),
        b.logicalAnd(b.eq(best.key, other.key), b.lt(other.id, best.id)));
    best = {b.select(better, other.key, best.key),
            b.select(better, other.id, best.id)};
  }
  return best;
}

//===----------------------------------------------------------------------===//
// ExpertDeal
//===----------------------------------------------------------------------===//

ExpertDeal::ExpertDeal(KernelBuilder &b, int64_t experts, int64_t groups,
                       int64_t lanes)
    : b(b), groups(groups), lanes(lanes), groupSize(experts / groups),
      cluster(llvm::bit_floor<uint64_t>(std::max<int64_t>(1, lanes / groups))),
      groupsPerLane(llvm::divideCeil(groups, lanes / cluster)),
      // Rows of whole vectors, and enough of them to keep every lane busy.
      vector(groupSize % 4 == 0 && groupSize >= 4 * cluster ? 4 : 1) {
  loadsPerGroup = llvm::divideCeil(groupSize, cluster * vector);
}

void ExpertDeal::emitIds() {
  int64_t clusters = lanes / cluster;
  Value lane = b.threadId();
  Value ownCluster = b.div(lane, cluster), ownLane = b.rem(lane, cluster);
  for (int64_t round = 0; round < groupsPerLane; ++round) {
    Value group = b.add(ownCluster, round * clusters);
    Value isGroup;
    if ((round + 1) * clusters > groups)
      isGroup = b.lt(group, b.idx(groups));
    ownGroups.push_back({Value(), b.toI32(group)});
    validGroups.push_back(isGroup);
    for (int64_t i = 0; i < loadsPerGroup; ++i) {
      Value member = b.mul(b.add(ownLane, i * cluster), vector);
      Value isExpert = isGroup;
      if ((i + 1) * cluster * vector > groupSize) {
        isExpert = b.lt(member, b.idx(groupSize));
        if (isGroup)
          isExpert = b.logicalAnd(isExpert, isGroup);
      }
      Value first = b.add(b.mul(group, groupSize), member);
      positions.push_back(isExpert ? b.select(isExpert, first, b.idx(0))
                                   : first);
      for (int64_t j = 0; j < vector; ++j) {
        ids.push_back(b.toI32(b.add(first, j)));
        valid.push_back(isExpert);
      }
    }
  }
}

SmallVector<Value> ExpertDeal::load(KernelBuffer &buffer, Value start) {
  SmallVector<Value> values;
  for (Value position : positions) {
    Value at = b.add(start, position);
    if (vector == 1) {
      values.push_back(b.load(buffer.scalars, at));
      continue;
    }
    Value four = b.load(buffer.vectors, b.div(at, vector));
    for (int64_t j = 0; j < vector; ++j)
      values.push_back(vector::ExtractOp::create(b, four, j));
  }
  return values;
}

SmallVector<Candidate> ExpertDeal::getCandidates(ArrayRef<Value> keys) {
  SmallVector<Candidate> candidates;
  for (auto [key, id, isExpert] : llvm::zip(keys, ids, valid))
    candidates.push_back(
        {isExpert ? b.select(isExpert, key, b.i32(notACandidate)) : key, id});
  return candidates;
}

// The key of a group's score; the same in every lane of the cluster.
Value ExpertDeal::getGroupKey(ArrayRef<Candidate> members, GroupScore score) {
  Value first = b.i32(notACandidate), second = first;
  for (const Candidate &member : members) {
    second = b.max(second, b.min(first, member.key));
    first = b.max(first, member.key);
  }
  for (int64_t mask = 1; mask < cluster; mask *= 2) {
    Value otherFirst = b.shuffleXor(first, mask);
    if (score == GroupScore::Top2Sum) {
      Value otherSecond = b.shuffleXor(second, mask);
      second = b.max(b.min(first, otherFirst), b.max(second, otherSecond));
    }
    first = b.max(first, otherFirst);
  }
  if (score == GroupScore::Max)
    return first;
  Value sum = arith::AddFOp::create(b, getFloat(b, first), getFloat(b, second));
  Value key = getKey(b, sum, nanLowest);
  // As an integer: a driver's float addition may lose a NaN.
  return b.select(b.eq(second, b.i32(nanLowest)), second, key);
}

void ExpertDeal::keepBestGroups(MutableArrayRef<Candidate> candidates,
                                int64_t count, GroupScore score) {
  SmallVector<Candidate> scored;
  for (auto [round, group] : llvm::enumerate(ownGroups)) {
    Value key = getGroupKey(
        candidates.slice(round * registersPerGroup(), registersPerGroup()),
        score);
    if (validGroups[round])
      key = b.select(validGroups[round], key, b.i32(notACandidate));
    scored.push_back({key, group.id});
  }
  SmallVector<Value> last =
      b.forLoop(b.idx(0), b.idx(count), b.idx(1),
                {b.i32(std::numeric_limits<int32_t>::max()), b.i32(-1)},
                [&](Value, ValueRange args) -> SmallVector<Value> {
                  Candidate best =
                      selectNext(b, scored, {args[0], args[1]}, lanes);
                  return {best.key, best.id};
                });
  for (auto [round, group] : llvm::enumerate(scored)) {
    Value isSelected = b.logicalOr(
        b.lt(last[0], group.key),
        b.logicalAnd(b.eq(last[0], group.key), b.ge(last[1], group.id)));
    for (Candidate &candidate :
         candidates.slice(round * registersPerGroup(), registersPerGroup()))
      candidate.key = b.select(isSelected, candidate.key, b.i32(notACandidate));
  }
}
