#include "dims/dim.h"

#include <algorithm>

#include "dims/print.h"

namespace axle {
namespace {

// A sum of more terms counts as overflow: no model needs such a size, but hostile input could ask for it.
constexpr std::size_t maxTerms = 4096;

// Extends `hash`, the hash of the integers so far, by `value`.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  hash = (hash ^ value) * odd;
  return hash ^ (hash >> 32);
}

std::uint64_t hashOf(const std::vector<Term>& terms) {
  std::uint64_t hash = terms.size();
  for (const Term& term : terms) {
    hash = mix(hash, static_cast<std::uint64_t>(term.coefficient));
    for (const Factor& f : term.factors)
      hash = mix(hash, (std::uint64_t{f.index} << 32) + 2 * std::uint64_t{f.power} + f.isAtom);
  }
  return hash;
}

std::uint64_t hashOf(const Atom& atom) {
  return mix(static_cast<std::uint64_t>(atom.op), (std::uint64_t{atom.left.index} << 32) + atom.right.index);
}

}  // namespace

DimStore::DimStore() { dims_.push_back({}); }

DimVar DimStore::newVariable(std::string name) {
  names_.push_back(std::move(name));
  return DimVar{static_cast<std::uint32_t>(names_.size() - 1)};
}

void DimStore::count(std::size_t terms) {
  work_ += 1 + terms;
  if (work_ > workLimit_) throw DimsTooLarge();
  checkInterrupt();
}

Dim DimStore::intern(Terms terms) {
  count(terms.size());
  if (terms.empty()) return internMerged({});
  if (terms.size() == 1) {
    if (terms[0].coefficient == INT64_MIN && !terms[0].factors.empty()) return undefined();
    return internMerged(terms[0].coefficient == 0 ? Terms() : std::move(terms));
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.factors < b.factors; });
  Terms merged;
  for (Term& term : terms) {
    if (!merged.empty() && merged.back().factors == term.factors) {
      const DimValue sum = axle::apply(DimOp::add, merged.back().coefficient, term.coefficient);
      if (!sum.known()) return undefined();
      merged.back().coefficient = sum.value;
    } else {
      if (!merged.empty() && merged.back().coefficient == 0) merged.pop_back();
      merged.push_back(std::move(term));
    }
  }
  if (!merged.empty() && merged.back().coefficient == 0) merged.pop_back();
  return internSorted(std::move(merged));
}

Dim DimStore::internSorted(Terms merged) {
  if (merged.size() > maxTerms) return undefined();
  const auto isLeast = [](const Term& t) { return t.coefficient == INT64_MIN; };
  const bool isConstant = merged.size() == 1 && merged[0].factors.empty();
  if (!isConstant && std::any_of(merged.begin(), merged.end(), isLeast)) return undefined();
  return internMerged(std::move(merged));
}

Dim DimStore::internMerged(Terms merged) {
  const std::uint64_t hash = hashOf(merged);
  const auto isIt = [&](std::uint32_t id) { return dims_[id].terms == merged; };
  if (const auto known = internedDims_.find(hash, isIt)) return Dim{*known};
  std::vector<DimVar> variables;
  for (const Term& term : merged)
    for (const Factor& f : term.factors) {
      if (!f.isAtom) {
        variables.push_back(DimVar{f.index});
        continue;
      }
      for (Dim side : {atoms_[f.index].left, atoms_[f.index].right})
        for (DimVar v : dims_[side.index].variables) variables.push_back(v);
    }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  const Dim made{static_cast<std::uint32_t>(dims_.size())};
  Node& node = dims_.emplace_back(Node{std::move(merged), std::move(variables), Form::other, 0});
  if (node.terms.empty() || (node.terms.size() == 1 && node.terms[0].factors.empty())) {
    node.form = Form::constant;
    node.value = node.terms.empty() ? 0 : node.terms[0].coefficient;
  } else if (node.terms.size() == 1 && node.terms[0].coefficient == 1 && node.terms[0].factors.size() == 1) {
    const Factor& f = node.terms[0].factors[0];
    if (!f.isAtom && f.power == 1) {
      node.form = Form::variable;
      node.value = f.index;
    }
  }
  internedDims_.insert(hash, made.index);
  return made;
}

void DimStore::rollback(const Mark& to) noexcept {
  for (; dims_.size() > to.dims; dims_.pop_back()) {
    const Dim dropped{static_cast<std::uint32_t>(dims_.size() - 1)};
    if (auto v = asVariable(dropped); v && v->index < keptVariables_.size()) keptVariables_[v->index] = 0;
    if (auto value = asConstant(dropped); value && *value >= leastKept && *value < mostKept && !keptConstants_.empty())
      keptConstants_[static_cast<std::size_t>(*value - leastKept)] = 0;
    internedDims_.erase(hashOf(dims_.back().terms), dropped.index);
  }
  for (; atoms_.size() > to.atoms; atoms_.pop_back())
    internedAtoms_.erase(hashOf(atoms_.back()), static_cast<std::uint32_t>(atoms_.size() - 1));
  names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(to.names), names_.end());
}

Dim DimStore::constant(std::int64_t value) {
  count(1);
  bool isKept = value >= leastKept && value < mostKept;
  if (isKept && keptConstants_.empty()) keptConstants_.resize(static_cast<std::size_t>(mostKept - leastKept));
  std::uint32_t* kept = isKept ? &keptConstants_[static_cast<std::size_t>(value - leastKept)] : nullptr;
  if (kept && *kept) return Dim{*kept};
  Dim made = value == 0 ? internMerged({}) : internMerged({{value, {}}});
  if (kept) *kept = made.index;
  return made;
}

Dim DimStore::variable(DimVar v) {
  count(1);
  if (v.index >= keptVariables_.size()) keptVariables_.resize(names_.size());
  std::uint32_t& kept = keptVariables_[v.index];
  if (!kept) kept = internMerged({{1, {{false, v.index, 1}}}}).index;
  return Dim{kept};
}

Dim DimStore::atomDim(DimOp op, Dim left, Dim right) {
  const Atom atom{op, left, right};
  const std::uint64_t hash = hashOf(atom);
  auto id = internedAtoms_.find(hash, [&](std::uint32_t other) { return atoms_[other] == atom; });
  if (!id) {
    id = static_cast<std::uint32_t>(atoms_.size());
    atoms_.push_back(atom);
    internedAtoms_.insert(hash, *id);
  }
  return intern({{1, {{true, *id, 1}}}});
}

Dim DimStore::base(const Factor& factor) {
  if (!factor.isAtom) return variable(DimVar{factor.index});
  const Atom atom = atoms_[factor.index];
  return apply(atom.op, atom.left, atom.right);
}

Dim DimStore::substitute(Dim d, const std::function<std::optional<Dim>(DimVar)>& replacement) {
  if (isUndefined(d)) return d;
  const std::vector<DimVar> inside = dims_[d.index].variables;
  if (std::none_of(inside.begin(), inside.end(), [&](DimVar v) { return replacement(v).has_value(); })) return d;
  return rebuild(Terms(dims_[d.index].terms), [&](const Factor& f) {
    if (!f.isAtom) {
      const DimVar v{f.index};
      auto found = replacement(v);
      return found ? *found : variable(v);
    }
    const Atom atom = atoms_[f.index];
    const Dim left = substitute(atom.left, replacement), right = substitute(atom.right, replacement);
    return apply(atom.op, left, right);
  });
}

std::string DimStore::print(Dim d, const std::function<std::string(DimVar)>& nameOf) const {
  return printDim(*this, d, nameOf, {});
}

std::string DimStore::print(Dim d) const {
  return print(d, [this](DimVar v) { return name(v); });
}

}  // namespace axle
