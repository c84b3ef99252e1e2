//===- RulesTest.cpp - Which ops have a derivative rule -------------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Every op of the dialects that functions are written in has a rule, be it one
// that says what to write instead, or no float result that could need one. An
// op that a new version of MLIR adds fails here until it is decided upon.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "moe/Autodiff/DerivativeInterface.h"
#include "moe/InitAll.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace mlir::moe;
using testing::UnorderedElementsAreArray;

/// The ops of a dialect that have no rule.
static std::vector<std::string> findWithoutRule(StringRef dialect) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<std::string> names;
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == dialect &&
        !op.hasInterface<DifferentiableOpInterface>())
      names.push_back(op.stripDialect().str());
  return names;
}

static auto areWords(StringRef text) {
  std::vector<std::string> words;
  for (StringRef word : llvm::split(text, ' '))
    words.push_back(word.str());
  return UnorderedElementsAreArray(words);
}

// Constants, integers, and what makes integers of floats: steps.
TEST(RulesTest, ArithOpsOnFloatsHaveRules) {
  EXPECT_THAT(
      findWithoutRule("arith"),
      areWords("addi addui_extended andi ceildivsi ceildivui cmpf cmpi "
               "constant divsi divui extsi extui floordivsi fptosi fptoui "
               "index_cast index_castui maxsi maxui minsi minui muli "
               "mulsi_extended mului_extended ori remsi remui shli shrsi "
               "shrui sitofp subi trunci uitofp xori"));
}

TEST(RulesTest, MathOpsOnFloatsHaveRules) {
  EXPECT_THAT(
      findWithoutRule("math"),
      areWords("absi ctlz ctpop cttz ipowi isfinite isinf isnan isnormal"));
}

TEST(RulesTest, LinalgOpsHaveRules) {
  EXPECT_THAT(findWithoutRule("linalg"), areWords("index yield"));
}

// Sizes, ends of regions, and what stands in a loop that is none of functions.
TEST(RulesTest, TensorOpsHaveRules) {
  EXPECT_THAT(findWithoutRule("tensor"),
              areWords("dim empty parallel_insert_slice rank yield"));
}
