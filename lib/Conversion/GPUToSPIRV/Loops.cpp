//===- Loops.cpp - scf.for -> spirv.mlir.loop
//------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Upstream's pattern (MLIR 22.1) returns a loop's results through variables
// that only the body stores, so a loop of no iteration returns garbage. Here
// they are the header's arguments, which hold the initial values then, and
// leave the loop through its merge.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
using LoopSteps = DenseMap<Operation *, Value>;

struct ForPattern final : OpConversionPattern<scf::ForOp> {
  ForPattern(const TypeConverter &converter, MLIRContext *context,
             PatternBenefit benefit, std::shared_ptr<LoopSteps> steps)
      : OpConversionPattern(converter, context, benefit),
        steps(std::move(steps)) {}

  LogicalResult
  matchAndRewrite(scf::ForOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return rewriter.notifyMatchFailure(
          op, "a result type has no SPIR-V form on this target");
    auto loop =
        spirv::LoopOp::create(rewriter, loc, types, spirv::LoopControl::None);
    loop.addEntryAndMergeBlock(rewriter);

    SmallVector<Value> first{adaptor.getLowerBound()};
    llvm::append_range(first, adaptor.getInitArgs());
    SmallVector<Location> locations(first.size(), loc);
    Block *header =
        rewriter.createBlock(&loop.getBody(), std::next(loop.getBody().begin()),
                             ValueRange(first).getTypes(), locations);
    rewriter.setInsertionPointToEnd(loop.getEntryBlock());
    spirv::BranchOp::create(rewriter, loc, header, first);

    Block *body = op.getBody();
    TypeConverter::SignatureConversion signature(body->getNumArguments());
    for (unsigned i = 0; i < body->getNumArguments(); ++i)
      signature.remapInput(i, header->getArgument(i));
    body =
        rewriter.applySignatureConversion(body, signature, getTypeConverter());
    rewriter.inlineRegionBefore(op.getRegion(), loop.getBody(),
                                std::next(loop.getBody().begin(), 2));

    rewriter.setInsertionPointToEnd(header);
    Value more = spirv::SLessThanOp::create(rewriter, loc, rewriter.getI1Type(),
                                            header->getArgument(0),
                                            adaptor.getUpperBound());
    Block *merge = loop.getMergeBlock();
    spirv::BranchConditionalOp::create(
        rewriter, loc, more, body, ArrayRef<Value>(), merge, ArrayRef<Value>());
    rewriter.setInsertionPoint(merge->getTerminator());
    spirv::MergeOp::create(rewriter, loc, header->getArguments().drop_front());
    rewriter.eraseOp(merge->getTerminator());

    (*steps)[loop] = adaptor.getStep();
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

  std::shared_ptr<LoopSteps> steps;
};

/// The end of a body becomes the branch back to the header.
struct YieldPattern final : OpConversionPattern<scf::YieldOp> {
  YieldPattern(const TypeConverter &converter, MLIRContext *context,
               PatternBenefit benefit, std::shared_ptr<LoopSteps> steps)
      : OpConversionPattern(converter, context, benefit),
        steps(std::move(steps)) {}

  LogicalResult
  matchAndRewrite(scf::YieldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto loop = dyn_cast<spirv::LoopOp>(op->getParentOp());
    if (!loop || !steps->contains(loop))
      return rewriter.notifyMatchFailure(op, "not the end of an scf.for");
    Block *header = loop.getHeaderBlock();
    SmallVector<Value> next{spirv::IAddOp::create(
        rewriter, op.getLoc(), header->getArgument(0), steps->lookup(loop))};
    llvm::append_range(next, adaptor.getOperands());
    rewriter.replaceOpWithNewOp<spirv::BranchOp>(op, header, next);
    return success();
  }

  std::shared_ptr<LoopSteps> steps;
};
} // namespace

void moe::populateLoopPatterns(const SPIRVTypeConverter &converter,
                               RewritePatternSet &patterns) {
  constexpr unsigned beforeUpstream = 10;
  auto steps = std::make_shared<LoopSteps>();
  patterns.add<ForPattern, YieldPattern>(converter, patterns.getContext(),
                                         beforeUpstream, steps);
}
