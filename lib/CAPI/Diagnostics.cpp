//===- Diagnostics.cpp - Diagnostics as text ------------------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::moe;

DiagnosticText::DiagnosticText(MLIRContext *context, StringRef filename,
                               std::string &text)
    : ScopedDiagnosticHandler(context), filename(filename.str()), text(text) {
  setHandler([this](Diagnostic &diagnostic) {
    append(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      append(note);
    return success();
  });
}

static StringRef getWord(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("covered switch");
}

void DiagnosticText::append(Diagnostic &diagnostic) {
  sawError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  llvm::raw_string_ostream stream(text);
  // An op that a pass made from others may have several places in the text.
  FileLineColLoc place;
  diagnostic.getLocation()->walk([&](Location location) {
    place = dyn_cast<FileLineColLoc>(location);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  stream << (place ? place.getFilename().getValue() : StringRef(filename));
  if (place && place.getLine() != 0) // a module as a whole has line 0
    stream << ':' << place.getLine() << ':' << place.getColumn();
  stream << ": " << getWord(diagnostic.getSeverity()) << ": " << diagnostic
         << '\n';
}
