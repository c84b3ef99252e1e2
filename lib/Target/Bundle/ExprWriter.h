//===- ExprWriter.h - Sizes as postfix programs -----------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_TARGET_BUNDLE_EXPRWRITER_H
#define MOE_LIB_TARGET_BUNDLE_EXPRWRITER_H

#include "moe-bundle/bundle_generated.h"
#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::moe {

/// Writes index values of one program as expressions of its symbols: the
/// dimensions (moe_rt.dim) that the values reach. Equal dimensions are one
/// symbol, numbered as they are met.
class ExprWriter {
public:
  explicit ExprWriter(flatbuffers::FlatBufferBuilder &builder)
      : builder(builder) {}

  using ExprOffset = flatbuffers::Offset<::moe::bundle::Expr>;

  /// Emits an error at the op of an index value that has no expression.
  FailureOr<ExprOffset> write(Value size);
  FailureOr<ExprOffset> writeSum(ArrayRef<Value> sizes);
  ExprOffset writeConstant(int64_t value);

  std::vector<flatbuffers::Offset<::moe::bundle::Symbol>> writeSymbols();

private:
  LogicalResult append(Value size);
  LogicalResult append(AffineMap map, ValueRange operands,
                       ::moe::bundle::ExprOp join);
  LogicalResult append(AffineExpr expr, unsigned numDims, ValueRange operands);
  void push(::moe::bundle::ExprOp op, int64_t value = 0) {
    nodes.emplace_back(op, value);
  }
  ExprOffset finish();

  flatbuffers::FlatBufferBuilder &builder;
  std::vector<::moe::bundle::ExprNode> nodes; ///< of the current expression
  llvm::MapVector<std::pair<int64_t, int64_t>, std::string> symbols;
};

} // namespace mlir::moe

#endif // MOE_LIB_TARGET_BUNDLE_EXPRWRITER_H
