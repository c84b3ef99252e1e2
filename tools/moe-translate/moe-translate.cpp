//===- moe-translate.cpp - Modules to bundles, bundles to text ------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "moe/InitAll.h"
#include "moe/Target/Bundle/Export.h"
#include "moe/Target/Listing/Listing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::moe;

static llvm::cl::opt<std::string>
    targetName("target",
               llvm::cl::desc("the named target that --moe-to-bundle records"),
               llvm::cl::init("lavapipe"));

static LogicalResult writeBundle(Operation *op, llvm::raw_ostream &os) {
  // A module as a whole says nothing that its message does not.
  op->getContext()->printOpOnDiagnostic(false);
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module, but got ") << op->getName();
  std::optional<TargetInfo> target = lookupTarget(targetName);
  if (!target)
    return module.emitError("expected a target of ")
           << llvm::join(getTargetNames(), ", ") << ", but got '" << targetName
           << "'";
  FailureOr<std::vector<uint8_t>> bundle = exportBundle(module, {*target});
  if (failed(bundle))
    return failure();
  os.write(reinterpret_cast<const char *>(bundle->data()), bundle->size());
  return success();
}

/// A reader of bundles as a translation. It prints its own errors: a place in
/// a binary file means nothing to those of MLIR.
using BundleReader = LogicalResult (*)(ArrayRef<uint8_t>, llvm::raw_ostream &,
                                       std::string &);
static TranslateFunction translateWith(BundleReader read) {
  return [read](const std::shared_ptr<llvm::SourceMgr> &sources,
                llvm::raw_ostream &os, MLIRContext *) {
    const llvm::MemoryBuffer *file =
        sources->getMemoryBuffer(sources->getMainFileID());
    std::string error;
    ArrayRef bytes(reinterpret_cast<const uint8_t *>(file->getBufferStart()),
                   file->getBufferSize());
    LogicalResult result = read(bytes, os, error);
    if (failed(result))
      llvm::errs() << file->getBufferIdentifier() << ": error: " << error
                   << '\n';
    return result;
  };
}

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration toBundle(
      "moe-to-bundle",
      "write the host programs and spirv modules of a module as a bundle",
      writeBundle,
      [](DialectRegistry &registry) { registerCompilerDialects(registry); });
  TranslateRegistration toText("bundle-to-text",
                               "list what a bundle holds, with SPIR-V",
                               translateWith(printBundle));
  TranslateRegistration validate("validate-bundle",
                                 "validate the SPIR-V of a bundle",
                                 translateWith(validateBundle));
  return failed(mlirTranslateMain(argc, argv, "moe translation driver\n"));
}
