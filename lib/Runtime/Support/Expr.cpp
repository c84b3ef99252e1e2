//===- Expr.cpp - Expressions of the dynamic dimensions -------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Expr.h"

#include <algorithm>
#include <limits>

using namespace moe::runtime;
using moe::bundle::ExprOp;

static const char *symbolOf(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
    return "+";
  case ExprOp::Mul:
    return "*";
  case ExprOp::FloorDiv:
    return "floordiv";
  case ExprOp::CeilDiv:
    return "ceildiv";
  case ExprOp::Mod:
    return "mod";
  case ExprOp::Min:
    return "min";
  case ExprOp::Max:
    return "max";
  default:
    return "?";
  }
}

Status moe::runtime::checkExpr(const bundle::Expr &expr, size_t numSymbols) {
  // The FlatBuffers verifier does not look at the alignment of structs.
  if (reinterpret_cast<uintptr_t>(expr.nodes()->Data()) %
      alignof(bundle::ExprNode))
    return makeError(
        Code::InvalidArgument, "expected an expression at a multiple of ",
        alignof(bundle::ExprNode), " bytes, but got another place");
  size_t depth = 0;
  for (const bundle::ExprNode *node : *expr.nodes()) {
    switch (node->op()) {
    case ExprOp::Const:
      ++depth;
      break;
    case ExprOp::Dim:
      if (node->value() < 0 || uint64_t(node->value()) >= numSymbols)
        return makeError(Code::InvalidArgument,
                         "expected a symbol index below ", numSymbols,
                         ", but got ", node->value());
      ++depth;
      break;
    default:
      if (node->op() > ExprOp::MAX)
        return makeError(Code::InvalidArgument,
                         "expected an operator of an expression, but got ",
                         unsigned(node->op()));
      if (depth < 2)
        return makeError(Code::InvalidArgument, "expected two operands of '",
                         symbolOf(node->op()), "', but got ", depth);
      --depth;
      break;
    }
  }
  if (depth != 1)
    return makeError(Code::InvalidArgument,
                     "expected an expression to leave one value, but got ",
                     depth);
  return Status();
}

bool moe::runtime::isConstant(const bundle::Expr &expr) {
  return std::none_of(
      expr.nodes()->begin(), expr.nodes()->end(),
      [](const bundle::ExprNode *node) { return node->op() == ExprOp::Dim; });
}

/// Floor division. The caller has excluded zero and the one quotient that does
/// not fit.
static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

/// The remainder of floor division: it has the sign of the divisor.
static int64_t floorMod(int64_t a, int64_t b) {
  int64_t rest = a % b;
  return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient + ((a % b != 0) && ((a < 0) == (b < 0)));
}

/// Stores a (op) b in `result`; false when it does not fit in 64 bits.
static bool apply(ExprOp op, int64_t a, int64_t b, int64_t &result) {
  bool unrepresentable = a == std::numeric_limits<int64_t>::min() && b == -1;
  switch (op) {
  case ExprOp::Add:
    return !__builtin_add_overflow(a, b, &result);
  case ExprOp::Mul:
    return !__builtin_mul_overflow(a, b, &result);
  case ExprOp::FloorDiv:
    result = unrepresentable ? 0 : floorDiv(a, b);
    return !unrepresentable;
  case ExprOp::CeilDiv:
    result = unrepresentable ? 0 : ceilDiv(a, b);
    return !unrepresentable;
  case ExprOp::Mod:
    result = unrepresentable ? 0 : floorMod(a, b);
    return true;
  case ExprOp::Min:
    result = std::min(a, b);
    return true;
  case ExprOp::Max:
    result = std::max(a, b);
    return true;
  default:
    return false;
  }
}

static bool divides(ExprOp op) {
  return op == ExprOp::FloorDiv || op == ExprOp::CeilDiv || op == ExprOp::Mod;
}

Expected<int64_t> moe::runtime::evaluate(const bundle::Expr &expr,
                                         const std::vector<int64_t> &symbols) {
  std::vector<int64_t> stack;
  for (const bundle::ExprNode *node : *expr.nodes()) {
    if (node->op() == ExprOp::Const) {
      stack.push_back(node->value());
      continue;
    }
    if (node->op() == ExprOp::Dim) {
      if (node->value() < 0 || uint64_t(node->value()) >= symbols.size())
        return makeError(Code::InvalidArgument,
                         "expected a symbol index below ", symbols.size(),
                         ", but got ", node->value());
      stack.push_back(symbols[node->value()]);
      continue;
    }
    if (stack.size() < 2)
      return makeError(Code::InvalidArgument, "expected two operands of '",
                       symbolOf(node->op()), "', but got ", stack.size());
    int64_t b = stack.back();
    stack.pop_back();
    int64_t a = stack.back();
    if (divides(node->op()) && b == 0)
      return makeError(Code::InvalidArgument, "expected a divisor of ", a,
                       " other than 0, but got 0");
    if (!apply(node->op(), a, b, stack.back()))
      return makeError(Code::InvalidArgument,
                       "expected a value of 64 bits, but got ", a, " ",
                       symbolOf(node->op()), " ", b);
  }
  if (stack.size() != 1)
    return makeError(Code::InvalidArgument,
                     "expected an expression to leave one value, but got ",
                     stack.size());
  return stack.back();
}
