//===- ProgramBuilder.cpp - Builds the host program of a function ---------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe/Conversion/ProgramBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::moe;

static constexpr int64_t statusBytes = 16; // code, site, slot, value

ProgramBuilder::ProgramBuilder(func::FuncOp func, gpu::GPUModuleOp kernels,
                               Device device)
    : func(func), kernels(kernels), symbolicDims(func),
      commands(func.getContext()), device(device) {
  OpBuilder builder(func);
  program =
      moe_rt::ProgramOp::create(builder, func.getLoc(), func.getSymName());
  commands.setInsertionPointToEnd(&program.getBody().emplaceBlock());
}

std::string ProgramBuilder::uniqueName(StringRef base) {
  // A later stage gives each kernel a module beside the functions.
  auto isTaken = [&](StringRef name) {
    return SymbolTable::lookupSymbolIn(kernels, name) ||
           SymbolTable::lookupSymbolIn(kernels->getParentOp(), name);
  };
  std::string name = base.str();
  for (unsigned suffix = 1; isTaken(name); ++suffix)
    name = (base + "_" + Twine(suffix)).str();
  return name;
}

Value ProgramBuilder::materialize(AffineExpr size) { return minimumOf(size); }

Value ProgramBuilder::minimumOf(ArrayRef<AffineExpr> sizes) {
  Location loc = func.getLoc();
  ArrayRef<SymbolicDims::Symbol> symbols = symbolicDims.getSymbols();
  SmallVector<Value> operands;
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    std::string name =
        llvm::formatv("dim{0}_of_input{1}", symbol.dim, symbol.input);
    operands.push_back(moe_rt::DimOp::create(commands, loc,
                                             commands.getIndexType(),
                                             symbol.input, symbol.dim, name));
  }
  AffineMap map = AffineMap::get(symbols.size(), 0, sizes, func.getContext());
  map = simplifyAffineMap(map);
  if (llvm::all_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>)) {
    auto results = llvm::map_range(map.getResults(), [](AffineExpr result) {
      return cast<AffineConstantExpr>(result).getValue();
    });
    return arith::ConstantIndexOp::create(
        commands, loc, *std::min_element(results.begin(), results.end()));
  }
  if (map.getNumResults() > 1)
    return affine::AffineMinOp::create(commands, loc, map, operands);
  return affine::AffineApplyOp::create(commands, loc, map, operands);
}

// Names are for people: a second buffer of a name gets a number.
Value ProgramBuilder::createBuffer(Location loc, StringRef name,
                                   moe_rt::BufferKind kind, Value bytes,
                                   ElementsAttr data) {
  unsigned count = bufferNames[name]++;
  std::string unique =
      count ? (name + " (" + Twine(count + 1) + ")").str() : name.str();
  return moe_rt::BufferOp::create(
      commands, loc, moe_rt::BufferType::get(commands.getContext()), unique,
      kind, bytes, /*offset=*/Value(), data);
}

Value ProgramBuilder::addScratch(StringRef name, AffineExpr bytes) {
  return createBuffer(func.getLoc(), name, moe_rt::BufferKind::Transient,
                      materialize(bytes));
}

Value ProgramBuilder::getStatus() {
  if (status)
    return status;
  OpBuilder::InsertionGuard guard(commands);
  commands.setInsertionPointToStart(&program.getBody().front());
  Value bytes =
      arith::ConstantIndexOp::create(commands, func.getLoc(), statusBytes);
  status =
      createBuffer(func.getLoc(), "status", moe_rt::BufferKind::Status, bytes);
  moe_rt::FillOp::create(commands, func.getLoc(), status, 0);
  return status;
}

int32_t ProgramBuilder::addFaultSite(StringRef kernel, int64_t slotsPerToken,
                                     StringRef message) {
  moe_rt::FaultSiteOp::create(commands, func.getLoc(), kernel, slotsPerToken,
                              message);
  return numFaultSites++;
}

FailureOr<Value> ProgramBuilder::getBuffer(Value tensor) {
  // A kernel's argument is its input; a yielded value is its result.
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
      return getBuffer(kernel.getInputs()[argument.getArgNumber()]);
  if (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    return getBuffer(cast.getSource());

  if (auto result = dyn_cast<OpResult>(tensor))
    if (auto kernel = dyn_cast<KernelOp>(result.getOwner()))
      if (Value argument = kernel.getUpdatedInput(result))
        return getUpdatedBuffer(result, argument);

  Value &buffer = buffers[tensor];
  if (buffer)
    return buffer;
  Operation *producer = tensor.getDefiningOp();
  if (producer && !isa<KernelOp>(producer) &&
      !producer->hasTrait<OpTrait::ConstantLike>())
    return producer->emitOpError(
        "expected a kernel around every op that computes a tensor: run "
        "--moe-form-kernels first");
  if (!isa<RankedTensorType>(tensor.getType()) ||
      !getElementTypeOrSelf(tensor.getType()).isIntOrFloat())
    return emitError(
               tensor.getLoc(),
               "expected a ranked tensor of f32 or i32 to store, but got ")
           << tensor.getType();
  AffineExpr bytes = symbolicDims.getBytes(tensor);
  if (!bytes) {
    return emitError(tensor.getLoc(),
                     "expected a tensor with at most one dynamic "
                     "dimension that follows from the function's "
                     "arguments, but got ")
           << tensor.getType();
  }
  auto kind = moe_rt::BufferKind::Transient;
  std::string name = "t" + std::to_string(buffers.size());
  ElementsAttr data;
  int64_t position = -1;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    kind = moe_rt::BufferKind::Input;
    position = argument.getArgNumber();
    name = "input " + std::to_string(position);
    if (auto given = func.getArgAttrOfType<StringAttr>(position, "moe.name"))
      name = given.str();
  } else if (matchPattern(tensor, m_Constant(&data))) {
    kind = moe_rt::BufferKind::Constant;
  } else {
    Operation *terminator = func.getBody().front().getTerminator();
    for (OpOperand &use : terminator->getOpOperands())
      if (use.get() == tensor && position < 0) {
        kind = moe_rt::BufferKind::Output;
        position = use.getOperandNumber();
        name = "result " + std::to_string(position);
      }
    if (auto kernel = tensor.getDefiningOp<KernelOp>(); kernel && position < 0)
      name = (kernel.getName() + "." +
              Twine(cast<OpResult>(tensor).getResultNumber()))
                 .str();
  }
  buffer = createBuffer(tensor.getLoc(), name, kind, materialize(bytes), data);
  if (position >= 0)
    declareTensor(tensor, buffer, kind, position);
  return buffer;
}

void ProgramBuilder::declareTensor(Value tensor, Value buffer,
                                   moe_rt::BufferKind kind, int64_t position) {
  SmallVector<Value> shape;
  for (AffineExpr size : symbolicDims.getShape(tensor))
    shape.push_back(materialize(size));
  // Inputs keep their own symbols: the runtime reads them from the arrays.
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  moe_rt::TensorOp::create(commands, tensor.getLoc(), buffer, kind, position,
                           element, shape);
}

//===----------------------------------------------------------------------===//
// DispatchBuilder
//===----------------------------------------------------------------------===//

DispatchBuilder::DispatchBuilder(ProgramBuilder &program, Location loc,
                                 StringRef name, int64_t workgroupSize)
    : owner(program), name(program.uniqueName(name)),
      builder(loc, program.getKernels(), this->name, workgroupSize,
              program.getMaxLoopIterations()) {}

KernelBuffer *DispatchBuilder::buffer(BufferUse use, Value buffer,
                                      Type elementType) {
  for (Binding &binding : bindings)
    if (binding.buffer == buffer && binding.use == use &&
        cast<MemRefType>(binding.view->scalars.getType()).getElementType() ==
            elementType)
      return binding.view;
  bindings.push_back({use, buffer, &builder.addBuffer(use, elementType)});
  return bindings.back().view;
}

FailureOr<KernelBuffer *> DispatchBuilder::bindTensor(BufferUse use,
                                                      Value tensor) {
  FailureOr<Value> value = owner.getBuffer(tensor);
  if (failed(value))
    return failure();
  return buffer(use, *value, getElementTypeOrSelf(tensor.getType()));
}

FailureOr<KernelBuffer *> DispatchBuilder::read(Value tensor) {
  return bindTensor(BufferUse::Read, tensor);
}

FailureOr<KernelBuffer *> DispatchBuilder::write(Value tensor) {
  return bindTensor(BufferUse::Write, tensor);
}

FailureOr<KernelBuffer *> DispatchBuilder::update(Value tensor) {
  return bindTensor(BufferUse::Update, tensor);
}

Value DispatchBuilder::push(AffineExpr size) { return pushMinimum(size); }

// high * 2^32 + low, both of which fit a push constant.
Value DispatchBuilder::pushWide(AffineExpr size) {
  constexpr int64_t half = int64_t(1) << 31;
  if (auto known = dyn_cast<AffineConstantExpr>(size))
    return arith::ConstantOp::create(
        builder, builder.getI64IntegerAttr(known.getValue()));
  Value high = push((size + half).floorDiv(2 * half)),
        low = push((size + half) % (2 * half) - half);
  return builder.add(builder.mul(builder.toWide(high), 2 * half),
                     builder.toWide(low));
}

Value DispatchBuilder::pushMinimum(ArrayRef<AffineExpr> sizes) {
  if (sizes.size() == 1)
    if (auto value = dyn_cast<AffineConstantExpr>(sizes.front()))
      return builder.idx(value.getValue());
  for (auto [position, known] : llvm::enumerate(pushes))
    if (ArrayRef<AffineExpr>(known) == sizes)
      return builder.pushConstant(position);
  pushes.emplace_back(sizes);
  return builder.pushConstant(pushes.size() - 1);
}

std::pair<Value, Value> DispatchBuilder::pushRange() {
  rangePosition = pushes.size();
  pushes.resize(pushes.size() + 2); // filled in by dispatchSlices
  return {builder.pushConstant(rangePosition),
          builder.pushConstant(rangePosition + 1)};
}

void DispatchBuilder::setWork(AffineExpr newFlops, AffineExpr newBytes) {
  flops = newFlops;
  bytes = newBytes;
}

LogicalResult
DispatchBuilder::dispatch(ArrayRef<SmallVector<AffineExpr>> grid) {
  Slice whole{0, 0, nullptr, nullptr};
  return dispatchSlices(grid, {}, whole);
}

LogicalResult
DispatchBuilder::dispatchSlices(ArrayRef<SmallVector<AffineExpr>> grid,
                                ArrayRef<Value> sliced,
                                ArrayRef<Slice> slices) {
  Location loc = builder.getLoc();
  FailureOr<int64_t> iterations =
      owner.limitLoops(loc, name, builder.getLoopIterations());
  if (failed(iterations))
    return failure();
  KernelBuilder::Finished finished = builder.finish(pushes.size());
  if (*iterations)
    finished.func->setAttr("moe_rt.loop_iterations",
                           builder.getI64IntegerAttr(*iterations));
  if (lanes)
    finished.func->setAttr("moe_rt.lanes", builder.getI32IntegerAttr(lanes));

  OpBuilder &commands = owner.builder();
  for (const Slice &slice : slices) {
    SmallVector<Value> operands[3], push;
    for (unsigned number : finished.bindings) {
      Value bound = bindings[number].buffer;
      if (llvm::is_contained(sliced, bound))
        bound = moe_rt::SliceOp::create(commands, loc, bound.getType(), bound,
                                        owner.materialize(slice.offset),
                                        owner.materialize(slice.bytes));
      operands[static_cast<int>(bindings[number].use)].push_back(bound);
    }
    for (auto [position, sizes] : llvm::enumerate(pushes)) {
      if (!sliced.empty() && static_cast<int>(position) == rangePosition)
        sizes = {owner.dims().constant(slice.begin)};
      if (!sliced.empty() && static_cast<int>(position) == rangePosition + 1)
        sizes = {owner.dims().constant(slice.end)};
      push.push_back(owner.minimumOf(sizes));
    }
    SmallVector<Value> sizes;
    for (const SmallVector<AffineExpr> &size : grid)
      sizes.push_back(owner.minimumOf(size));
    sizes.resize(3, owner.materialize(owner.dims().constant(1)));
    // The work is spread over the slices; the first one reports it.
    bool report = &slice == slices.begin();
    Value flopsValue = report && flops ? owner.materialize(flops) : Value();
    Value bytesValue = report && bytes ? owner.materialize(bytes) : Value();
    StringAttr labelAttr =
        label.empty() ? StringAttr() : commands.getStringAttr(label);
    if (!guarded) {
      moe_rt::DispatchOp::create(
          commands, loc, name, sizes[0], sizes[1], sizes[2], push, operands[0],
          operands[1], operands[2], flopsValue, bytesValue, labelAttr);
      continue;
    }
    SmallVector<int32_t> words;
    for (Value size : sizes) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (!known)
        return emitError(loc, "expected kernel '")
               << name << "' to have a grid of static sizes, but got one that "
               << "depends on a dynamic one";
      words.push_back(*known);
    }
    auto [grids, offset] = owner.guardGrid(words);
    moe_rt::DispatchIndirectOp::create(commands, loc, name, grids, offset, push,
                                       operands[0], operands[1], operands[2],
                                       flopsValue, bytesValue, labelAttr);
  }
  return success();
}
