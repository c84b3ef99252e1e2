//===- Run.cpp - Passes and changes of a text -----------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "ModuleMutator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "moe/Target/Bundle/Export.h"
#include "moe/Target/Listing/Listing.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::moe;
using namespace mlir::moe::fuzz;

static LogicalResult addPass(PassManager &pm, StringRef text) {
  auto [name, options] = text.split('{');
  if (!options.empty())
    options = options.drop_back();
  auto fail = [&](const Twine &message) -> LogicalResult {
    return emitError(UnknownLoc::get(pm.getContext())) << message;
  };
  if (const PassInfo *pass = PassInfo::lookup(name))
    return pass->addToPipeline(pm, options, fail);
  if (const PassPipelineInfo *pipeline = PassPipelineInfo::lookup(name))
    return pipeline->addToPipeline(pm, options, fail);
  return fail("no such pass");
}

static LogicalResult exportAndList(ModuleOp module) {
  ExportOptions options;
  options.target = *lookupTarget("lavapipe");
  FailureOr<std::vector<uint8_t>> bundle = exportBundle(module, options);
  std::string error;
  if (succeeded(bundle) && failed(printBundle(*bundle, llvm::nulls(), error)))
    return module.emitError(error);
  return bundle;
}

static std::string print(ModuleOp module, bool generic = false) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (generic)
    flags.printGenericOpForm();
  module->print(stream, flags);
  return text;
}

MOE_FUZZ_DRIVER End moe::fuzz::runPasses(MLIRContext &context, StringRef text,
                                         ArrayRef<std::string> passes,
                                         std::string *printed) {
  tell(text, passes);
  bool hasError = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    // As a tool does: notes may print the op.
    (void)diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      (void)note.str();
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return End::Unparsed;
  hasError = false;
  PassManager pm(&context, ModuleOp::getOperationName(),
                 PassManager::Nesting::Implicit);
  bool exports = false;
  for (StringRef pass : passes) {
    if (pass == "export")
      exports = true;
    else if (failed(addPass(pm, pass)))
      return hasError ? End::Refused : End::Silent;
  }
  if (failed(pm.run(*module)) || (exports && failed(exportAndList(*module))))
    return hasError ? End::Refused : End::Silent;
  std::string result = print(*module);
  if (printed)
    *printed = std::move(result);
  return End::Passed;
}

MOE_FUZZ_DRIVER End moe::fuzz::mutateText(MLIRContext &context,
                                          std::string &text, unsigned count,
                                          Random &random) {
  tell(text, {});
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return End::Unparsed;
  unsigned done = 0;
  for (unsigned attempt = 0; attempt < 4 * count && done < count; ++attempt) {
    OwningOpRef<ModuleOp> changed = module->clone();
    mutateModule(*changed, random);
    // An invalid module can only be printed in its generic form. Parsed again,
    // so that it is one that a text can give.
    std::string generic = print(*changed, /*generic=*/true);
    tell(generic, {});
    OwningOpRef<ModuleOp> parsed =
        parseSourceString<ModuleOp>(generic, &context);
    if (!parsed)
      continue;
    module = std::move(parsed);
    ++done;
  }
  text = print(*module);
  return End::Passed;
}
