#include "backend/symbols.h"

#include <algorithm>

namespace axle {

namespace codes {
const DiagnosticCode unboundSymbol{"E0521", Severity::error, "a size that no input tells"};
}

namespace {

constexpr Message<arg::Name> sizeNotComputable{
    codes::unboundSymbol, "the size {} cannot be computed from the sizes of the inputs", "of this entry"};

struct Size {
  std::size_t input, axis;
  Dim dim;
};

bool contains(const std::vector<DimVar>& all, DimVar v) { return std::find(all.begin(), all.end(), v) != all.end(); }

// Returns the open variable of `dim`, if there is exactly one.
std::optional<DimVar> onlyOpen(const DimStore& dims, Dim dim, const std::vector<DimVar>& open) {
  std::optional<DimVar> only;
  for (DimVar v : dims.variables(dim)) {
    if (!contains(open, v)) continue;
    if (only) return std::nullopt;
    only = v;
  }
  return only;
}

Dim product(DimStore& dims, const Term& term, std::optional<DimVar> without) {
  Dim result = dims.constant(term.coefficient);
  for (const Factor& factor : term.factors) {
    if (without && !factor.isAtom && factor.index == without->index) continue;
    const Dim one = dims.base(factor);
    for (std::uint32_t i = 0; i < factor.power; ++i) result = dims.mul(result, one);
  }
  return result;
}

// Returns (coefficient, offset) with dim = coefficient*v + offset and v in neither.
std::optional<std::pair<Dim, Dim>> linearIn(DimStore& dims, Dim dim, DimVar v) {
  Dim coefficient = dims.constant(0), offset = dims.constant(0);
  std::vector<Term> terms(dims.terms(dim).begin(), dims.terms(dim).end());
  for (const Term& term : terms) {
    bool has = false;
    for (const Factor& factor : term.factors) {
      if (factor.isAtom) {
        const Atom& atom = dims.atom(factor.index);
        auto inside = [&](Dim d) { return std::binary_search(dims.variables(d).begin(), dims.variables(d).end(), v); };
        if (inside(atom.left) || inside(atom.right)) return std::nullopt;
      } else if (factor.index == v.index) {
        if (factor.power != 1) return std::nullopt;
        has = true;
      }
    }
    Dim part = product(dims, term, has ? std::optional(v) : std::nullopt);
    (has ? coefficient : offset) = dims.add(has ? coefficient : offset, part);
  }
  return std::pair(coefficient, offset);
}

}  // namespace

Recipes bindSymbols(DimStore& dims, const std::vector<DimVar>& symbols, const std::vector<std::vector<Dim>>& inputs) {
  std::vector<Size> sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t axis = 0; axis < inputs[i].size(); ++axis) sizes.push_back({i, axis, inputs[i][axis]});
  Recipes recipes{{}, symbols};
  auto bind = [&](const Size& size, DimVar v, Dim coefficient, Dim offset) {
    recipes.bound.push_back({v, size.input, size.axis, offset, coefficient});
    recipes.unbound.erase(std::find(recipes.unbound.begin(), recipes.unbound.end(), v));
  };
  for (const Size& size : sizes)
    if (auto v = dims.asVariable(size.dim); v && contains(recipes.unbound, *v))
      bind(size, *v, dims.constant(1), dims.constant(0));
  // A symbolic coefficient may be 0 in a run, and then the size determines nothing, so numbers come first.
  auto bindNext = [&](bool onlyNumbers) {
    for (const Size& size : sizes) {
      std::optional<DimVar> v = onlyOpen(dims, size.dim, recipes.unbound);
      auto linear = v ? linearIn(dims, size.dim, *v) : std::nullopt;
      if (!linear || dims.isUndefined(linear->first) || dims.isUndefined(linear->second)) continue;
      if (onlyNumbers && !dims.asConstant(linear->first)) continue;
      bind(size, *v, linear->first, linear->second);
      return true;
    }
    return false;
  };
  while (bindNext(/*onlyNumbers=*/true) || bindNext(/*onlyNumbers=*/false)) {
  }
  return recipes;
}

Diagnostic unboundSymbol(const DimStore& dims, DimVar symbol, Span entry) {
  const std::string& name = dims.name(symbol);
  return Diagnostic(sizeNotComputable, entry, arg::Name{name}).addHelp("give its value: --set {}=4", arg::Size{name});
}

}  // namespace axle
