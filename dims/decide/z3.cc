#include "dims/decide/z3.h"

#include <z3++.h>

#include <map>

#include "dims/decide/refute.h"

namespace axle::decide {

struct Z3::Context {
  z3::context z3;
};

Z3::Z3() = default;
Z3::~Z3() = default;
Z3::Z3(Z3&&) noexcept = default;
Z3& Z3::operator=(Z3&&) noexcept = default;

namespace {

// Translates each atom to a Z3 constant with the constraints that define it: Z3 never sees a division.
class Translation {
 public:
  Translation(z3::context& z3, DimStore& store, z3::solver& solver) : z3_(z3), store_(store), solver_(solver) {}

  z3::expr operator()(Dim d) {
    z3::expr sum = z3_.int_val(0);
    for (const Term& term : store_.terms(d)) {
      z3::expr product = z3_.int_val(term.coefficient);
      for (const Factor& f : term.factors)
        for (std::uint32_t i = 0; i < f.power; ++i) product = product * factor(f);
      sum = sum + product;
    }
    return sum;
  }

  void system(const System& s) {
    Intervals known(store_, s);
    for (Dim d : definitions(store_, s, known)) solver_.add((*this)(d) >= 0);
    for (Dim d : s.zero) solver_.add((*this)(d) == 0);
    for (Dim d : s.nonNegative) solver_.add((*this)(d) >= 0);
    for (Dim d : s.nonZero) solver_.add((*this)(d) != 0);
    for (const auto& [left, right] : s.eitherZero) solver_.add((*this)(left) == 0 || (*this)(right) == 0);
    std::set<std::uint32_t> all;
    for (const auto* list : {&s.zero, &s.nonNegative, &s.nonZero})
      for (Dim d : *list) collectAtoms(store_, d, all);
    for (const auto& [left, right] : s.eitherZero)
      for (Dim d : {left, right}) collectAtoms(store_, d, all);
    for (std::uint32_t index : all) {
      const Atom atom = store_.atom(index);
      if (atom.op != DimOp::max && atom.op != DimOp::min) continue;
      z3::expr m = factor({true, index, 1});
      solver_.add(m == (*this)(atom.left) || m == (*this)(atom.right));
    }
  }

  z3::expr variable(DimVar v) { return factor({false, v.index, 1}); }
  bool has(DimVar v) const { return known_.count({false, v.index}) != 0; }

 private:
  z3::expr factor(const Factor& f) {
    auto it = known_.find({f.isAtom, f.index});
    if (it == known_.end()) {
      std::string name = (f.isAtom ? "a" : "v") + std::to_string(f.index);
      it = known_.emplace(std::pair(f.isAtom, f.index), z3_.int_const(name.c_str())).first;
    }
    return it->second;
  }

  z3::context& z3_;
  DimStore& store_;
  z3::solver& solver_;
  std::map<std::pair<bool, std::uint32_t>, z3::expr> known_;
};

}  // namespace

Satisfiable Z3::ask(DimStore& store, const System& system, unsigned resources, std::vector<std::int64_t>& model) {
  if (system.contradictory) return Satisfiable::no;
  try {
    if (!context_) context_ = std::make_unique<Context>();
    z3::solver solver(context_->z3, z3::solver::simple{});
    z3::params params(context_->z3);
    params.set("rlimit", resources);
    params.set("random_seed", 0u);
    params.set("arith.solver", 2u);  // the newer solver loops on products without counting resources
    solver.set(params);
    Translation translate(context_->z3, store, solver);
    translate.system(system);
    switch (solver.check()) {
      case z3::unsat:
        return Satisfiable::no;
      case z3::unknown:
        return Satisfiable::unknown;
      case z3::sat:
        break;
    }
    z3::model found = solver.get_model();
    model.assign(store.variableCount(), 0);
    for (std::uint32_t i = 0; i < model.size(); ++i) {
      if (!translate.has(DimVar{i})) continue;
      z3::expr value = found.eval(translate.variable(DimVar{i}), true);
      std::int64_t number = 0;
      if (!value.is_numeral_i64(number)) return Satisfiable::unknown;
      model[i] = number;
    }
    return Satisfiable::yes;
  } catch (const z3::exception&) {
    return Satisfiable::unknown;
  }
}

}  // namespace axle::decide
