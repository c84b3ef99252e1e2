//===- TileMatmul.cpp - Scheduled products -> scf.forall over tiles
//--------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// moe.grouped_matmul, with the table of moe.tiles, or linalg.matmul
//   -> scf.forall (tile, column tile) {
//        left [BM, C], right [BN, C] or [C, BN]: gathers with clamped indices
//        linalg.matmul, bias
//        tensor.parallel_insert_slice of the tile's own rows and columns
//      }
//
// Tiles are static, so that nothing needs a mask: a row past the tile's end is
// read again from its last row, and not stored. Tile rows of expert -1 (rows
// past the last offset) are stored as zeros, and their operands never read.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "moe/Conversion/GenericBuilder.h"
#include "moe/Conversion/MoEToLinalg.h"
#include "moe/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mlir::moe;

namespace {
/// One output tile: rows [first, first + count), columns [column, …).
struct TilePosition {
  Value first, count, column;
};
} // namespace

// min(start + index of loop `dim`, last): never beyond what the tile owns.
static Value clamped(ImplicitLocOpBuilder &b, Value start, int64_t dim,
                     Value last) {
  Value at = arith::AddIOp::create(b, start, linalg::IndexOp::create(b, dim));
  return arith::MinSIOp::create(b, at, last);
}

static Value lastOf(ImplicitLocOpBuilder &b, Value start, Value count) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  return arith::SubIOp::create(b, arith::AddIOp::create(b, start, count), one);
}

// A static tile gathered from `source`: `indices` maps the tile's loops (built
// in the body) to the source's indices.
static Value
gatherTile(ImplicitLocOpBuilder &b, Value source, ArrayRef<int64_t> shape,
           function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> indices) {
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  Value init = tensor::EmptyOp::create(b, shape, element);
  return createGeneric(
      b, {}, {}, init, shape.size(),
      [&](ImplicitLocOpBuilder &body, ValueRange) {
        SmallVector<Value> at = indices(body);
        return tensor::ExtractOp::create(body, source, at).getResult();
      });
}

static Value zeroTile(ImplicitLocOpBuilder &b, int64_t rows, int64_t columns) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  Value init =
      tensor::EmptyOp::create(b, ArrayRef{rows, columns}, b.getF32Type());
  return linalg::FillOp::create(b, zero, init).getResult(0);
}

// left (m, k) times right, (k, n) or, transposed, (n, k).
static Value multiplyTiles(ImplicitLocOpBuilder &b, Value left, Value right,
                           Value init, bool transposed) {
  if (!transposed)
    return linalg::MatmulOp::create(b, init.getType(), ValueRange{left, right},
                                    init)
        .getResult(0);
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto map = [&](AffineExpr x, AffineExpr y) {
    return AffineMapAttr::get(AffineMap::get(3, 0, {x, y}, b.getContext()));
  };
  auto product = linalg::MatmulOp::create(b, init.getType(),
                                          ValueRange{left, right}, init);
  product.setIndexingMapsAttr(
      b.getArrayAttr({map(m, k), map(n, k), map(m, n)}));
  return product.getResult(0);
}

// The loop nest around a tile: results [R, N], `tiles` × ⌈N / columns⌉ steps.
static Value forEachTile(
    ImplicitLocOpBuilder &b, RankedTensorType type, Value rows,
    OpFoldResult tiles, ScheduleAttr schedule,
    function_ref<TilePosition(ImplicitLocOpBuilder &, Value tile, Value column)>
        locate,
    function_ref<Value(ImplicitLocOpBuilder &, TilePosition)> compute) {
  int64_t columns = schedule.getColumns(), total = type.getDimSize(1);
  Value init = emptyLike(b, type, {rows});
  auto blocks = b.getArrayAttr(
      {gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimY),
       gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX)});
  auto forall = scf::ForallOp::create(
      b,
      ArrayRef<OpFoldResult>{tiles,
                             b.getIndexAttr(llvm::divideCeil(total, columns))},
      ValueRange{init}, blocks);
  ImplicitLocOpBuilder body(b.getLoc(), b.getContext());
  body.setInsertionPoint(forall.getTerminator());
  AffineExpr n = body.getAffineDimExpr(0);
  Value start = affine::AffineApplyOp::create(
      body, AffineMap::get(1, 0, n * columns), forall.getInductionVars()[1]);
  TilePosition position = locate(body, forall.getInductionVars()[0], start);
  Value tile = compute(body, position);
  OpFoldResult width = body.getIndexAttr(columns);
  if (total % columns != 0)
    width = affine::AffineMinOp::create(
                body,
                AffineMap::get(1, 0,
                               {body.getAffineConstantExpr(columns), total - n},
                               body.getContext()),
                start)
                .getResult();
  SmallVector<OpFoldResult> sizes{position.count, width};
  SmallVector<OpFoldResult> origin(2, body.getIndexAttr(0)),
      unit(2, body.getIndexAttr(1));
  Value valid = tensor::ExtractSliceOp::create(body, tile, origin, sizes, unit);
  body.setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      body, valid, forall.getRegionIterArgs()[0],
      SmallVector<OpFoldResult>{position.first, position.column}, sizes, unit);
  return forall.getResult(0);
}

// The schedule of the op's kernel, when it is one of tiles.
static FailureOr<ScheduleAttr> tileSchedule(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || !kernel.getSchedule() ||
      kernel.getSchedule()->getFamily() != Family::Matmul ||
      op->getParentOp() != kernel)
    return failure();
  return *kernel.getSchedule();
}

namespace {
struct TileGroupedMatmul final : OpRewritePattern<GroupedMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupedMatmulOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ScheduleAttr> schedule = tileSchedule(op);
    if (failed(schedule))
      return rewriter.notifyMatchFailure(op,
                                         "its kernel has no schedule of tiles");
    if (!op.getType().getElementType().isF32() ||
        !op.getLhs().getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "tiles are f32");
    // The table is the kernel's last input; schedule selection adds it.
    auto kernel = op->getParentOfType<KernelOp>();
    Value table = kernel.getBody().getArguments().back();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value rows = tensor::DimOp::create(b, op.getLhs(), 0);
    OpFoldResult tiles = tensor::getMixedSize(b, b.getLoc(), table, 0);
    Value expert;
    auto locate = [&](ImplicitLocOpBuilder &body, Value tile, Value column) {
      auto entry = [&](int64_t field) -> Value {
        Value at = arith::ConstantIndexOp::create(body, field);
        return tensor::ExtractOp::create(body, table, ValueRange{tile, at});
      };
      expert = entry(0);
      expert.getDefiningOp()->setAttr("moe.expert", body.getUnitAttr());
      Value first =
          arith::IndexCastOp::create(body, body.getIndexType(), entry(1));
      Value count =
          arith::IndexCastOp::create(body, body.getIndexType(), entry(2));
      return TilePosition{first, count, column};
    };
    Value result =
        forEachTile(b, op.getType(), rows, tiles, *schedule, locate,
                    [&](ImplicitLocOpBuilder &body, TilePosition at) {
                      return computeTile(body, op, *schedule, at, expert);
                    });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value computeTile(ImplicitLocOpBuilder &b, GroupedMatmulOp op,
                           ScheduleAttr schedule, TilePosition at,
                           Value expert);
  static Value product(ImplicitLocOpBuilder &b, GroupedMatmulOp op,
                       ScheduleAttr schedule, TilePosition at, Value expert);
};
} // namespace

// Rows of no expert, and unused entries of the table, make a tile of zeros.
Value TileGroupedMatmul::computeTile(ImplicitLocOpBuilder &b,
                                     GroupedMatmulOp op, ScheduleAttr schedule,
                                     TilePosition at, Value expert) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value used =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, at.count, zero);
  Value owned =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, expert, none);
  Value live = arith::AndIOp::create(b, used, owned);
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), expert);
  auto branch = scf::IfOp::create(
      b, live,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder body(loc, nested);
        scf::YieldOp::create(body, product(body, op, schedule, at, index));
      },
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder body(loc, nested);
        scf::YieldOp::create(
            body, zeroTile(body, schedule.getRows(), schedule.getColumns()));
      });
  return branch.getResult(0);
}

Value TileGroupedMatmul::product(ImplicitLocOpBuilder &b, GroupedMatmulOp op,
                                 ScheduleAttr schedule, TilePosition at,
                                 Value expert) {
  int64_t rows = schedule.getRows(), columns = schedule.getColumns();
  int64_t reduced = op.getInputFeatures();
  bool transposed = op.getTransposeRhs();
  Value lastRow = lastOf(b, at.first, at.count);
  Value lastColumn =
      arith::ConstantIndexOp::create(b, op.getOutputFeatures() - 1);
  Value left = gatherTile(
      b, op.getLhs(), {rows, reduced}, [&](ImplicitLocOpBuilder &body) {
        Value row = clamped(body, at.first, 0, lastRow);
        return SmallVector<Value>{row, linalg::IndexOp::create(body, 1)};
      });
  bool whole = op.getOutputFeatures() % columns == 0;
  auto column = [&](ImplicitLocOpBuilder &body, int64_t dim) -> Value {
    if (whole)
      return arith::AddIOp::create(body, at.column,
                                   linalg::IndexOp::create(body, dim));
    return clamped(body, at.column, dim, lastColumn);
  };
  SmallVector<int64_t> shape{transposed ? columns : reduced,
                             transposed ? reduced : columns};
  Value right =
      gatherTile(b, op.getRhs(), shape, [&](ImplicitLocOpBuilder &body) {
        if (transposed)
          return SmallVector<Value>{expert, column(body, 0),
                                    linalg::IndexOp::create(body, 1)};
        Value feature = linalg::IndexOp::create(body, 0);
        return SmallVector<Value>{expert, feature, column(body, 1)};
      });
  auto gather = right.getDefiningOp<linalg::GenericOp>();
  gather.walk([&](tensor::ExtractOp extract) {
    extract->setAttr("moe.experts", b.getUnitAttr());
  });
  Value sum =
      multiplyTiles(b, left, right, zeroTile(b, rows, columns), transposed);
  Value bias = op.getBias();
  if (!bias)
    return sum;
  Value init =
      tensor::EmptyOp::create(b, ArrayRef{rows, columns}, b.getF32Type());
  return createGeneric(
      b, {sum}, {b.getMultiDimIdentityMap(2)}, init, 2,
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        Value term = tensor::ExtractOp::create(
            body, bias, ValueRange{expert, column(body, 1)});
        return arith::AddFOp::create(body, args[0], term).getResult();
      });
}

namespace {
struct TileDenseMatmul final : OpRewritePattern<linalg::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ScheduleAttr> schedule = tileSchedule(op);
    if (failed(schedule))
      return rewriter.notifyMatchFailure(op,
                                         "its kernel has no schedule of tiles");
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "tiles are f32");
    int64_t rows = schedule->getRows();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value total = tensor::DimOp::create(b, op.getOutputs()[0], 0);
    OpFoldResult tiles = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(),
        AffineMap::get(1, 0, b.getAffineDimExpr(0).ceilDiv(rows)),
        tensor::getMixedSize(b, b.getLoc(), op.getOutputs()[0], 0));
    auto locate = [&](ImplicitLocOpBuilder &body, Value tile, Value column) {
      AffineExpr t = body.getAffineDimExpr(0);
      Value first = affine::AffineApplyOp::create(
          body, AffineMap::get(1, 0, t * rows), tile);
      Value left = arith::SubIOp::create(body, total, first);
      Value count = arith::MinSIOp::create(
          body, left, arith::ConstantIndexOp::create(body, rows));
      return TilePosition{first, count, column};
    };
    Value result =
        forEachTile(b, type, total, tiles, *schedule, locate,
                    [&](ImplicitLocOpBuilder &body, TilePosition at) {
                      return computeTile(body, op, *schedule, at);
                    });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value computeTile(ImplicitLocOpBuilder &b, linalg::MatmulOp op,
                           ScheduleAttr schedule, TilePosition at);
};
} // namespace

// Position of loop `loop` among the results of an operand's map.
static int64_t positionOf(AffineMap map, unsigned loop) {
  return cast<AffineDimExpr>(map.getResult(0)).getPosition() == loop ? 0 : 1;
}

Value TileDenseMatmul::computeTile(ImplicitLocOpBuilder &b, linalg::MatmulOp op,
                                   ScheduleAttr schedule, TilePosition at) {
  Value a = op.getInputs()[0], w = op.getInputs()[1], c = op.getOutputs()[0];
  bool leftTransposed =
      positionOf(op.getMatchingIndexingMap(op.getDpsInputOperand(0)), 0) !=
      0; // (k, m)
  bool transposed =
      positionOf(op.getMatchingIndexingMap(op.getDpsInputOperand(1)), 1) ==
      0; // (n, k)
  int64_t rows = schedule.getRows(), columns = schedule.getColumns();
  int64_t total = cast<RankedTensorType>(c.getType()).getDimSize(1);
  int64_t reduced =
      cast<RankedTensorType>(w.getType()).getDimSize(transposed ? 1 : 0);
  Value lastRow = lastOf(b, at.first, at.count);
  Value lastColumn = arith::ConstantIndexOp::create(b, total - 1);
  auto column = [&](ImplicitLocOpBuilder &body, int64_t dim) -> Value {
    if (total % columns == 0)
      return arith::AddIOp::create(body, at.column,
                                   linalg::IndexOp::create(body, dim));
    return clamped(body, at.column, dim, lastColumn);
  };
  Value left =
      gatherTile(b, a, {rows, reduced}, [&](ImplicitLocOpBuilder &body) {
        Value row = clamped(body, at.first, 0, lastRow),
              k = linalg::IndexOp::create(body, 1);
        return leftTransposed ? SmallVector<Value>{k, row}
                              : SmallVector<Value>{row, k};
      });
  SmallVector<int64_t> shape{transposed ? columns : reduced,
                             transposed ? reduced : columns};
  Value right = gatherTile(b, w, shape, [&](ImplicitLocOpBuilder &body) {
    if (transposed)
      return SmallVector<Value>{column(body, 0),
                                linalg::IndexOp::create(body, 1)};
    Value k = linalg::IndexOp::create(body, 0);
    return SmallVector<Value>{k, column(body, 1)};
  });
  Value init;
  auto fill = c.getDefiningOp<linalg::FillOp>();
  if (fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    init = zeroTile(b, rows, columns);
  else // the product is added to what the output held
    init = gatherTile(b, c, {rows, columns}, [&](ImplicitLocOpBuilder &body) {
      return SmallVector<Value>{clamped(body, at.first, 0, lastRow),
                                column(body, 1)};
    });
  return multiplyTiles(b, left, right, init, transposed);
}

void moe::populateTileMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<TileDenseMatmul, TileGroupedMatmul>(patterns.getContext());
}
