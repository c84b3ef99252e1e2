//===- SizeForm.cpp - Sizes as sums, and proofs about them ----------------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SizeForm.h"

#include "moe/Dialect/MoERT/IR/MoERT.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::moe_rt;
using Number = SizeForm::Number;

void SizeForm::add(const SizeForm &other, const Number &factor) {
  constant += other.constant * factor;
  for (const auto &[atom, otherFactor] : other.terms) {
    Number &sum = terms[atom];
    sum += otherFactor * factor;
    if (sum == 0)
      terms.erase(atom);
  }
}

static SizeForm getConstantForm(int64_t value) {
  SizeForm form;
  form.constant = Number(value);
  return form;
}

//===----------------------------------------------------------------------===//
// From IR to forms
//===----------------------------------------------------------------------===//

SizeForm SizeForms::getAtom(Atom atom) {
  SizeForm form;
  auto position = llvm::find(atoms, atom);
  form.terms[position - atoms.begin()] = Number(1);
  if (position == atoms.end())
    atoms.push_back(std::move(atom));
  return form;
}

SizeForm SizeForms::get(Value size) {
  auto position = known.find(size);
  if (position != known.end())
    return position->second;
  SizeForm form = compute(size);
  known[size] = form;
  return form;
}

SizeForm SizeForms::compute(Value size) {
  APInt constant;
  if (matchPattern(size, m_ConstantInt(&constant)))
    return getConstantForm(constant.getSExtValue());
  auto sum = [&](Value left, Value right, int64_t factor) {
    SizeForm form = get(left);
    form.add(get(right), Number(factor));
    return form;
  };
  auto opaque = [&] {
    return getAtom({AtomKind::Opaque, {}, 0, {0, 0}, size});
  };
  auto extremum = [&](auto op, AtomKind kind) {
    SmallVector<SizeForm> operands, results;
    for (Value operand : op.getMapOperands())
      operands.push_back(get(operand));
    for (AffineExpr expr : op.getMap().getResults())
      results.push_back(translate(expr, op.getMap().getNumDims(), operands));
    return getAtom({kind, results});
  };
  return llvm::TypeSwitch<Operation *, SizeForm>(size.getDefiningOp())
      .Case([&](DimOp op) {
        std::pair<int64_t, int64_t> dim(op.getInput(), op.getDim());
        return getAtom({AtomKind::Dim, {}, 0, dim});
      })
      .Case([&](affine::AffineApplyOp op) {
        SmallVector<SizeForm> operands;
        for (Value operand : op.getMapOperands())
          operands.push_back(get(operand));
        AffineMap map = op.getAffineMap();
        return translate(map.getResult(0), map.getNumDims(), operands);
      })
      .Case([&](affine::AffineMaxOp op) { return extremum(op, AtomKind::Max); })
      .Case([&](affine::AffineMinOp op) { return extremum(op, AtomKind::Min); })
      .Case([&](arith::AddIOp op) { return sum(op.getLhs(), op.getRhs(), 1); })
      .Case([&](arith::SubIOp op) { return sum(op.getLhs(), op.getRhs(), -1); })
      .Case([&](arith::MulIOp op) {
        SizeForm left = get(op.getLhs()), right = get(op.getRhs()), product;
        if (left.terms.empty())
          std::swap(left, right);
        if (!right.terms.empty())
          return opaque();
        product.add(left, right.constant);
        return product;
      })
      .Default([&](Operation *) { return opaque(); });
}

SizeForm SizeForms::translate(AffineExpr expr, unsigned numDims,
                              ArrayRef<SizeForm> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstantForm(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];

  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeForm left = translate(binary.getLHS(), numDims, operands);
  SizeForm right = translate(binary.getRHS(), numDims, operands);
  if (expr.getKind() == AffineExprKind::Add) {
    left.add(right, Number(1));
    return left;
  }
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul) {
    if (left.terms.empty())
      std::swap(left, right);
    SizeForm product;
    if (right.terms.empty()) {
      product.add(left, right.constant);
      return product;
    }
  } else if (divisor && divisor.getValue() > 0) {
    AtomKind kind =
        expr.getKind() == AffineExprKind::FloorDiv  ? AtomKind::FloorDiv
        : expr.getKind() == AffineExprKind::CeilDiv ? AtomKind::CeilDiv
                                                    : AtomKind::Mod;
    return getAtom({kind, {left}, divisor.getValue()});
  }
  // A product of sizes, or a division by one: nothing is known of it, and no
  // other atom is equal to it.
  unsigned unique = atoms.size();
  return getAtom({AtomKind::Opaque, {left, right}, unique});
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

bool SizeForms::isNonNegative(unsigned number) const {
  auto known = nonNegative.find(number);
  if (known != nonNegative.end())
    return known->second;
  return nonNegative[number] = computeIsNonNegative(number);
}

bool SizeForms::computeIsNonNegative(unsigned number) const {
  const Atom &atom = atoms[number];
  auto isSumNonNegative = [&](const SizeForm &form) {
    return form.constant >= 0 &&
           llvm::all_of(form.terms, [&](const auto &term) {
             return term.second > 0 && isNonNegative(term.first);
           });
  };
  switch (atom.kind) {
  case AtomKind::Dim:
  case AtomKind::Mod:
    return true;
  case AtomKind::FloorDiv:
  case AtomKind::CeilDiv:
  case AtomKind::Min:
    return llvm::all_of(atom.operands, isSumNonNegative);
  case AtomKind::Max:
    return llvm::any_of(atom.operands, isSumNonNegative);
  case AtomKind::Opaque:
    return false;
  }
  llvm_unreachable("covered switch");
}

/// Bounds of an atom times its divisor (1 if it has none).
SmallVector<SizeForm> SizeForms::getBounds(unsigned number, bool lower) const {
  const Atom &atom = atoms[number];
  auto shifted = [&](int64_t shift) {
    SizeForm form = atom.operands.front();
    form.constant += Number(shift);
    return SmallVector<SizeForm>{form};
  };
  switch (atom.kind) {
  case AtomKind::FloorDiv:
    return shifted(lower ? 1 - atom.divisor : 0);
  case AtomKind::CeilDiv:
    return shifted(lower ? 0 : atom.divisor - 1);
  case AtomKind::Max:
    return lower ? atom.operands : SmallVector<SizeForm>();
  case AtomKind::Min:
    return lower ? SmallVector<SizeForm>() : atom.operands;
  default:
    return {};
  }
}

bool SizeForms::prove(const SizeForm &form, unsigned steps) const {
  // A dimension for which the form is negative ends the search at once.
  constexpr unsigned numSamples = 4;
  for (unsigned sample = 0; sample < numSamples; ++sample)
    if (evaluate(form, sample) < 0)
      return false;
  if (form.constant >= 0 && llvm::all_of(form.terms, [&](const auto &term) {
        return term.second > 0 && isNonNegative(term.first);
      }))
    return true;
  if (steps == 0)
    return false;
  for (const auto &[atom, factor] : form.terms) {
    AtomKind kind = atoms[atom].kind;
    bool isDivision = kind == AtomKind::FloorDiv || kind == AtomKind::CeilDiv;
    Number divisor(isDivision ? atoms[atom].divisor : 1);
    if (factor % divisor != 0)
      continue;
    for (const SizeForm &bound : getBounds(atom, /*lower=*/factor > 0)) {
      SizeForm smaller = form;
      smaller.terms.erase(atom);
      smaller.add(bound, factor / divisor);
      if (prove(smaller, steps - 1))
        return true;
    }
  }
  return false;
}

bool SizeForms::provesAtMost(const SizeForm &first, const SizeForm &second) {
  // A slot's size needs two: the alignment, and the maximum below it. A few
  // more cover buffers whose own size is a minimum or a division.
  constexpr unsigned maxSteps = 6;
  SizeForm difference = second;
  difference.add(first, Number(-1));
  return prove(difference, maxSteps);
}

Number SizeForms::evaluate(const SizeForm &form, unsigned sample) const {
  Number sum = form.constant;
  for (const auto &[atom, factor] : form.terms)
    sum += factor * evaluate(atom, sample);
  return sum;
}

/// The value of an atom when the dimensions are small, large or different.
Number SizeForms::evaluate(unsigned number, unsigned sample) const {
  auto known = values.find({number, sample});
  if (known != values.end())
    return known->second;
  return values[{number, sample}] = computeValue(number, sample);
}

Number SizeForms::computeValue(unsigned number, unsigned sample) const {
  const Atom &atom = atoms[number];
  SmallVector<Number> operands;
  for (const SizeForm &operand : atom.operands)
    operands.push_back(evaluate(operand, sample));
  switch (atom.kind) {
  case AtomKind::Dim:
  case AtomKind::Opaque: {
    const int64_t values[] = {0, 1, 1000003, 1 + int64_t(number) * 257};
    return Number(values[sample]);
  }
  case AtomKind::FloorDiv:
    return floorDiv(operands.front(), Number(atom.divisor));
  case AtomKind::CeilDiv:
    return ceilDiv(operands.front(), Number(atom.divisor));
  case AtomKind::Mod:
    return mod(operands.front(), Number(atom.divisor));
  case AtomKind::Max:
    return *llvm::max_element(operands);
  case AtomKind::Min:
    return *llvm::min_element(operands);
  }
  llvm_unreachable("covered switch");
}
