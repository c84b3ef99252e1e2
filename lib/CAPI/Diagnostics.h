//===- Diagnostics.h - Diagnostics as text ----------------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_LIB_CAPI_DIAGNOSTICS_H
#define MOE_LIB_CAPI_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::moe {

/// Appends the diagnostics of a context to a text while it lives, as lines of
/// `file:line:column: error: message`, each followed by its notes.
class DiagnosticText : public ScopedDiagnosticHandler {
public:
  /// `filename` stands where a location names no file.
  DiagnosticText(MLIRContext *context, StringRef filename, std::string &text);

  bool hasError() const { return sawError; }

private:
  void append(Diagnostic &diagnostic);

  std::string filename;
  std::string &text;
  bool sawError = false;
};

} // namespace mlir::moe

#endif // MOE_LIB_CAPI_DIAGNOSTICS_H
