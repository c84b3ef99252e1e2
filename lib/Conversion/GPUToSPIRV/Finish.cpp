//===- Finish.cpp - Versions and capabilities of SPIR-V modules
//------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Upstream's spirv-update-vce picks the lowest version that the ops need, but
// overlooks decorations: NoSignedWrap needs 1.4, and storage buffers without an
// extension 1.3. So the capabilities are its and those of the built-ins, which
// it overlooks as well, and the version comes from the target, at most 1.5:
// from 1.4 on an entry point must list all its variables, which the conversion
// does only for 1.5 and below.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include <map>

using namespace mlir;
using namespace mlir::moe;

// Atomics of memref carry ordering without a storage class; none of ours order
// anything but their own word.
static void relaxAtomics(spirv::ModuleOp module) {
  auto none = spirv::MemorySemanticsAttr::get(module.getContext(),
                                              spirv::MemorySemantics::None);
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef().starts_with("spirv.Atomic") &&
        op->hasAttr("semantics"))
      op->setAttr("semantics", none);
  });
}

// Without the decoration a driver may assume that two variables never alias
// and reorder their accesses; the scalar and vector views of a buffer do.
static void markAliases(spirv::ModuleOp module) {
  // Any number can be a binding, also those that a DenseMap keeps for itself.
  std::map<std::pair<unsigned, unsigned>, SmallVector<spirv::GlobalVariableOp>>
      bindings;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    if (variable.getBinding())
      bindings[{variable.getDescriptorSet().value_or(0),
                *variable.getBinding()}]
          .push_back(variable);
  for (auto &[binding, variables] : bindings)
    if (variables.size() > 1)
      for (spirv::GlobalVariableOp variable : variables)
        variable->setAttr("aliased", UnitAttr::get(module.getContext()));
}

// The serializer writes the id 0 into the phi of a loop header for a value that
// comes round from the results of a loop or selection in the body. Those of any
// other op it fills in later, so a copy is made by one: SPIR-V's own copy has
// no op in the dialect.
static void copyResultsThatComeRound(spirv::ModuleOp module) {
  module.walk([](spirv::BranchOp branch) {
    if (branch->getBlock()->isEntryBlock())
      return; // the way in: its values are all written before it
    for (OpOperand &operand : branch->getOpOperands()) {
      Value value = operand.get();
      if (!isa_and_nonnull<spirv::LoopOp, spirv::SelectionOp>(
              value.getDefiningOp()))
        continue;
      OpBuilder builder(branch);
      Type condition = builder.getI1Type();
      if (auto vector = dyn_cast<VectorType>(value.getType()))
        condition = VectorType::get(vector.getShape(), condition);
      Value always =
          spirv::ConstantOp::getOne(condition, branch.getLoc(), builder);
      operand.set(spirv::SelectOp::create(
          builder, branch.getLoc(), value.getType(), always, value, value));
    }
  });
}

// Reading the lane of a subgroup needs a capability, also where no subgroup op
// is left that has it.
static bool readsLane(spirv::ModuleOp module) {
  StringRef lane =
      spirv::stringifyBuiltIn(spirv::BuiltIn::SubgroupLocalInvocationId);
  return llvm::any_of(module.getOps<spirv::GlobalVariableOp>(),
                      [&](spirv::GlobalVariableOp variable) {
                        return variable.getBuiltIn() == lane;
                      });
}

LogicalResult moe::finishModule(spirv::ModuleOp module,
                                spirv::TargetEnvAttr target) {
  relaxAtomics(module);
  markAliases(module);
  copyResultsThatComeRound(module);
  std::optional<spirv::VerCapExtAttr> used = module.getVceTriple();
  if (!used)
    return module.emitOpError("expected spirv-update-vce to have run");
  spirv::Version version = std::min(target.getVersion(), spirv::Version::V_1_5);
  if (version < spirv::Version::V_1_3)
    return module.emitOpError(
               "expected a target of SPIR-V 1.3 or newer, but got ")
           << spirv::stringifyVersion(version);
  if (version < spirv::Version::V_1_4)
    module.walk([](Operation *op) { // need 1.4
      op->removeAttr("no_signed_wrap");
      op->removeAttr("no_unsigned_wrap");
    });
  llvm::SmallSetVector<spirv::Capability, 8> capabilities(
      llvm::from_range, used->getCapabilities());
  if (readsLane(module))
    capabilities.insert(spirv::Capability::GroupNonUniform);
  SmallVector<spirv::Extension> extensions(used->getExtensions());
  module->setAttr(spirv::ModuleOp::getVCETripleAttrName(),
                  spirv::VerCapExtAttr::get(version, capabilities.getArrayRef(),
                                            extensions, module.getContext()));
  return success();
}
