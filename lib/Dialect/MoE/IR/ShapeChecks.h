//===- ShapeChecks.h - Checks that shape functions share --------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOE_IR_SHAPECHECKS_H
#define MOE_LIB_DIALECT_MOE_IR_SHAPECHECKS_H

#include "moe/Dialect/MoE/IR/ShapeInference.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cmath>

namespace mlir::moe::shape {

constexpr int64_t kDynamic = ShapedType::kDynamic;
constexpr int64_t kMaxExperts = 1024;
constexpr int64_t kMaxTopK = 32;

// Reports as emitOpError does, but without an operation.
template <typename OpTy, typename... Args>
LogicalResult fail(std::optional<Location> location, Args &&...args) {
  return emitOptionalError(location, "'", OpTy::getOperationName(), "' op ",
                           std::forward<Args>(args)...);
}

inline RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

// Dynamic where the type is one that the op refuses anyway: a parser may infer
// before operands are verified.
inline int64_t dimOf(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && dim < type.getRank() ? type.getDimSize(dim) : kDynamic;
}

inline std::string text(int64_t size) {
  return size == kDynamic ? "?" : std::to_string(size);
}

inline std::string text(ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t s) { return text(s); }),
                    "x");
}

inline bool isIn(int64_t value, int64_t low, int64_t high) {
  return low <= value && value <= high;
}

// Whether two sizes are, or may at run time be, the same.
inline bool mayEqual(int64_t a, int64_t b) {
  return a == kDynamic || b == kDynamic || a == b;
}

// The size that is static, if one of them is.
inline int64_t either(int64_t a, int64_t b) { return a == kDynamic ? b : a; }

inline int64_t product(int64_t a, int64_t b) {
  if (a == kDynamic || b == kDynamic)
    return kDynamic;
  return llvm::checkedMul(a, b).value_or(kDynamic);
}

inline Type indexTensor(ArrayRef<int64_t> shape, MLIRContext *context) {
  return RankedTensorType::get(shape, IntegerType::get(context, 32));
}

template <typename OpTy>
LogicalResult checkOffsetsLength(std::optional<Location> location,
                                 Value offsets) {
  int64_t length = dimOf(offsets, 0);
  if (length == kDynamic || length >= 2)
    return success();
  return fail<OpTy>(location,
                    "expected offsets to have at least 2 elements (experts + "
                    "1), but got ",
                    length);
}

template <typename OpTy>
LogicalResult checkWeights(std::optional<Location> location, Value weights,
                           Value slotToRow) {
  if (!weights ||
      succeeded(verifyCompatibleShape(typeOf(weights), typeOf(slotToRow))))
    return success();
  return fail<OpTy>(location,
                    "expected weights to have the shape of "
                    "slot_to_row, ",
                    text(typeOf(slotToRow).getShape()), ", but got ",
                    text(typeOf(weights).getShape()));
}

template <typename OpTy>
LogicalResult checkScale(std::optional<Location> location,
                         const APFloat &value) {
  double scale = value.convertToDouble();
  float narrowed = static_cast<float>(scale);
  if (std::isfinite(narrowed) && narrowed > 0)
    return success();
  return fail<OpTy>(location,
                    "expected scale to be finite and positive as an f32, "
                    "but got ",
                    scale);
}

// What the sum of a renormalization is kept away from zero by.
template <typename OpTy>
LogicalResult checkGuards(std::optional<Location> location,
                          typename OpTy::Adaptor op) {
  std::pair<StringRef, APFloat> guards[] = {{"epsilon", op.getEpsilon()},
                                            {"floor", op.getFloor()}};
  for (auto &[name, attribute] : guards) {
    double value = attribute.convertToDouble();
    float narrowed = static_cast<float>(value);
    // Drivers may take a subnormal number for 0.
    if (value != 0 && !(std::isnormal(narrowed) && narrowed > 0))
      return fail<OpTy>(location, "expected ", name,
                        " to be 0, or positive and normal as an f32, but got ",
                        value);
    if (value != 0 && !op.getRenormalize())
      return fail<OpTy>(location, "expected renormalize with ", name,
                        ", but got ", name, " = ", value, " without it");
  }
  return success();
}

} // namespace mlir::moe::shape

#endif // MOE_LIB_DIALECT_MOE_IR_SHAPECHECKS_H
