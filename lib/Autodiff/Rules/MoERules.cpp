//===- MoERules.cpp - Derivatives of the moe ops --------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Gathering rows and adding them up are each other's derivatives, as are the
// product of a row by its expert's matrix and the sum of outer products.
//
//===----------------------------------------------------------------------===//

#include "AttachRule.h"
#include "GroupedRows.h"
#include "moe/Dialect/MoE/IR/Decompose.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

// rows = dispatch(x, w)  ->  dx = combine(drows, w), dw = ⟨x, drows⟩
static LogicalResult dispatch(DispatchOp op, OpBuilder &builder,
                              Cotangents &c) {
  RuleBuilder b(op, builder);
  PlanMaps maps(op);
  Value g = c.of(op);
  if (c.wants(op.getX()))
    c.add(op.getX(), maps.combine(b, g, op.getWeights(), CombineOrder::Slot));
  if (op.getWeights() && c.wants(op.getWeights()))
    c.add(op.getWeights(), maps.dot(b, op.getX(), g));
  return success();
}

// y = lhs · rhs[e] + bias[e]
static LogicalResult groupedMatmul(GroupedMatmulOp op, OpBuilder &builder,
                                   Cotangents &c) {
  RuleBuilder b(op, builder);
  Value lhs = op.getLhs(), rhs = op.getRhs(), wide = c.of(op.getResult());
  Value g = castElements(b, b.getLoc(), wide, getElementTypeOrSelf(lhs));
  Value offsets = staticOffsets(b, op.getOffsets(), op.getExperts());
  bool empty = op.getInputFeatures() == 0; // whose gradients are empty, too
  if (c.wants(lhs) && !empty)
    c.add(lhs, buildGroupedMatmul(b, g, rhs, offsets, !op.getTransposeRhs()));
  if (c.wants(rhs) && !empty)
    c.add(rhs, op.getTransposeRhs() ? buildGroupedOuter(b, g, lhs, offsets)
                                    : buildGroupedOuter(b, lhs, g, offsets));
  if (op.getBias() && c.wants(op.getBias()))
    c.add(op.getBias(), buildGroupedReduce(b, g, offsets));
  return success();
}

// y[e] = Σ lhs[r]ᵀ · rhs[r] + init[e]
static LogicalResult groupedOuter(GroupedOuterOp op, OpBuilder &builder,
                                  Cotangents &c) {
  RuleBuilder b(op, builder);
  Value lhs = op.getLhs(), rhs = op.getRhs(), wide = c.of(op.getResult());
  Value g = castElements(b, b.getLoc(), wide, getElementTypeOrSelf(lhs));
  if (c.wants(lhs))
    c.add(lhs, buildGroupedMatmul(b, rhs, g, op.getOffsets(),
                                  /*transposeRhs=*/true));
  if (c.wants(rhs))
    c.add(rhs, buildGroupedMatmul(b, lhs, g, op.getOffsets(),
                                  /*transposeRhs=*/false));
  if (op.getInit())
    c.add(op.getInit(), wide);
  return success();
}

// Each row gets the gradient of its expert's sum.
static LogicalResult groupedReduce(GroupedReduceOp op, OpBuilder &builder,
                                   Cotangents &c) {
  RuleBuilder b(op, builder);
  Value rows = op.getRows();
  Value spread = repeatPerRow(b, c.of(op.getResult()), op.getOffsets(), rows);
  c.add(rows, castElements(b, b.getLoc(), spread, getElementTypeOrSelf(rows)));
  return success();
}

// out = combine(rows, w)  ->  drows = dispatch(dout, w), dw = ⟨dout, rows⟩
static LogicalResult combine(CombineOp op, OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  PlanMaps maps(op);
  Value g = c.of(op.getResult());
  // ⟨dout, rows⟩ reads the rows, the largest value of a layer. Where they are a
  // product there is a way around them.
  auto product = op.getRows().getDefiningOp<GroupedMatmulOp>();
  if (c.savesLittle() && op.getWeights() && c.wants(op.getWeights()) &&
      product && product.getInputFeatures() != 0)
    return combineOfProduct(op, product, b, c);
  if (c.wants(op.getRows()))
    c.add(op.getRows(), maps.dispatch(b, g, op.getWeights()));
  if (op.getWeights() && c.wants(op.getWeights()))
    c.add(op.getWeights(), maps.dot(b, g, op.getRows()));
  return success();
}

// dw = ⟨grad, rows⟩  ->  dgrad = combine(rows, ddw), drows = dispatch(grad,
// ddw)
static LogicalResult combineWeightGrad(CombineWeightGradOp op,
                                       OpBuilder &builder, Cotangents &c) {
  RuleBuilder b(op, builder);
  PlanMaps maps(op);
  Value g = c.of(op.getResult());
  if (c.wants(op.getGrad()))
    c.add(op.getGrad(), maps.combine(b, op.getRows(), g, CombineOrder::Expert));
  if (c.wants(op.getRows()))
    c.add(op.getRows(), maps.dispatch(b, op.getGrad(), g));
  return success();
}

// Of the selection itself, and of a bias that only selects, there is none.
template <typename OpTy>
static void addRouteGrad(OpTy op, Value indices, Value g, OpBuilder &builder,
                         Cotangents &c) {
  RuleBuilder b(op, builder);
  if (c.wants(op.getLogits()))
    c.add(op.getLogits(),
          RouteGradOp::create(b, op.getLogits().getType(), op.getLogits(),
                              indices, g, op.getScoring(), op.getRenormalize(),
                              op.getScale(), op.getEpsilon(), op.getFloor()));
}

static LogicalResult route(RouteOp op, OpBuilder &builder, Cotangents &c) {
  addRouteGrad(op, op.getIndices(), c.of(op.getWeights()), builder, c);
  return success();
}

static LogicalResult routeWeights(RouteWeightsOp op, OpBuilder &builder,
                                  Cotangents &c) {
  addRouteGrad(op, op.getIndices(), c.of(op.getWeights()), builder, c);
  return success();
}

static LogicalResult routeGrad(RouteGradOp op, OpBuilder &, Cotangents &c) {
  return c.through(op, [&](OpBuilder &builder) {
    return FailureOr<SmallVector<Value>>({decomposeRouteGrad(builder, op)});
  });
}

void moe::registerMoEDerivativeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MoEDialect *) {
    attachRule<CombineOp, combine>(context);
    attachRule<CombineWeightGradOp, combineWeightGrad>(context);
    attachRule<DispatchOp, dispatch, alwaysCheap<DispatchOp>>(context);
    attachRule<GroupedMatmulOp, groupedMatmul>(context);
    attachRule<GroupedOuterOp, groupedOuter>(context);
    attachRule<GroupedReduceOp, groupedReduce>(context);
    attachRule<RouteGradOp, routeGrad, alwaysCheap<RouteGradOp>>(context);
    attachRule<RouteOp, route>(context);
    attachRule<RouteWeightsOp, routeWeights, alwaysCheap<RouteWeightsOp>>(
        context);
  });
}

void moe::registerDerivativeRules(DialectRegistry &registry) {
  registerArithDerivativeRules(registry);
  registerLinalgDerivativeRules(registry);
  registerMathDerivativeRules(registry);
  registerMoEDerivativeRules(registry);
  registerTensorDerivativeRules(registry);
}
