//===- ConstantData.cpp - What a constant buffer holds --------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::moe;

FailureOr<std::vector<uint8_t>> moe::getConstantData(moe_rt::BufferOp op) {
  ElementsAttr data = *op.getData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      ArrayRef<char> bytes = blob->getData();
      return std::vector<uint8_t>(bytes.begin(), bytes.end());
    }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(data);
  Type element = data.getElementType();
  if (!dense || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() % 8 != 0)
    return op.emitOpError("expected data of whole bytes, but got ")
           << data.getShapedType();
  std::vector<uint8_t> bytes;
  // One value stands for any number of them.
  constexpr int64_t maxBytes = int64_t(1) << 31;
  if (dense.getNumElements() > maxBytes / 8)
    return op.emitOpError("expected a constant of at most ")
           << maxBytes / 8 << " elements, but got " << data.getShapedType();
  int64_t repetitions = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < repetitions; ++i)
    llvm::append_range(bytes, dense.getRawData());
  return bytes;
}
