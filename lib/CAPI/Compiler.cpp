//===- Compiler.cpp - The C API of the compiler ---------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "moe-c/compiler.h"

#include "Diagnostics.h"
#include "moe/InitAll.h"
#include "moe/Pipelines/Pipelines.h"
#include "moe/Target/Bundle/DeviceFacts.h"
#include "moe/Target/Bundle/Export.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::moe;

/// What a caller who names no target gets.
static constexpr const char *defaultTarget = "lavapipe";

struct moe_compile_result {
  std::vector<uint8_t> bundle;
  std::string diagnostics;
};

/// The options with zeros for what the caller's version does not have.
static moe_compile_options normalize(const moe_compile_options *given) {
  moe_compile_options options = {};
  if (given)
    std::memcpy(&options, given, std::min(given->size, sizeof(options)));
  return options;
}

static std::optional<TargetInfo> findTarget(const moe_compile_options &options,
                                            std::string &error) {
  if (options.facts) {
    ArrayRef facts(static_cast<const uint8_t *>(options.facts),
                   options.facts_size);
    return parseDeviceFacts(facts, error);
  }
  StringRef name = options.target ? options.target : defaultTarget;
  std::optional<TargetInfo> target = lookupTarget(name);
  if (!target)
    error = ("expected a target of " + llvm::join(getTargetNames(), ", ") +
             ", but got '" + name + "'")
                .str();
  return target;
}

/// Makes `entry` the only function that is compiled for its own sake.
static LogicalResult selectEntry(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal()) {
    SmallVector<std::string> names;
    for (auto other : module.getOps<func::FuncOp>())
      names.push_back(("'" + other.getSymName() + "'").str());
    return module.emitError("expected a function '")
           << entry << "' with a body, but got "
           << (names.empty() ? "none" : llvm::join(names, ", "));
  }
  for (auto other : module.getOps<func::FuncOp>())
    other.setPrivate();
  function.setPublic();
  return success();
}

static LogicalResult compile(ModuleOp module, const TargetInfo &target,
                             const char *entry, moe_compile_result &result) {
  if (entry && failed(selectEntry(module, entry)))
    return failure();
  // Functions that nothing reaches need not be ones that can be compiled.
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createSymbolDCEPass());
  CompilePipelineOptions options;
  options.target = target;
  buildCompilePipeline(pm, options);
  if (failed(pm.run(module)))
    return failure();
  ExportOptions exportOptions;
  exportOptions.target = target;
  FailureOr<std::vector<uint8_t>> bundle = exportBundle(module, exportOptions);
  if (succeeded(bundle))
    result.bundle = std::move(*bundle);
  return bundle;
}

static bool compileText(StringRef text, StringRef filename,
                        const moe_compile_options &options,
                        moe_compile_result &result) {
  std::string error;
  std::optional<TargetInfo> target = findTarget(options, error);
  if (!target) {
    result.diagnostics = "error: " + error + "\n";
    return false;
  }
  DialectRegistry registry;
  registerCompilerDialects(registry);
  // Starting threads costs more than they save on modules of this size.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context, filename, result.diagnostics);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), filename);
  if (module && succeeded(compile(*module, *target, options.entry, result)))
    return true;
  if (!diagnostics.hasError())
    result.diagnostics += "error: expected a pass that fails to say why, but "
                          "got no message\n";
  return false;
}

const char *moe_compile_version(void) { return MOE_VERSION; }

int moe_compile(const char *text, size_t length, const char *filename,
                const moe_compile_options *options,
                moe_compile_result **result) {
  *result = new moe_compile_result;
  bool succeeded =
      compileText(StringRef(text, length), filename ? filename : "<text>",
                  normalize(options), **result);
  return succeeded ? 0 : 1;
}

int moe_compile_target_env(const moe_compile_options *options,
                           moe_compile_result **result) {
  *result = new moe_compile_result;
  std::optional<TargetInfo> target =
      findTarget(normalize(options), (*result)->diagnostics);
  if (!target)
    return 1;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::raw_string_ostream stream((*result)->diagnostics);
  stream << toTargetEnv(&context, *target);
  return 0;
}

const void *moe_compile_result_bundle(const moe_compile_result *result,
                                      size_t *size) {
  *size = result->bundle.size();
  return result->bundle.empty() ? nullptr : result->bundle.data();
}

const char *moe_compile_result_diagnostics(const moe_compile_result *result) {
  return result->diagnostics.c_str();
}

void moe_compile_result_destroy(moe_compile_result *result) { delete result; }
