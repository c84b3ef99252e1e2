//===- ExprTest.cpp - Expressions of the dynamic dimensions ---------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Expr.h"
#include "TestBundle.h"

#include <gtest/gtest.h>
#include <limits>

using namespace moe::runtime;
using moe::bundle::ExprNode;
using moe::bundle::ExprOp;

namespace {
class ExprTest : public testing::Test {
protected:
  /// An expression that lives as long as the fixture.
  const moe::bundle::Expr &expr(const std::vector<ExprNode> &nodes) {
    writer.builder.Clear();
    writer.builder.Finish(writer.expr(nodes));
    return *flatbuffers::GetRoot<moe::bundle::Expr>(
        writer.builder.GetBufferPointer());
  }

  int64_t apply(ExprOp op, int64_t a, int64_t b) {
    Expected<int64_t> result =
        evaluate(expr({{ExprOp::Const, a}, {ExprOp::Const, b}, {op, 0}}), {});
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : -12345;
  }

  std::string applyError(ExprOp op, int64_t a, int64_t b) {
    return evaluate(expr({{ExprOp::Const, a}, {ExprOp::Const, b}, {op, 0}}), {})
        .status()
        .message();
  }

  moe::test::BundleWriter writer;
};

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
} // namespace

TEST_F(ExprTest, OperandsAreTakenInOrder) {
  // (T + 3) * 2 - with T = symbol 0
  const auto &tree = expr({{ExprOp::Dim, 0},
                           {ExprOp::Const, 3},
                           {ExprOp::Add, 0},
                           {ExprOp::Const, 2},
                           {ExprOp::Mul, 0}});
  EXPECT_TRUE(checkExpr(tree, 1).ok());
  EXPECT_FALSE(isConstant(tree));
  EXPECT_EQ(*evaluate(tree, {7}), 20);
}

TEST_F(ExprTest, DivisionRoundsToTheNamedDirection) {
  EXPECT_EQ(apply(ExprOp::FloorDiv, 7, 2), 3);
  EXPECT_EQ(apply(ExprOp::FloorDiv, -7, 2), -4);
  EXPECT_EQ(apply(ExprOp::FloorDiv, 7, -2), -4);
  EXPECT_EQ(apply(ExprOp::CeilDiv, 7, 2), 4);
  EXPECT_EQ(apply(ExprOp::CeilDiv, -7, 2), -3);
  EXPECT_EQ(apply(ExprOp::CeilDiv, 8, 2), 4);
  EXPECT_EQ(apply(ExprOp::CeilDiv, 0, 64), 0);
  EXPECT_EQ(apply(ExprOp::Mod, -7, 3), 2);
  EXPECT_EQ(apply(ExprOp::Mod, 7, 3), 1);
}

TEST_F(ExprTest, MinAndMax) {
  EXPECT_EQ(apply(ExprOp::Min, -1, 4), -1);
  EXPECT_EQ(apply(ExprOp::Max, -1, 4), 4);
}

TEST_F(ExprTest, OverflowIsAnError) {
  EXPECT_EQ(applyError(ExprOp::Add, kMax, 1),
            "expected a value of 64 bits, but got 9223372036854775807 + 1");
  EXPECT_EQ(applyError(ExprOp::Mul, kMax, 2),
            "expected a value of 64 bits, but got 9223372036854775807 * 2");
  EXPECT_NE(applyError(ExprOp::FloorDiv, kMin, -1), "");
  EXPECT_NE(applyError(ExprOp::CeilDiv, kMin, -1), "");
  EXPECT_EQ(apply(ExprOp::Mod, kMin, -1), 0);
}

TEST_F(ExprTest, DivisionByZeroIsAnError) {
  for (ExprOp op : {ExprOp::FloorDiv, ExprOp::CeilDiv, ExprOp::Mod})
    EXPECT_EQ(applyError(op, 5, 0),
              "expected a divisor of 5 other than 0, but got 0");
}

TEST_F(ExprTest, TheStackEndsWithOneValue) {
  EXPECT_EQ(checkExpr(expr({}), 0).message(),
            "expected an expression to leave one value, but got 0");
  EXPECT_EQ(
      checkExpr(expr({{ExprOp::Const, 1}, {ExprOp::Const, 2}}), 0).message(),
      "expected an expression to leave one value, but got 2");
  EXPECT_EQ(
      checkExpr(expr({{ExprOp::Const, 1}, {ExprOp::Add, 0}}), 0).message(),
      "expected two operands of '+', but got 1");
  EXPECT_FALSE(evaluate(expr({{ExprOp::Add, 0}}), {}).ok());
}

TEST_F(ExprTest, SymbolsAndOperatorsAreInRange) {
  EXPECT_EQ(checkExpr(expr({{ExprOp::Dim, 2}}), 2).message(),
            "expected a symbol index below 2, but got 2");
  EXPECT_FALSE(checkExpr(expr({{ExprOp::Dim, -1}}), 2).ok());
  EXPECT_FALSE(
      checkExpr(expr({{ExprOp::Const, 1}, {ExprOp::Const, 1}, {ExprOp(77), 0}}),
                0)
          .ok());
  EXPECT_FALSE(evaluate(expr({{ExprOp::Dim, 0}}), {}).ok());
}
