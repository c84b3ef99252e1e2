//===- ModuleMutator.cpp - Changes of a parsed module ---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModuleMutator.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::moe::fuzz;

static SmallVector<Operation *> collectOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op != module)
      ops.push_back(op);
  });
  return ops;
}

static SmallVector<Value> collectValues(ModuleOp module) {
  SmallVector<Value> values;
  module.walk([&](Operation *op) {
    llvm::append_range(values, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
  });
  return values;
}

static int64_t someInteger(int64_t old, Random &random) {
  static const int64_t integers[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     7,
                                     8,
                                     16,
                                     17,
                                     32,
                                     64,
                                     128,
                                     1025,
                                     65536,
                                     -1,
                                     INT32_MAX,
                                     INT64_MAX,
                                     INT64_MIN,
                                     int64_t(1) << 32};
  if (random.once(3))
    return int64_t(uint64_t(old) + (random.once(2) ? 1 : -1));
  return random.pick<int64_t>(integers);
}

static Type someElementType(MLIRContext *context, Random &random) {
  Builder b(context);
  const Type types[] = {
      b.getF32Type(),
      b.getF32Type(),
      b.getF16Type(),
      b.getBF16Type(),
      b.getF64Type(),
      b.getI1Type(),
      b.getIntegerType(8),
      b.getI32Type(),
      b.getI32Type(),
      b.getI64Type(),
      b.getIndexType(),
      b.getIntegerType(32, /*isSigned=*/false),
      b.getIntegerType(7),
      Float8E4M3FNType::get(context),
      ComplexType::get(b.getF32Type()),
      VectorType::get({2}, b.getF32Type()),
      VectorType::get({}, b.getI32Type()),
  };
  return random.pick<Type>(types);
}

// An element type or a size becomes another one, at all places or in all types
// that equal one type.
static void changeTypes(ModuleOp module, Random &random) {
  SmallVector<Type> types;
  for (Value value : collectValues(module))
    types.push_back(value.getType());
  if (types.empty())
    return;
  Type picked = random.pick<Type>(types);
  auto shaped = dyn_cast<ShapedType>(picked);
  AttrTypeReplacer replacer;
  if (!shaped || random.once(3)) {
    Type old = shaped ? shaped.getElementType() : picked;
    if (old.isIndex() && random.once(2))
      return; // sizes: nothing would stay valid
    Type type = someElementType(module.getContext(), random);
    replacer.addReplacement([=](Type other) -> std::optional<Type> {
      if (other == old)
        return type;
      return std::nullopt;
    });
  } else if (shaped.hasRank()) {
    static const int64_t sizes[] = {
        ShapedType::kDynamic, 0, 1, 2, 3, 17, 64, 1025, 65536,
        int64_t(1) << 32};
    int64_t size = random.pick<int64_t>(sizes);
    SmallVector<int64_t> shape(shaped.getShape());
    int64_t old = 0;
    size_t at = shape.empty() ? 0 : random.below(shape.size());
    bool everywhere = !shape.empty() && random.once(2);
    if (everywhere)
      old = shape[at];
    else if (shape.empty() || random.once(4))
      shape.insert(shape.begin() + at, size);
    else if (random.once(3))
      shape.erase(shape.begin() + at);
    else
      shape[at] = size;
    replacer.addReplacement([=](Type other) -> std::optional<Type> {
      auto type = dyn_cast<RankedTensorType>(other);
      if (!type || (!everywhere && other != picked))
        return std::nullopt;
      SmallVector<int64_t> changed = shape;
      if (everywhere) {
        changed.assign(type.getShape().begin(), type.getShape().end());
        llvm::replace(changed, old, size);
      }
      return RankedTensorType::get(changed, type.getElementType(),
                                   type.getEncoding());
    });
  }
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

// An operand becomes another value of its type, or all uses of a value do.
static void changeOperand(ModuleOp module, Random &random) {
  SmallVector<Value> values = collectValues(module);
  if (values.empty())
    return;
  Value old = random.pick<Value>(values);
  llvm::erase_if(values, [&](Value value) {
    return value == old || value.getType() != old.getType();
  });
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : old.getUses())
    uses.push_back(&use);
  if (values.empty() || uses.empty())
    return;
  Value other = random.pick<Value>(values);
  if (random.once(2))
    old.replaceAllUsesWith(other);
  else
    random.pick<OpOperand *>(uses)->set(other);
}

static Attribute changeAttribute(Attribute attribute, Random &random) {
  Builder b(attribute.getContext());
  if (auto integer = dyn_cast<IntegerAttr>(attribute);
      integer && integer.getValue().getBitWidth() <= 64)
    return IntegerAttr::get(
        integer.getType(),
        APInt(integer.getValue().getBitWidth(),
              uint64_t(someInteger(integer.getValue().getSExtValue(), random)),
              /*isSigned=*/false, /*implicitTrunc=*/true));
  if (auto real = dyn_cast<FloatAttr>(attribute)) {
    static const double reals[] = {0.0, -0.0, 1.0, -1.0, 1e-45, 3e38, 1e300};
    return FloatAttr::get(real.getType(), random.pick<double>(reals));
  }
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    SmallVector<int64_t> changed(array.asArrayRef());
    if (changed.empty() || random.once(4))
      changed.push_back(someInteger(0, random));
    else if (random.once(4))
      changed.pop_back();
    else {
      int64_t &element = changed[random.below(changed.size())];
      element = someInteger(element, random);
    }
    return b.getDenseI64ArrayAttr(changed);
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> changed(array.getValue());
    if (changed.empty())
      return attribute;
    size_t at = random.below(changed.size());
    if (random.once(4))
      changed.erase(changed.begin() + at);
    else if (random.once(3))
      std::swap(changed[at], changed[random.below(changed.size())]);
    else
      changed[at] = changeAttribute(changed[at], random);
    return b.getArrayAttr(changed);
  }
  if (auto map = dyn_cast<AffineMapAttr>(attribute)) {
    SmallVector<AffineExpr> results(map.getValue().getResults());
    if (results.empty())
      return attribute;
    AffineExpr &result = results[random.below(results.size())];
    switch (random.below(4)) {
    case 0:
      result = result + someInteger(1, random);
      break;
    case 1:
      result = result * someInteger(1, random);
      break;
    case 2:
      result = b.getAffineConstantExpr(someInteger(0, random));
      break;
    default:
      std::swap(result, results[random.below(results.size())]);
    }
    if (!result) // a product that overflows
      return attribute;
    return AffineMapAttr::get(AffineMap::get(map.getValue().getNumDims(),
                                             map.getValue().getNumSymbols(),
                                             results, b.getContext()));
  }
  // Within attributes such as #moe.schedule, one integer at a time.
  SmallVector<Attribute> attributes;
  SmallVector<Type> types;
  attribute.walkImmediateSubElements(
      [&](Attribute inner) { attributes.push_back(inner); },
      [&](Type type) { types.push_back(type); });
  if (attributes.empty())
    return attribute;
  Attribute &inner = attributes[random.below(attributes.size())];
  inner = changeAttribute(inner, random);
  Attribute changed = attribute.replaceImmediateSubElements(attributes, types);
  return changed ? changed : attribute;
}

// An attribute changes, goes, or is that of another op with the same name.
static void changeAttributes(ModuleOp module, Random &random) {
  SmallVector<Operation *> ops = collectOps(module);
  llvm::erase_if(ops, [](Operation *op) { return op->getAttrs().empty(); });
  if (ops.empty())
    return;
  Operation *op = random.pick<Operation *>(ops);
  NamedAttribute attribute = random.pick<NamedAttribute>(op->getAttrs());
  if (random.once(5)) {
    op->removeAttr(attribute.getName());
    return;
  }
  if (random.once(3)) {
    llvm::erase_if(ops, [&](Operation *other) {
      return !other->hasAttr(attribute.getName());
    });
    if (Operation *other = random.pick<Operation *>(ops))
      op->setAttr(attribute.getName(), other->getAttr(attribute.getName()));
    return;
  }
  op->setAttr(attribute.getName(),
              changeAttribute(attribute.getValue(), random));
}

static void changeOps(ModuleOp module, Random &random) {
  SmallVector<Operation *> ops = collectOps(module);
  if (ops.empty())
    return;
  Operation *op = random.pick<Operation *>(ops);
  Operation *other = random.pick<Operation *>(ops);
  switch (random.below(3)) {
  case 0:
    if (op->use_empty())
      op->erase();
    break;
  case 1:
    if (!op->isAncestor(other) && other != op)
      OpBuilder(other).clone(*op);
    break;
  default:
    if (!op->isAncestor(other))
      op->moveBefore(other);
  }
}

void moe::fuzz::mutateModule(ModuleOp module, Random &random) {
  using Change = void (*)(ModuleOp, Random &);
  static const Change changes[] = {
      changeTypes,      changeTypes,      changeOperand, changeOperand,
      changeAttributes, changeAttributes, changeOps};
  random.pick<Change>(changes)(module, random);
}
