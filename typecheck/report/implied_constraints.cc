// The method is the one for the core of a conjunctive query: an elimination maps some variables that are not kept to
// terms of the others, such that all that was said of the former is said of the latter already.
#include "typecheck/report/implied_constraints.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "typecheck/report/chosen_sizes.h"
#include "typecheck/report/needed_equations.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// One thing that is said: a constraint, a stated fact, or that a shape is among shapes that are all equal.
struct Statement {
  std::size_t constraint = 0;         // for a shape the first equation that has it; past the last one for a stated fact
  std::optional<DimComparison> fact;  // of a fact, or of an equation of sizes
  std::optional<std::size_t> equals;  // of a shape: the class of equal shapes
  Shape shape;                        // resolved
};

// Variables by their terms, those that must stay, and the statements whose variables were mapped. A class of equal
// shapes stays, or goes as a whole since another one says the same.
struct Elimination {
  Substitution terms;
  std::map<std::size_t, std::size_t> classes;
  std::set<std::uint32_t> fixedShapes, fixedDims;
  std::set<std::size_t> dropped;
  std::vector<std::size_t> open;  // of `dropped`, those that are not shown to be implied yet
};
using Eliminations = std::vector<Elimination>;

bool isSamePart(const ShapePart& a, const ShapePart& b) {
  return a.isVar == b.isVar && (a.isVar ? a.var == b.var : a.dim == b.dim);
}

class ImpliedConstraints {
 public:
  ImpliedConstraints(Checked& c, const Scheme& scheme, const OpenVariables& kept)
      : c_(c), s_(c.solution), constraints_(scheme.constraints) {
    for (ShapeVar v : kept.shapes) keptShapes_.insert(v.index);
    for (DimVar v : kept.dims) keptDims_.insert(v.index);
    replaceByKept(c, constraints_, {keptShapes_, keptDims_});
    for (std::size_t i = 0; i < constraints_.size(); ++i) addStatements(i);
    for (const DimFact& fact : scheme.stated) statements_.push_back({constraints_.size(), fact, std::nullopt, {}});
  }

  std::vector<Constraint> without() && {
    dropRepeats();
    eliminate(withShape_, false), eliminate(withDim_, false);
    eliminate(withShape_, true), eliminate(withDim_, true);
    return std::move(*this).left();
  }

 private:
  using Where = std::map<std::uint32_t, std::vector<std::size_t>>;  // the statements that have a variable

  bool isKept(ShapeVar v) const { return keptShapes_.count(v.index) || s_.shapeVars[v.index].runtime; }
  bool isKept(DimVar v) const {
    const DimVarInfo& info = s_.dimVars[v.index];
    return keptDims_.count(v.index) || info.rigid || info.kind != DimKind::plain || info.stretchesTo;
  }

  // ---- what is said

  void addStatements(std::size_t index) {
    const auto* equation = constraints_[index].as<constraint::ShapeEqual>();
    if (!equation) {
      OpenVariables inside;
      collectVariables(c_.solver, constraints_[index], inside);
      add({index, comparisonOf(constraints_[index]), std::nullopt, {}}, inside);
      return;
    }
    const Shape left = s_.resolve(equation->left), right = s_.resolve(equation->right);
    const auto ofLeft = classOf(left), ofRight = classOf(right);
    const std::size_t joined = ofLeft ? *ofLeft : ofRight ? *ofRight : classes_++;
    if (ofLeft && ofRight && *ofLeft != *ofRight)
      for (Statement& each : statements_)
        if (each.equals == ofRight) each.equals = ofLeft;
    if (!ofLeft) addShape(index, joined, left);
    if (!ofRight && keyOf(left) != keyOf(right)) addShape(index, joined, right);
  }
  using Key = std::vector<std::pair<bool, std::uint32_t>>;
  static Key keyOf(const Shape& shape) {
    Key key;
    for (const ShapePart& part : shape) key.emplace_back(part.isVar, part.isVar ? part.var.index : part.dim.index);
    return key;
  }
  std::optional<std::size_t> classOf(const Shape& shape) const {
    const auto found = statementOf_.find(keyOf(shape));
    return found == statementOf_.end() ? std::nullopt : statements_[found->second].equals;
  }
  void addShape(std::size_t constraint, std::size_t equals, const Shape& shape) {
    statementOf_.emplace(keyOf(shape), statements_.size());
    OpenVariables inside;
    collectVariables(c_.solver, shape, inside);
    add({constraint, std::nullopt, equals, shape}, inside);
  }
  void add(Statement statement, const OpenVariables& inside) {
    auto note = [&](Where& where, std::uint32_t variable) {
      std::vector<std::size_t>& with = where[variable];
      if (with.empty() || with.back() != statements_.size()) with.push_back(statements_.size());
    };
    for (ShapeVar v : inside.shapes)
      if (!isKept(v)) note(withShape_, v.index);
    for (DimVar v : inside.dims)
      if (!isKept(v)) note(withDim_, v.index);
    statements_.push_back(std::move(statement));
  }

  // ---- eliminations

  // Drops functions of shapes, and other constraints without a normal form, that are the same as earlier ones.
  void dropRepeats() {
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      if (statements_[i].equals || statements_[i].fact) continue;
      const Constraint& constraint = constraints_[statements_[i].constraint];
      for (std::size_t j : seen) {
        const Constraint& other = constraints_[statements_[j].constraint];
        if (constraint.is.index() != other.is.index() || !step()) continue;
        const Eliminations ways = matched(constraint, other, {});
        if (std::ranges::any_of(ways, [](const Elimination& e) { return e.dropped.empty(); })) gone_.insert(i);
      }
      if (!isGone(i)) seen.push_back(i);
    }
  }

  // Names of the user's stay where others can go.
  void eliminate(const Where& variables, bool named) {
    const bool isShape = &variables == &withShape_;
    for (auto it = variables.rbegin(); it != variables.rend(); ++it) {
      const bool isNamed = isShape ? s_.shapeVars[it->first].named : s_.dimVars[it->first].named;
      if (isNamed != named) continue;
      for (std::size_t first : it->second) {
        if (isGone(first)) continue;
        Elimination start;
        start.dropped = {first};
        start.open = {first};
        const auto found = completed(std::move(start));
        if (!found || !(isShape ? found->terms.shapes.count(it->first) : found->terms.dims.count(it->first))) continue;
        gone_.insert(found->dropped.begin(), found->dropped.end());
        break;
      }
    }
  }
  bool isGone(std::size_t statement) const { return gone_.count(statement) > 0; }

  std::optional<Elimination> completed(Elimination from) {
    if (from.open.empty()) return from;
    const std::size_t next = from.open.back();
    from.open.pop_back();
    for (Elimination& each : implied(next, from)) {
      if (steps_ == 0) return std::nullopt;
      if (auto found = completed(std::move(each))) return found;
    }
    return std::nullopt;
  }

  // Whether a statement only names what a function makes of a shape, by a variable that stands nowhere else, and the
  // function has a value for each shape.
  bool namesUnusedValue(std::size_t index, const Elimination& from) const {
    const Statement& statement = statements_[index];
    if (statement.fact || statement.equals || !isTotal(s_, constraints_[statement.constraint])) return false;
    const Constraint& constraint = constraints_[statement.constraint];
    auto standsOnlyHere = [&](auto v, const Where& where) {
      return isFree(v, from) &&
             std::ranges::all_of(where.at(v.index), [&](std::size_t i) { return i == index || isGone(i); });
    };
    if (const Dim* size = resultOf<Dim>(constraint)) {
      const auto v = s_.dims.asVariable(s_.resolve(*size));
      return v && standsOnlyHere(*v, withDim_);
    }
    const Shape result = s_.resolve(*resultOf<Shape>(constraint));
    return result.size() == 1 && result[0].isVar && standsOnlyHere(result[0].var, withShape_);
  }

  // All ways to see that a statement is implied by one that stays, or by nothing.
  Eliminations implied(std::size_t index, const Elimination& from) {
    const Statement& statement = statements_[index];
    Eliminations ways;
    auto add = [&](Eliminations more) { std::move(more.begin(), more.end(), std::back_inserter(ways)); };
    if (statement.fact) add(alwaysTrue(*statement.fact, from));
    if (namesUnusedValue(index, from)) ways.push_back(from);
    for (std::size_t i = 0; i < statements_.size() && step(); ++i) {
      const Statement& other = statements_[i];
      if (i == index || isGone(i) || from.dropped.count(i)) continue;
      if (other.equals.has_value() != statement.equals.has_value()) continue;
      if (other.fact.has_value() != statement.fact.has_value()) continue;
      if (statement.fact)
        add(matched(*statement.fact, *other.fact, from));
      else if (statement.equals)
        add(matchedShapes(statement, other, from));
      else
        add(matched(constraints_[statement.constraint], constraints_[other.constraint], from));
    }
    return ways;
  }

  Eliminations matchedShapes(const Statement& statement, const Statement& other, Elimination from) {
    const std::size_t of = *statement.equals, to = *other.equals;
    const auto own = from.classes.try_emplace(of, to).first, target = from.classes.try_emplace(to, to).first;
    if (own->second != to || target->second != to) return {};
    Eliminations ways = matched(statement.shape, other.shape, from);
    if (of == to || ways.empty()) return ways;
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < statements_.size(); ++i)
      if (statements_[i].equals == of) members.push_back(i);
    for (Elimination& each : ways) drop(members, each);
    return ways;
  }

  bool step() {
    if (steps_ > 0) --steps_;
    return steps_ > 0;
  }

  bool isFree(ShapeVar v, const Elimination& e) const {
    return !isKept(v) && !e.fixedShapes.count(v.index) && !e.terms.shapes.count(v.index);
  }
  bool isFree(DimVar v, const Elimination& e) const {
    return !isKept(v) && !e.fixedDims.count(v.index) && !e.terms.dims.count(v.index);
  }

  // Whether a term may stay as it is: none of its variables is mapped. They must stay from then on.
  bool fixAll(const OpenVariables& inside, Elimination& e) const {
    for (ShapeVar v : inside.shapes)
      if (e.terms.shapes.count(v.index)) return false;
    for (DimVar v : inside.dims)
      if (e.terms.dims.count(v.index)) return false;
    for (ShapeVar v : inside.shapes)
      if (!isKept(v)) e.fixedShapes.insert(v.index);
    for (DimVar v : inside.dims)
      if (!isKept(v)) e.fixedDims.insert(v.index);
    return true;
  }
  template <class Term>
  bool fix(const Term& term, Elimination& e) {
    OpenVariables inside;
    collectVariables(c_.solver, term, inside);
    return fixAll(inside, e);
  }
  void drop(const std::vector<std::size_t>& statements, Elimination& e) const {
    for (std::size_t i : statements)
      if (!isGone(i) && e.dropped.insert(i).second) e.open.push_back(i);
  }
  bool map(ShapeVar v, const Shape& to, Elimination& e) {
    OpenVariables inside;
    collectVariables(c_.solver, to, inside);
    if (std::ranges::find(inside.shapes, v) != inside.shapes.end() || !fixAll(inside, e)) return false;
    e.terms.shapes[v.index] = to;
    drop(withShape_.at(v.index), e);
    return true;
  }
  bool map(DimVar v, Dim to, Elimination& e) {
    OpenVariables inside;
    collectVariables(c_.solver, to, inside);
    if (std::ranges::find(inside.dims, v) != inside.dims.end() || !fixAll(inside, e)) return false;
    e.terms.dims[v.index] = to;
    drop(withDim_.at(v.index), e);
    return true;
  }

  // ---- matches: the left side becomes the right one

  Eliminations matched(Dim dim, Dim wanted, Elimination e) {
    if (!step()) return {};
    dim = s_.resolve(dim, &e.terms);
    wanted = s_.resolve(wanted);
    Eliminations ways;
    if (dim == wanted) {
      if (fix(wanted, e)) ways.push_back(std::move(e));
      return ways;
    }
    if (s_.dims.isUndefined(dim) || s_.dims.isUndefined(wanted)) return ways;
    for (const Chosen& chosen : choicesForEqual(c_.solver, dim, wanted)) {
      Elimination next = e;
      if (mapAll(chosen, next)) ways.push_back(std::move(next));
    }
    return ways;
  }
  bool mapAll(const Chosen& chosen, Elimination& e) {
    return std::ranges::all_of(
        chosen, [&](const auto& each) { return isFree(each.first, e) && map(each.first, each.second, e); });
  }
  Eliminations matched(const ShapePart& part, const ShapePart& wanted, Elimination e) {
    return matched(part.dim, wanted.dim, std::move(e));
  }

  Eliminations matched(const Shape& shape, const Shape& wanted, const Elimination& e) {
    Eliminations ways;
    matchFrom(s_.resolve(shape, &e.terms), 0, s_.resolve(wanted), 0, e, ways);
    return ways;
  }
  void matchFrom(const Shape& shape, std::size_t i, const Shape& wanted, std::size_t j, const Elimination& e,
                 Eliminations& ways) {
    constexpr std::size_t mostWays = 16;
    if (!step() || ways.size() >= mostWays) return;
    if (i == shape.size()) {
      if (j == wanted.size()) ways.push_back(e);
      return;
    }
    const ShapePart& part = shape[i];
    if (!part.isVar) {
      if (j == wanted.size() || wanted[j].isVar) return;
      for (const Elimination& next : matched(part.dim, wanted[j].dim, e))
        matchFrom(shape, i + 1, wanted, j + 1, next, ways);
      return;
    }
    const auto mapped = e.terms.shapes.find(part.var.index);  // by an earlier part of the shape
    if (mapped != e.terms.shapes.end()) {
      const Shape to = mapped->second;
      const bool isNext = to.size() <= wanted.size() - j &&
                          std::equal(to.begin(), to.end(), wanted.begin() + static_cast<std::ptrdiff_t>(j), isSamePart);
      if (isNext) matchFrom(shape, i + 1, wanted, j + to.size(), e, ways);
      return;
    }
    if (j < wanted.size() && wanted[j].isVar && wanted[j].var == part.var) {
      Elimination next = e;
      if (fix(Shape{part}, next)) matchFrom(shape, i + 1, wanted, j + 1, next, ways);
    }
    if (!isFree(part.var, e)) return;
    for (std::size_t end = j; end <= wanted.size(); ++end) {
      Elimination next = e;
      const Shape to(wanted.begin() + static_cast<std::ptrdiff_t>(j),
                     wanted.begin() + static_cast<std::ptrdiff_t>(end));
      if (map(part.var, to, next)) matchFrom(shape, i + 1, wanted, end, next, ways);
    }
  }

  Eliminations matched(TypeId type, TypeId wanted, Elimination e) {
    if (!step() || s_.resolve(type) != s_.resolve(wanted) || !fix(type, e)) return {};
    Eliminations one;
    one.push_back(std::move(e));
    return one;
  }

  Eliminations matched(StaticId value, StaticId wanted, const Elimination& e) {
    if (!step()) return {};
    const StaticTerm a = s_.types[s_.resolve(value)], b = s_.types[s_.resolve(wanted)];
    if (a.kind != b.kind || a.items.size() != b.items.size()) return {};
    if (a.kind == StaticKind::dim) return matched(a.dim, b.dim, e);
    if ((a.kind == StaticKind::var && a.var != b.var) || a.boolean != b.boolean || a.text != b.text) return {};
    Eliminations ways{e};
    for (std::size_t i = 0; i < a.items.size(); ++i) ways = matchedIn(ways, a.items[i], b.items[i]);
    return ways;
  }

  template <class Operand>
  Eliminations matchedIn(const Eliminations& ways, const Operand& operand, const Operand& wanted) {
    Eliminations next;
    for (const Elimination& each : ways)
      for (Elimination& more : matched(operand, wanted, each)) next.push_back(std::move(more));
    return next;
  }

  Eliminations matched(const Constraint& constraint, const Constraint& wanted, const Elimination& e) {
    if (constraint.is.index() != wanted.is.index()) return {};
    if (const auto* broadcast = constraint.as<constraint::Broadcast>()) {
      const auto& other = *wanted.as<constraint::Broadcast>();
      Eliminations ways = matchedOperands(*broadcast, other, e);
      for (Elimination& each : matchedOperands({broadcast->result, broadcast->right, broadcast->left}, other, e))
        ways.push_back(std::move(each));
      return ways;
    }
    return matchedOperands(constraint, wanted, e);
  }
  Eliminations matchedOperands(const constraint::Broadcast& a, const constraint::Broadcast& b, const Elimination& e) {
    return matchedIn(matchedIn(matched(a.left, b.left, e), a.right, b.right), a.result, b.result);
  }
  Eliminations matchedOperands(const Constraint& a, const Constraint& b, const Elimination& e) {
    Eliminations ways{e};
    std::visit(
        [&](const auto& kind) {
          using Kind = std::decay_t<decltype(kind)>;
          const Kind& wanted = std::get<Kind>(b.is);
          if constexpr (std::is_base_of_v<constraint::Window, Kind>)
            if (kind.axis != wanted.axis) ways.clear();
          auto match = [&](auto operand) { ways = matchedIn(ways, kind.*operand, wanted.*operand); };
          std::apply([&](auto... operand) { (match(operand), ...); }, constraint::rowOf<Kind>().operands);
        },
        a.is);
    return ways;
  }
  Eliminations matched(const std::vector<Shape>& shapes, const std::vector<Shape>& wanted, const Elimination& e) {
    Eliminations ways;
    if (shapes.size() == wanted.size()) ways.push_back(e);
    for (std::size_t i = 0; i < shapes.size() && !ways.empty(); ++i) ways = matchedIn(ways, shapes[i], wanted[i]);
    return ways;
  }
  Eliminations matched(const std::optional<StaticId>& value, const std::optional<StaticId>& wanted,
                       const Elimination& e) {
    if (value && wanted) return matched(*value, *wanted, e);
    return value || wanted ? Eliminations{} : Eliminations{e};
  }
  template <class OfFacts>
  Eliminations matched(const std::optional<OfFacts>&, const std::optional<OfFacts>&, const Elimination&) {
    return {};  // facts are matched by what they say
  }

  // An equation or inequality of sizes.
  Eliminations alwaysTrue(const DimComparison& fact, Elimination e) {
    const Dim left = s_.resolve(fact.left, &e.terms), right = s_.resolve(fact.right, &e.terms);
    const auto [relation, difference] = normaliseFact(c_.solver, {left, fact.relation, right});
    Eliminations ways;
    const auto value = s_.dims.asConstant(difference);
    const bool holds = relation == FactRelation::ge   ? isNonNegative(c_.solver, difference)
                       : relation == FactRelation::eq ? value == 0
                                                      : value.value_or(0) != 0;
    if (Elimination next = e; holds && fix(difference, next)) ways.push_back(std::move(next));
    for (const Chosen& chosen : choicesForFact(c_.solver, {left, fact.relation, right})) {
      Elimination next = e;
      if (mapAll(chosen, next)) ways.push_back(std::move(next));
    }
    return ways;
  }

  Eliminations matched(const DimComparison& fact, const DimComparison& wanted, const Elimination& e) {
    if (!step()) return {};
    const auto [relation, target] =
        normaliseFact(c_.solver, {s_.resolve(wanted.left), wanted.relation, s_.resolve(wanted.right)});
    const Dim left = s_.resolve(fact.left, &e.terms), right = s_.resolve(fact.right, &e.terms);
    const auto [own, difference] = normaliseFact(c_.solver, {left, fact.relation, right});
    Eliminations ways;
    if (own != relation || s_.dims.isUndefined(target) || s_.dims.isUndefined(difference)) return ways;
    const std::vector<DimVar> from = variablesOnlyIn(c_.solver, difference, target),
                              to = variablesOnlyIn(c_.solver, target, difference);
    if (from.size() != to.size() || from.size() > 1) return ways;
    Elimination next = e;
    if (!from.empty() && !(isFree(from[0], e) && map(from[0], s_.dims.variable(to[0]), next))) return ways;
    const Dim changed = s_.resolve(difference, &next.terms);
    const bool follows = relation == FactRelation::ge
                             ? s_.dims.asConstant(s_.dims.sub(changed, target)).value_or(-1) >= 0
                             : changed == target || changed == s_.dims.negate(target);
    if (follows && fix(changed, next)) ways.push_back(std::move(next));
    return ways;
  }

  // ---- what is left

  std::vector<Constraint> left() && {
    if (gone_.empty()) return std::move(constraints_);
    std::set<std::size_t> changed;  // classes of shapes
    std::set<std::size_t> dropped;
    for (std::size_t i : gone_) {
      if (statements_[i].equals) changed.insert(*statements_[i].equals);
      if (!statements_[i].equals) dropped.insert(statements_[i].constraint);
    }
    std::map<std::size_t, Shape> first;                        // of each changed class, that which stays
    std::map<std::size_t, std::vector<Constraint>> equations;  // by the constraint in whose place they are
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const Statement& each = statements_[i];
      if (!each.equals || !changed.count(*each.equals) || isGone(i)) continue;
      const auto [at, isFirst] = first.try_emplace(*each.equals, each.shape);
      if (isFirst) continue;
      equations[each.constraint].push_back(
          {constraints_[each.constraint].reason, constraint::ShapeEqual{at->second, each.shape}});
    }
    std::vector<Constraint> out;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const auto* equation = constraints_[i].as<constraint::ShapeEqual>();
      const auto of = equation ? classOf(s_.resolve(equation->left)) : std::nullopt;
      if (of && changed.count(*of))
        std::ranges::move(equations[i], std::back_inserter(out));
      else if (!dropped.count(i))
        out.push_back(std::move(constraints_[i]));
    }
    return out;
  }

  Checked& c_;
  Solution& s_;
  std::vector<Constraint> constraints_;
  std::set<std::uint32_t> keptShapes_, keptDims_;
  std::vector<Statement> statements_;
  std::map<Key, std::size_t> statementOf_;  // of shapes
  std::size_t classes_ = 0;
  Where withShape_, withDim_;
  std::set<std::size_t> gone_;
  std::size_t steps_ = 20'000;
};

}  // namespace

std::vector<Constraint> withoutImplied(Checked& checked, const Scheme& scheme, const std::vector<TypeId>& types) {
  OpenVariables kept;
  for (TypeId type : types) collectVariables(checked.solver, type, kept);
  for (const DimFact& fact : scheme.stated)
    for (Dim side : {fact.left, fact.right}) collectVariables(checked.solver, side, kept);
  return ImpliedConstraints(checked, scheme, kept).without();
}

}  // namespace axle
