//===- ResolveTarget.cpp - The target a pass works for
//---------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ResolveTarget.h"

using namespace mlir;
using namespace mlir::moe;

FailureOr<TargetInfo> moe::resolveTarget(Operation *op,
                                         const std::optional<TargetInfo> &given,
                                         StringRef name) {
  if (given)
    return *given;
  std::optional<TargetInfo> named = lookupTarget(name);
  if (!named)
    return op->emitError("expected a target of ")
           << llvm::join(getTargetNames(), ", ") << ", but got '" << name
           << "'";
  return *named;
}
