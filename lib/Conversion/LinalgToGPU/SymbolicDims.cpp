//===- SymbolicDims.cpp - Dynamic sizes as affine expressions -------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/SymbolicDims.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"
#include "moe/Dialect/MoE/IR/MoE.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::moe;

SymbolicDims::SymbolicDims(func::FuncOp func) : func(func) {
  for (BlockArgument argument : func.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim)) {
          bound.push_back(getAffineDimExpr(symbols.size(), getContext()));
          symbols.push_back(
              {argument.getArgNumber(), static_cast<unsigned>(dim)});
        }
}

AffineExpr SymbolicDims::constant(int64_t value) {
  return getAffineConstantExpr(value, getContext());
}

// Replaces symbols by what they must equal, until nothing changes.
AffineExpr SymbolicDims::resolve(AffineExpr expr) {
  if (!expr)
    return expr;
  for (;;) {
    AffineExpr next =
        simplifyAffineExpr(expr.replaceDims(bound), symbols.size(), 0);
    if (next == expr)
      return expr;
    expr = next;
  }
}

AffineExpr SymbolicDims::getDim(Value tensor, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim >= type.getRank())
    return nullptr;
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto result = dyn_cast<OpResult>(tensor))
    return resolve(getDimOfResult(result, dim));

  auto argument = cast<BlockArgument>(tensor);
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == func) {
    for (auto [number, symbol] : llvm::enumerate(symbols))
      if (symbol.input == argument.getArgNumber() && symbol.dim == dim)
        return resolve(getAffineDimExpr(number, getContext()));
    return nullptr;
  }
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return getDim(kernel.getInputs()[argument.getArgNumber()], dim);
  if (auto forall = dyn_cast<scf::ForallOp>(parent))
    return getDim(forall.getTiedOpOperand(argument)->get(), dim);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
    if (OpOperand *init = loop.getTiedLoopInit(argument))
      return getDim(init->get(), dim);
  return nullptr;
}

AffineExpr SymbolicDims::getDimOfResult(OpResult result, unsigned dim) {
  Operation *op = result.getOwner();
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](KernelOp kernel) {
        Operation *yield = kernel.getBody().front().getTerminator();
        return getDim(yield->getOperand(result.getResultNumber()), dim);
      })
      .Case([&](tensor::EmptyOp empty) {
        return getIndex(empty.getMixedSizes()[dim]);
      })
      .Case([&](tensor::SplatOp splat) {
        return getIndex(
            splat.getDynamicSizes()[splat.getType().getDynamicDimIndex(dim)]);
      })
      .Case([&](tensor::CastOp cast) { return getDim(cast.getSource(), dim); })
      .Case([&](tensor::ExtractSliceOp slice) -> AffineExpr {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        unsigned kept = 0;
        for (auto [position, size] : llvm::enumerate(slice.getMixedSizes()))
          if (!dropped.test(position) && kept++ == dim)
            return getIndex(size);
        return nullptr;
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return getIndex(expand.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> AffineExpr {
        AffineExpr size = constant(1);
        SmallVector<ReassociationIndices> groups =
            collapse.getReassociationIndices();
        for (int64_t source : groups[dim]) {
          AffineExpr factor = getDim(collapse.getSrc(), source);
          if (!factor)
            return nullptr;
          size = size * factor;
        }
        return size;
      })
      .Case([&](scf::ForallOp forall) {
        return getDim(forall.getOutputs()[result.getResultNumber()], dim);
      })
      .Case([&](scf::IfOp branch) {
        return getDim(branch.thenYield().getOperand(result.getResultNumber()),
                      dim);
      })
      .Case([&](DestinationStyleOpInterface destination) {
        return getDim(destination.getTiedOpOperand(result)->get(), dim);
      })
      .Case([&](ReifyRankedShapedTypeOpInterface reify) -> AffineExpr {
        OpBuilder builder(op);
        ReifiedRankedShapedTypeDims shapes;
        if (failed(reify.reifyResultShapes(builder, shapes)))
          return nullptr;
        return getIndex(shapes[result.getResultNumber()][dim]);
      })
      .Default([&](Operation *other) -> AffineExpr {
        // Elementwise ops on whole tensors.
        if (other->getNumOperands() &&
            OpTrait::hasElementwiseMappableTraits(other))
          for (Value operand : other->getOperands())
            if (isa<RankedTensorType>(operand.getType()))
              return getDim(operand, dim);
        return nullptr;
      });
}

AffineExpr SymbolicDims::getIndex(Value index) {
  auto known = indices.find(index);
  if (known != indices.end())
    return resolve(known->second);
  // Beyond this depth, no size that a person writes; the stack has an end.
  constexpr unsigned maxDepth = 1000;
  if (depth == maxDepth)
    return nullptr;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  AffineExpr expr = computeIndex(index);
  indices[index] = expr;
  return expr;
}

AffineExpr SymbolicDims::computeIndex(Value index) {
  APInt constantValue;
  if (matchPattern(index, m_ConstantInt(&constantValue)))
    return constant(constantValue.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    return kernel ? getIndex(kernel.getInputs()[argument.getArgNumber()])
                  : nullptr;
  }
  auto binary = [&](auto op, auto combine) -> AffineExpr {
    AffineExpr left = getIndex(op.getLhs()), right = getIndex(op.getRhs());
    if (!left || !right)
      return nullptr;
    return resolve(combine(left, right));
  };
  return TypeSwitch<Operation *, AffineExpr>(index.getDefiningOp())
      .Case([&](tensor::DimOp op) -> AffineExpr {
        std::optional<int64_t> dim = op.getConstantIndex();
        return dim ? getDim(op.getSource(), *dim) : nullptr;
      })
      .Case([&](arith::AddIOp op) {
        return binary(op, [](AffineExpr a, AffineExpr b) { return a + b; });
      })
      .Case([&](arith::SubIOp op) {
        return binary(op, [](AffineExpr a, AffineExpr b) { return a - b; });
      })
      .Case([&](arith::MulIOp op) {
        return binary(op, [](AffineExpr a, AffineExpr b) { return a * b; });
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto op) {
        return binary(op,
                      [](AffineExpr a, AffineExpr b) { return a.floorDiv(b); });
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto op) {
        return binary(op,
                      [](AffineExpr a, AffineExpr b) { return a.ceilDiv(b); });
      })
      .Case([&](affine::AffineApplyOp op) -> AffineExpr {
        AffineMap map = op.getAffineMap();
        SmallVector<AffineExpr> operands;
        for (Value operand : op.getMapOperands()) {
          operands.push_back(getIndex(operand));
          if (!operands.back())
            return nullptr;
        }
        ArrayRef<AffineExpr> all(operands);
        return resolve(map.getResult(0).replaceDimsAndSymbols(
            all.take_front(map.getNumDims()),
            all.drop_front(map.getNumDims())));
      })
      .Default([](Operation *) { return nullptr; });
}

AffineExpr SymbolicDims::getIndex(OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index))
    return getIndex(value);
  return constant(cast<IntegerAttr>(cast<Attribute>(index)).getInt());
}

SmallVector<AffineExpr> SymbolicDims::getShape(Value tensor) {
  SmallVector<AffineExpr> shape;
  for (int64_t dim = 0, e = cast<RankedTensorType>(tensor.getType()).getRank();
       dim < e; ++dim)
    shape.push_back(getDim(tensor, dim));
  return shape;
}

AffineExpr SymbolicDims::getNumElements(Value tensor) {
  AffineExpr product = constant(1);
  for (AffineExpr size : getShape(tensor)) {
    if (!size)
      return nullptr;
    // A product of two dynamic sizes is not affine.
    if (!size.isSymbolicOrConstant() && !product.isSymbolicOrConstant())
      return nullptr;
    product = product * size;
  }
  return product;
}

AffineExpr SymbolicDims::getBytes(Value tensor) {
  AffineExpr elements = getNumElements(tensor);
  Type element = getElementTypeOrSelf(tensor.getType());
  return elements && element.isIntOrFloat()
             ? elements * ((element.getIntOrFloatBitWidth() + 7) / 8)
             : nullptr;
}
