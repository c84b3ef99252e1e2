//===- LayerOp.h - What the ops of the layer share --------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_DIALECT_MOE_IR_LAYEROP_H
#define MOE_LIB_DIALECT_MOE_IR_LAYEROP_H

#include "moe/Dialect/MoE/IR/MoE.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::moe::layer {

/// Whether the declared types are the inferred ones, up to static sizes.
bool areCompatible(TypeRange inferred, TypeRange declared);

/// Checks each result of `op`, called by its name, against its inferred type.
LogicalResult verifyResults(Operation *op, TypeRange inferred,
                            ArrayRef<StringRef> names);

/// The sizes of `result`: `size(dim)` where its type is dynamic.
SmallVector<OpFoldResult> reifyResult(OpBuilder &builder, Value result,
                                      function_ref<OpFoldResult(int64_t)> size);

/// T·K, as an affine expression.
OpFoldResult reifySlots(OpBuilder &builder, Location loc, OpFoldResult tokens,
                        OpFoldResult topK);

/// `declared` with the static sizes of `inferred` added, or null if they
/// contradict one another.
RankedTensorType refine(Type declared, Type inferred);

/// op(tensor.cast %x : static → dynamic) → op(%x); results whose type that
/// refines are cast back. Types that contradict one another are left alone.
template <typename OpTy> struct RefineShapes final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      if (auto cast = operand.getDefiningOp<tensor::CastOp>())
        if (tensor::canFoldIntoConsumerOp(cast))
          operand = cast.getSource();

    SmallVector<Type> inferred, types;
    if (failed(OpTy::inferReturnTypes(op.getContext(), std::nullopt, operands,
                                      op->getDiscardableAttrDictionary(),
                                      op->getPropertiesStorage(),
                                      op->getRegions(), inferred)))
      return rewriter.notifyMatchFailure(op, "the operands' types contradict");
    for (auto [result, type] : llvm::zip_equal(op->getResults(), inferred)) {
      types.push_back(refine(result.getType(), type));
      if (!types.back())
        return rewriter.notifyMatchFailure(op, "the results' types contradict");
    }
    if (ValueRange(operands) == op->getOperands() &&
        TypeRange(types) == op->getResultTypes())
      return failure();

    Operation *refined = rewriter.clone(*op);
    rewriter.modifyOpInPlace(refined, [&] {
      refined->setOperands(operands);
      for (auto [result, type] : llvm::zip_equal(refined->getResults(), types))
        result.setType(type);
    });
    SmallVector<Value> replacements;
    for (auto [result, old, type] :
         llvm::zip_equal(refined->getResults(), op->getResults(), types)) {
      replacements.push_back(type == old.getType()
                                 ? Value(result)
                                 : tensor::CastOp::create(rewriter, op.getLoc(),
                                                          old.getType(),
                                                          result));
    }
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

} // namespace mlir::moe::layer

#endif // MOE_LIB_DIALECT_MOE_IR_LAYEROP_H
