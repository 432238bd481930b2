#include "dims/dim.h"

#include <algorithm>

#include "dims/print.h"

namespace axle {
namespace {

// A sum of more terms counts as overflow: no model's size needs it, hostile input could ask for it.
constexpr std::size_t maxTerms = 4096;

template <class T>
void appendBytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
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
  if (merged.size() > maxTerms) return undefined();
  const auto isLeast = [](const Term& t) { return t.coefficient == INT64_MIN; };
  const bool isConstant = merged.size() == 1 && merged[0].factors.empty();
  if (!isConstant && std::any_of(merged.begin(), merged.end(), isLeast)) return undefined();
  return internMerged(std::move(merged));
}

namespace {

std::string keyOf(const std::vector<Term>& merged) {
  std::string key;
  for (const Term& term : merged) {
    appendBytes(key, term.coefficient);
    appendBytes(key, static_cast<std::uint32_t>(term.factors.size()));
    for (const Factor& f : term.factors) {
      appendBytes(key, f.isAtom);
      appendBytes(key, f.index);
      appendBytes(key, f.power);
    }
  }
  return key;
}

std::string keyOf(const Atom& atom) {
  std::string key;
  appendBytes(key, atom.op);
  appendBytes(key, atom.left.index);
  appendBytes(key, atom.right.index);
  return key;
}

}  // namespace

Dim DimStore::internMerged(Terms merged) {
  auto [it, isNew] = internedDims_.try_emplace(keyOf(merged), static_cast<std::uint32_t>(dims_.size()));
  if (isNew) {
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
    dims_.push_back({std::move(merged), std::move(variables)});
  }
  return Dim{it->second};
}

void DimStore::rollback(const Mark& to) noexcept {
  for (; dims_.size() > to.dims; dims_.pop_back()) {
    const Dim dropped{static_cast<std::uint32_t>(dims_.size() - 1)};
    if (auto v = asVariable(dropped); v && v->index < keptVariables_.size()) keptVariables_[v->index] = 0;
    if (auto value = asConstant(dropped); value && *value >= leastKept && *value < mostKept && !keptConstants_.empty())
      keptConstants_[static_cast<std::size_t>(*value - leastKept)] = 0;
    internedDims_.erase(keyOf(dims_.back().terms));
  }
  for (; atoms_.size() > to.atoms; atoms_.pop_back()) internedAtoms_.erase(keyOf(atoms_.back()));
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
  auto [it, isNew] = internedAtoms_.try_emplace(keyOf(atom), static_cast<std::uint32_t>(atoms_.size()));
  if (isNew) atoms_.push_back(atom);
  return intern({{1, {{true, it->second, 1}}}});
}

std::optional<std::int64_t> DimStore::asConstant(Dim d) const {
  if (isUndefined(d)) return std::nullopt;
  const Terms& terms = dims_[d.index].terms;
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  return std::nullopt;
}

std::optional<DimVar> DimStore::asVariable(Dim d) const {
  const Terms& terms = dims_[d.index].terms;
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1) return std::nullopt;
  const Factor& f = terms[0].factors[0];
  if (f.isAtom || f.power != 1) return std::nullopt;
  return DimVar{f.index};
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
  return printDim(*this, d, nameOf);
}

std::string DimStore::print(Dim d) const {
  return print(d, [this](DimVar v) { return name(v); });
}

}  // namespace axle
