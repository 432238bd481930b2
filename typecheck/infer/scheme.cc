// Generalisation and instantiation: HM(X), schemes carry the constraints on what they quantify.
#include <algorithm>
#include <set>

#include "typecheck/checked.h"
#include "dims/decide/simplify.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/shared_sets.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

VariableMark markVariables(const Checked& checked) {
  const Solution& s = checked.solution;
  return {s.typeVars.size(), s.elemVars.size(), s.shapeVars.size(), s.dimVars.size(), s.staticVars.size()};
}

namespace {

template <class Info>
bool quantifiable(const Info& info, std::uint32_t level) {
  return !info.binding && info.level >= level && info.level != genericLevel;
}

bool mentionsInner(Checked& c, const Constraint& constraint) {
  OpenVariables v;
  collectVariables(c.solver, constraint, v);
  const Solution& s = c.solution;
  std::uint32_t level = c.solver.level;
  auto any = [&](const auto& vars, const auto& infos) {
    return std::any_of(vars.begin(), vars.end(), [&](auto x) { return quantifiable(infos[x.index], level); });
  };
  return any(v.types, s.typeVars) || any(v.shapes, s.shapeVars) || any(v.dims, s.dimVars) ||
         any(v.statics, s.staticVars);
}

// A literal that is a state: where s = s # a # b, the least s is a # b.
Shape grownBy(Checked& c, ShapeVar literal) {
  std::map<std::uint32_t, Pending<constraint::Broadcast>> definitions;
  for (const Pending<constraint::Broadcast>& broadcast : pendingOf<constraint::Broadcast>(c.solver)) {
    Shape result = c.solution.resolve(broadcast->result);
    if (result.size() == 1 && result[0].isVar) definitions.emplace(result[0].var.index, broadcast);
  }
  std::vector<Shape> open{{ShapePart::of(literal)}}, others;
  std::set<std::uint32_t> opened;
  bool meetsItself = false;
  for (std::size_t i = 0; i < open.size(); ++i) {
    Shape flat = c.solution.resolve(open[i]);
    bool isVariable = flat.size() == 1 && flat[0].isVar;
    if (isVariable && i > 0 && flat[0].var == literal) {
      meetsItself = true;
      continue;
    }
    auto definition = isVariable ? definitions.find(flat[0].var.index) : definitions.end();
    if (definition == definitions.end()) {
      others.push_back(flat);
    } else if (opened.insert(definition->first).second) {
      open.push_back(definition->second->left);
      open.push_back(definition->second->right);
    }
  }
  if (!meetsItself || others.empty()) return {};
  Shape grown = others[0];
  const ReasonId reason = definitions.at(literal.index).reason;
  for (std::size_t i = 1; i < others.size(); ++i) {
    Shape result{ShapePart::of(freshShape(c.solver, "s"))};
    addConstraint(c.solver, reason, constraint::Broadcast{result, grown, others[i]});
    solve(c.solver);
    grown = c.solution.resolve(result);
  }
  return grown;
}

// A literal whose shape met only `#` has shape []; one that is a parameter's has that parameter's.
bool settleLiterals(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  bool any = false;
  OpenVariables ofParameters;
  for (TypeId type : given) collectVariables(c.solver, type, ofParameters);
  auto isGiven = [&](std::size_t i) {
    return std::find(ofParameters.shapes.begin(), ofParameters.shapes.end(), ShapeVar{static_cast<std::uint32_t>(i)}) !=
           ofParameters.shapes.end();
  };
  for (std::size_t i = since.shapes; i < c.solution.shapeVars.size(); ++i) {
    const ShapeVarInfo& info = c.solution.shapeVars[i];
    if (!info.metLiteral || !quantifiable(info, c.solver.level) || (!info.literal && isGiven(i))) continue;
    ShapeVar literal{static_cast<std::uint32_t>(i)};
    unifyShape(c.solver, {ShapePart::of(literal)}, grownBy(c, literal), {});
    solve(c.solver);
    if (!c.solution.shapeVars[i].binding && c.solver.conflicts.empty())
      unifyShape(c.solver, {ShapePart::of(literal)}, {}, {});
    solve(c.solver);
    any = true;
  }
  return any;
}

// A cell whose result is still open gives a tensor.
bool settleCollected(Checked& c) {
  for (const Pending<constraint::Collect>& pending : pendingOf<constraint::Collect>(c.solver)) {
    const ReasonId reason = pending.reason;
    if (!mentionsInner(c, {reason, *pending.constraint})) continue;
    TypeId element = c.solution.resolve(pending->element);
    const TypeTerm& term = c.solution.types[element];
    if (term.kind != TypeKind::var || !quantifiable(c.solution.typeVars[term.var.index], c.solver.level)) continue;
    TypeTerm tensor;
    tensor.kind = TypeKind::tensor;
    tensor.elem = ElemTerm::of(freshElem(c.solver, "u"));
    tensor.shape = {ShapePart::of(freshShape(c.solver, "r"))};
    unify(c.solver, element, c.solution.types.add(std::move(tensor)), reason);
    solve(c.solver);
    return true;
  }
  return false;
}

// `#` is idempotent: results of the same set of operands are one shape, and a set of one is that one.
class BroadcastSets {
 public:
  explicit BroadcastSets(Checked& c) : c_(c) {
    const std::vector<Pending<constraint::Broadcast>> pending = pendingOf<constraint::Broadcast>(c.solver);
    for (const Pending<constraint::Broadcast>& broadcast : pending) {
      Shape result = c.solution.resolve(broadcast->result);
      if (result.size() == 1 && result[0].isVar) numbers_.emplace(result[0].var.index, 0);
    }
    for (auto& [var, number] : numbers_) {
      number = static_cast<std::uint32_t>(results_.size());
      results_.emplace_back();
      results_.back().var = ShapeVar{var};
    }
    for (const Pending<constraint::Broadcast>& broadcast : pending) {
      Shape result = c.solution.resolve(broadcast->result);
      if (result.size() == 1 && result[0].isVar) read(broadcast, results_[numbers_.at(result[0].var.index)]);
    }
  }

  bool merge() {
    std::map<SharedSets::Id, ShapeVar> seen;
    bool moved = false;
    for (std::uint32_t i = 0; i < results_.size() && c_.solver.conflicts.empty(); ++i) {
      collect(i);
      const Result& result = results_[i];
      Shape other;
      if (auto only = sets_.only(result.set)) {
        other = operands_[*only];
      } else {
        auto [it, isNew] = seen.try_emplace(result.set, result.var);
        if (isNew) continue;
        other = {ShapePart::of(it->second)};
      }
      unifyShape(c_.solver, {ShapePart::of(result.var)}, other, result.reason);
      moved = true;
    }
    if (moved) solve(c_.solver);
    return moved;
  }

 private:
  struct Result {
    ShapeVar var;
    ReasonId reason;
    SharedSets::Id set = SharedSets::empty;  // of its operands that are no results themselves
    std::vector<std::uint32_t> of;           // results that it is of
    std::uint32_t order = 0, lowest = 0;     // Tarjan's: results that are of each other have one set; 0: not seen yet
    std::size_t next = 0;
    bool isOpen = false;
  };

  void read(const Pending<constraint::Broadcast>& broadcast, Result& into) {
    if (into.reason.index) return;
    into.reason = broadcast.reason;
    for (const Shape* side : {&broadcast->left, &broadcast->right}) {
      Shape flat = c_.solution.resolve(*side);
      auto result = flat.size() == 1 && flat[0].isVar ? numbers_.find(flat[0].var.index) : numbers_.end();
      if (result != numbers_.end()) {
        into.of.push_back(result->second);
      } else if (!flat.empty()) {
        std::vector<std::uint32_t> key;
        for (const ShapePart& p : flat) key.insert(key.end(), {p.isVar, p.isVar ? p.var.index : p.dim.index});
        auto [it, isNew] = operandNumbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(operands_.size()));
        if (isNew) operands_.push_back(std::move(flat));
        into.set = unite(into.set, sets_.single(it->second));
      }
    }
  }

  SharedSets::Id unite(SharedSets::Id a, SharedSets::Id b) {
    constexpr std::size_t keptTree = 4;  // as work: what takes the memory
    std::size_t before = sets_.size();
    SharedSets::Id both = sets_.unite(a, b);
    c_.solution.work(1 + keptTree * (sets_.size() - before));
    return both;
  }

  // The sets of a result and of all that it is of.
  void collect(std::uint32_t root) {
    if (results_[root].order) return;
    std::vector<std::uint32_t> path{root};
    auto open = [&](std::uint32_t i) {
      results_[i].order = results_[i].lowest = ++seen_;
      results_[i].isOpen = true;
      together_.push_back(i);
    };
    open(root);
    while (!path.empty()) {
      Result& at = results_[path.back()];
      if (at.next < at.of.size()) {
        std::uint32_t next = at.of[at.next++];
        if (!results_[next].order) {
          open(next);
          path.push_back(next);
        } else if (results_[next].isOpen) {
          at.lowest = std::min(at.lowest, results_[next].order);
        }
        continue;
      }
      std::uint32_t done = path.back();
      path.pop_back();
      if (!path.empty()) results_[path.back()].lowest = std::min(results_[path.back()].lowest, results_[done].lowest);
      if (results_[done].lowest == results_[done].order) close(done);
    }
  }

  // `first` and what was opened since are of each other.
  void close(std::uint32_t first) {
    std::size_t from = together_.size();
    SharedSets::Id all = SharedSets::empty;
    do {
      const Result& result = results_[together_[--from]];
      all = unite(all, result.set);
      for (std::uint32_t of : result.of)
        if (!results_[of].isOpen) all = unite(all, results_[of].set);
    } while (together_[from] != first);
    for (std::size_t i = from; i < together_.size(); ++i) {
      results_[together_[i]].set = all;
      results_[together_[i]].isOpen = false;
    }
    together_.resize(from);
  }

  Checked& c_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // of results, by their variables
  std::vector<Result> results_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> operandNumbers_;
  std::vector<Shape> operands_;
  SharedSets sets_;
  std::uint32_t seen_ = 0;
  std::vector<std::uint32_t> together_;  // opened and not closed
};

// An equation of which all variables stand inside of quotients and maxima is never solved for one: it only says
// whether it is so.
bool onlyTells(Checked& c, const constraint::DimEqual& equation) {
  DimStore& dims = c.solution.dims;
  Dim difference = dims.sub(c.solution.resolve(equation.left.dim), c.solution.resolve(equation.right.dim));
  if (dims.isUndefined(difference)) return false;
  auto terms = dims.terms(difference);
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    return std::all_of(term.factors.begin(), term.factors.end(), [](const Factor& f) { return f.isAtom; });
  });
}

// Drops each fact that follows from what is stated and from others that are no more involved: `k >= 1` stays beside
// `n % k == 0`, `n / k >= 0` goes.
void dropImplied(Checked& c, std::vector<Constraint>& facts) {
  constexpr std::size_t mostAsked = 12;  // of all tiers; of more facts, tier 1 alone
  const bool fully = facts.size() <= mostAsked;
  const std::vector<DimFact> stated = c.solver.assumptions;
  std::vector<std::size_t> atoms, order;
  for (const Constraint& fact : facts) {
    std::set<std::uint32_t> of;
    auto [relation, difference] = normaliseFact(c.solver, *comparisonOf(fact));
    decide::collectAtoms(c.solution.dims, difference, of);
    order.push_back(atoms.size());
    atoms.push_back(of.size());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return atoms[a] > atoms[b]; });
  std::vector<bool> dropped(facts.size(), false);
  for (std::size_t i : order) {
    c.solver.assumptions = stated;
    for (std::size_t j = 0; j < facts.size(); ++j)
      if (j != i && !dropped[j] && atoms[j] <= atoms[i])
        static_cast<DimComparison&>(c.solver.assumptions.emplace_back()) = *comparisonOf(facts[j]);
    const DimComparison fact = *comparisonOf(facts[i]);
    const FactVerdict verdict = fully ? decideFact(c.solver, fact)
                                      : decideByNormalForm(c.solver, fact.left, fact.relation, fact.right);
    dropped[i] = verdict == FactVerdict::proved;
  }
  c.solver.assumptions = stated;
  std::size_t at = 0;
  std::erase_if(facts, [&](const Constraint&) { return dropped[at++]; });
}

// Checked where the `match` stands, and maybe in a branch that is not taken: so it says nothing elsewhere.
bool holdsInMatch(Checked& c, const Constraint& constraint) {
  if (c.provenance[constraint.reason].kind != ReasonKind::match) return false;
  OpenVariables v;
  collectVariables(c.solver, constraint, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.rigid && !info.universal;
  });
}

// A fact that another one says, or that follows from the others, is not carried along.
std::vector<Constraint> withoutRepeats(Checked& c, std::vector<Constraint> constraints) {
  struct Known {
    FactRelation relation;
    Dim difference;
    bool operator<(const Known& other) const {
      return relation != other.relation ? relation < other.relation : difference < other.difference;
    }
  };
  std::set<Known> seen;
  std::vector<Constraint> facts, out;
  // An equation says more than the fact: it is solved when a use tells more. So it stays, and the fact goes.
  std::erase_if(constraints, [&](const Constraint& constraint) {
    const auto* equation = constraint.as<constraint::DimEqual>();
    if (!equation) return false;
    Dim left = equation->left.dim, right = equation->right.dim;
    auto [relation, difference] = normaliseFact(c.solver, {left, FactRelation::eq, right});
    auto [same, opposite] = normaliseFact(c.solver, {right, FactRelation::eq, left});
    bool isNew = seen.insert({relation, difference}).second;
    return !seen.insert({same, opposite}).second && !isNew;
  });
  for (Constraint& constraint : constraints) {
    const auto* fact = constraint.as<constraint::Fact>();
    const auto* equation = constraint.as<constraint::DimEqual>();
    bool isOpen = !fact && !(equation && onlyTells(c, *equation));
    if (isOpen || holdsInMatch(c, constraint)) {
      out.push_back(std::move(constraint));
      continue;
    }
    if (!fact) {
      facts.push_back(std::move(constraint));
      continue;
    }
    auto [relation, difference] = normaliseFact(c.solver, *fact);
    if (seen.insert({relation, difference}).second) facts.push_back(std::move(constraint));
  }
  dropImplied(c, facts);
  for (Constraint& fact : facts) out.push_back(std::move(fact));
  return out;
}

}  // namespace

void settleOpenChoices(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  solve(c.solver);
  bool moved = true;
  while (moved && c.solver.conflicts.empty()) {
    moved = settleLiterals(c, since, given);
    equateBroadcastSizes(c.solver, [&](const Constraint& constraint) { return mentionsInner(c, constraint); });
    solve(c.solver);
    moved |= settleCollected(c);
    if (c.solver.conflicts.empty()) moved |= BroadcastSets(c).merge();
    if (!moved && c.solver.conflicts.empty())
      moved = settleFacts(c.solver, [&](const Constraint& constraint) { return mentionsInner(c, constraint); });
  }
  if (c.solver.conflicts.empty() && !c.isGraph)
    checkDetermined(c.solver, [&](const Constraint& constraint) { return mentionsInner(c, constraint); }, given);
}

Scheme generalise(Checked& c, const VariableMark& since, std::vector<DimFact> stated) {
  Scheme scheme;
  scheme.constraints = withoutRepeats(
      c, takeConstraints(c.solver, [&](const Constraint& constraint) { return mentionsInner(c, constraint); }));
  std::set<Dim> told;
  std::erase_if(c.solver.delays, [&](const Constraint& delay) {
    if (!mentionsInner(c, delay)) return false;
    if (told.insert(normaliseFact(c.solver, *comparisonOf(delay)).second).second)
      scheme.delays.push_back(delay);
    return true;
  });
  scheme.stated = std::move(stated);
  auto quantify = [&](auto& infos, std::size_t from, auto& into) {
    for (std::size_t i = from; i < infos.size(); ++i)
      if (quantifiable(infos[i], c.solver.level)) {
        infos.edit(i).level = genericLevel;
        into.push_back({static_cast<std::uint32_t>(i)});
      }
  };
  quantify(c.solution.typeVars, since.types, scheme.types);
  quantify(c.solution.elemVars, since.elems, scheme.elems);
  quantify(c.solution.shapeVars, since.shapes, scheme.shapes);
  quantify(c.solution.dimVars, since.dims, scheme.dims);
  quantify(c.solution.staticVars, since.statics, scheme.statics);
  return scheme;
}

Substitution asSubstitution(const Instantiation& instantiation) {
  Substitution out;
  for (const auto& [var, type] : instantiation.types) out.types[var.index] = type;
  for (const auto& [var, elem] : instantiation.elems) out.elems[var.index] = elem;
  for (const auto& [var, shape] : instantiation.shapes) out.shapes[var.index] = shape;
  for (const auto& [var, dim] : instantiation.dims) out.dims[var.index] = dim;
  for (const auto& [var, value] : instantiation.statics) out.statics[var.index] = value;
  return out;
}

namespace {

OriginId originOf(Checked& c, ReasonId use) {
  Origin origin;
  origin.span = c.provenance[use].span;
  origin.makes = true;
  return c.provenance.add(std::move(origin));
}

}  // namespace

Instantiation instantiate(Checked& c, const Scheme& scheme, ReasonId use) {
  Instantiation inst;
  Solution& s = c.solution;
  for (TypeVar v : scheme.types) inst.types.emplace_back(v, freshType(c.solver));
  for (ElemVar v : scheme.elems) {
    ElemVar fresh = freshElem(c.solver, s.elemVars[v.index].name, s.elemVars[v.index].elemClass);
    s.elemVars.edit(fresh.index).origin = s.elemVars[v.index].origin;
    inst.elems.emplace_back(v, ElemTerm::of(fresh));
  }
  // The function's reasons, asked for by this use.
  auto asked = [&](ReasonId why) {
    if (!why.index) return why;
    Reason reason = c.provenance[why];
    reason.within = use;
    return c.provenance.add(std::move(reason));
  };
  for (ShapeVar v : scheme.shapes) {
    ShapeVar fresh = freshShape(c.solver, s.shapeVars[v.index].name);
    s.shapeVars.edit(fresh.index).whole = asked(s.shapeVars[v.index].whole);
    s.shapeVars.edit(fresh.index).unragged = asked(s.shapeVars[v.index].unragged);
    inst.shapes.emplace_back(v, Shape{ShapePart::of(fresh)});
  }
  for (DimVar v : scheme.dims) {
    DimVar fresh = freshDim(c.solver, s.dims.name(v));
    const DimVarInfo& of = s.dimVars[v.index];
    DimVarInfo& info = s.dimVars.edit(fresh.index);
    info.isSize = of.isSize;
    info.regular = of.regular;
    info.whole = asked(of.whole);
    info.unragged = asked(of.unragged);
    // What a parameter's annotation calls `?k` or `*l` is what this use brings; what the function makes is made anew.
    bool made = of.rigid && !of.universal;
    if (of.kind == DimKind::ragged || made) {
      info.kind = of.kind;
      info.rigid = made;
      info.closed = made;
      info.maker = of.maker;
      info.origin = made ? originOf(c, use) : of.origin;
    }
    inst.dims.emplace_back(v, s.dims.variable(fresh));
  }
  for (StaticVar v : scheme.statics) {
    StaticTerm term;
    term.kind = StaticKind::var;
    term.var = freshStatic(c.solver, s.staticVars[v.index].name);
    inst.statics.emplace_back(v, s.types.add(std::move(term)));
  }
  Substitution with = asSubstitution(inst);
  for (const auto& [of, dim] : inst.dims)
    if (auto fresh = s.dims.asVariable(dim); !s.dimVars[of.index].over.empty())
      s.dimVars.edit(fresh->index).over = s.resolve(s.dimVars[of.index].over, &with);
  for (const DimFact& fact : scheme.stated) {
    Reason reason;
    reason.kind = ReasonKind::where;
    reason.span = fact.places.empty() ? c.provenance[use].span : fact.places.front();
    reason.subject = c.provenance[use].subject;
    reason.within = use;
    Constraint asked{c.provenance.add(std::move(reason)), constraint::Fact{fact, fact.stretch}};
    forEachOperand(asked, [&](auto& operand) { operand = s.resolve(operand, &with); });
    addConstraint(c.solver, std::move(asked));
  }
  for (const std::vector<Constraint>* asks : {&scheme.constraints, &scheme.delays})
    for (Constraint constraint : *asks) {
      Reason reason = c.provenance[constraint.reason];
      reason.within = use;
      constraint.reason = c.provenance.add(std::move(reason));
      forEachOperand(constraint, [&](auto& operand) { operand = s.resolve(operand, &with); });
      addConstraint(c.solver, std::move(constraint));
    }
  return inst;
}

}  // namespace axle
