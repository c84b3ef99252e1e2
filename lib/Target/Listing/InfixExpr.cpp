//===- InfixExpr.cpp - Expressions of a bundle in infix form --------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProgramListing.h"

#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::moe;
namespace fb = ::moe::bundle;
using fb::ExprOp;

namespace {
enum Precedence { Sum, Product, Operand };

struct Term {
  std::string text;
  Precedence precedence;

  std::string asOperandOf(Precedence outer) const {
    return precedence < outer ? "(" + text + ")" : text;
  }
};
} // namespace

static Term join(ExprOp op, const Term &left, const Term &right) {
  auto infix = [&](const char *symbol, Precedence precedence) {
    // The right side of an operator needs parentheses unless it is associative.
    bool isAssociative = op == ExprOp::Add || op == ExprOp::Mul;
    Precedence inner = isAssociative ? precedence : Precedence(precedence + 1);
    return Term{left.asOperandOf(precedence) + symbol +
                    right.asOperandOf(inner),
                precedence};
  };
  auto call = [&](const char *name) {
    return Term{name + ("(" + left.text) + ", " + right.text + ")", Operand};
  };
  switch (op) {
  case ExprOp::Add:
    if (right.text.front() == '-') // a negative constant, or a sum behind one
      return {left.text + " - " + right.text.substr(1), Sum};
    return infix(" + ", Sum);
  case ExprOp::Mul:
    return infix(" * ", Product);
  case ExprOp::FloorDiv:
    return infix(" floordiv ", Product);
  case ExprOp::CeilDiv:
    return infix(" ceildiv ", Product);
  case ExprOp::Mod:
    return infix(" mod ", Product);
  case ExprOp::Min:
    return call("min");
  case ExprOp::Max:
    return call("max");
  default:
    return Term{"?", Operand};
  }
}

std::string mlir::moe::getInfix(const fb::Expr &expr, const Symbols *symbols) {
  llvm::SmallVector<Term> stack;
  for (const fb::ExprNode *node : *expr.nodes()) {
    int64_t value = node->value();
    if (node->op() == ExprOp::Const) {
      stack.push_back({std::to_string(value), value < 0 ? Sum : Operand});
      continue;
    }
    if (node->op() == ExprOp::Dim) {
      bool isKnown = symbols && value >= 0 && value < int64_t(symbols->size());
      stack.push_back({isKnown ? symbols->Get(value)->name()->str()
                               : "symbol " + std::to_string(value),
                       Operand});
      continue;
    }
    if (stack.size() < 2)
      return "?";
    Term right = stack.pop_back_val();
    stack.back() = join(node->op(), stack.back(), right);
  }
  return stack.size() == 1 ? stack.front().text : "?";
}
