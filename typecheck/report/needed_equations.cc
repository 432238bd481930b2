#include "typecheck/report/needed_equations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "typecheck/solver/equal_terms.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Shapes that are all equal, each once.
using EqualShapes = std::vector<Shape>;

// The sizes that equations say to be numbers.
std::map<Dim, Dim> numbersOf(Solution& solution, const std::vector<Constraint>& constraints,
                             const std::vector<DimFact>& facts) {
  std::map<Dim, Dim> numbers;
  auto add = [&](const DimComparison& fact) {
    const Dim left = solution.resolve(fact.left), right = solution.resolve(fact.right);
    if (fact.relation != FactRelation::eq) return;
    if (solution.dims.asConstant(left)) numbers.emplace(right, left);
    if (solution.dims.asConstant(right)) numbers.emplace(left, right);
  };
  for (const Constraint& constraint : constraints)
    if (const auto fact = comparisonOf(constraint)) add(*fact);
  for (const DimFact& fact : facts) add(fact);
  return numbers;
}

std::vector<EqualShapes> equalShapes(Solution& solution, const std::vector<Constraint>& constraints,
                                     const std::vector<DimFact>& facts) {
  std::vector<EqualShapes> classes;
  const std::map<Dim, Dim> numbers = numbersOf(solution, constraints, facts);
  auto withNumbers = [&](Shape shape) {
    for (ShapePart& part : shape)
      if (const auto found = part.isVar ? numbers.end() : numbers.find(part.dim); found != numbers.end())
        part.dim = found->second;
    return shape;
  };
  auto classOf = [&](const Shape& shape) {
    return std::find_if(classes.begin(), classes.end(), [&](const EqualShapes& each) {
      return std::any_of(each.begin(), each.end(), [&](const Shape& one) { return isSameShape(one, shape); });
    });
  };
  for (const Constraint& constraint : constraints) {
    const auto* equation = constraint.as<constraint::ShapeEqual>();
    if (!equation) continue;
    const Shape left = withNumbers(solution.resolve(equation->left));
    const Shape right = withNumbers(solution.resolve(equation->right));
    auto ofLeft = classOf(left), ofRight = classOf(right);
    if (ofLeft == classes.end() && ofRight == classes.end()) {
      classes.push_back({left});
      if (!isSameShape(left, right)) classes.back().push_back(right);
    } else if (ofLeft == classes.end()) {
      ofRight->push_back(left);
    } else if (ofRight == classes.end()) {
      ofLeft->push_back(right);
    } else if (ofLeft != ofRight) {
      ofLeft->insert(ofLeft->end(), ofRight->begin(), ofRight->end());
      classes.erase(ofRight);
    }
  }
  return classes;
}

std::size_t sizesIn(const Shape& shape) {
  return static_cast<std::size_t>(
      std::count_if(shape.begin(), shape.end(), [](const ShapePart& part) { return !part.isVar; }));
}

// Whether a shape is made of different variables that stand nowhere else, one of shapes among them: it is equal to
// each shape that has so many sizes.
bool isFree(Solution& solution, const Shape& shape, const Shared& shared) {
  std::set<std::uint32_t> shapes, dims;
  for (const ShapePart& part : shape) {
    if (part.isVar) {
      const bool isRuntime = solution.shapeVars[part.var.index].runtime;
      if (isRuntime || shared.shapes.count(part.var.index) || !shapes.insert(part.var.index).second) return false;
      continue;
    }
    const auto v = solution.dims.asVariable(part.dim);
    if (!v || solution.dimVars[v->index].rigid || shared.dims.count(v->index) || !dims.insert(v->index).second)
      return false;
  }
  return !shapes.empty();
}

// Whether a shape's variables that stand nowhere else can be chosen so that it is another one, part by part.
bool canBe(Solution& solution, const Shape& shape, const Shape& other, const Shared& shared) {
  std::map<std::uint32_t, std::uint32_t> shapes;
  std::map<std::uint32_t, Dim> dims;
  if (shape.size() != other.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const ShapePart &part = shape[i], &wanted = other[i];
    if (part.isVar != wanted.isVar) return false;
    if (part.isVar) {
      const bool isOwn = !shared.shapes.count(part.var.index) && !solution.shapeVars[part.var.index].runtime;
      const std::uint32_t chosen = shapes.try_emplace(part.var.index, wanted.var.index).first->second;
      if (chosen != wanted.var.index || (!isOwn && part.var != wanted.var)) return false;
    } else if (part.dim != wanted.dim) {
      const auto v = solution.dims.asVariable(part.dim);
      if (!v || shared.dims.count(v->index) || solution.dimVars[v->index].rigid) return false;
      if (dims.try_emplace(v->index, wanted.dim).first->second != wanted.dim) return false;
    }
  }
  return true;
}

// The variables that stand in two of the shapes.
void addRepeated(Checked& c, const std::vector<EqualShapes>& classes, Shared& shared) {
  std::set<std::uint32_t> shapes, dims;
  for (const EqualShapes& each : classes)
    for (const Shape& shape : each) {
      OpenVariables inside;
      collectVariables(c.solver, shape, inside);
      std::set<std::uint32_t> ofShapes, ofDims;
      for (ShapeVar v : inside.shapes) ofShapes.insert(v.index);
      for (DimVar v : inside.dims) ofDims.insert(v.index);
      for (std::uint32_t v : ofShapes)
        if (!shapes.insert(v).second) shared.shapes.insert(v);
      for (std::uint32_t v : ofDims)
        if (!dims.insert(v).second) shared.dims.insert(v);
    }
}

// Whether all variables are shown, and whether one of those that are not has a user's name.
struct Seen {
  bool all = true, lacksNamed = false;
};

Seen seenOf(Checked& c, const OpenVariables& inside, const ShownVariables& variables) {
  Seen seen;
  auto see = [&](auto v, bool isNamed) {
    if (variables.isShown(v)) return;
    seen.all = false;
    seen.lacksNamed |= isNamed;
  };
  for (DimVar v : inside.dims) see(v, c.solution.dimVars[v.index].named);
  for (ShapeVar v : inside.shapes) see(v, c.solution.shapeVars[v.index].named);
  return seen;
}

template <class Part, class Same>
Part shownEqual(Checked& c, const Part& part, const std::vector<std::pair<Part, Part>>& equations,
                const ShownVariables& variables, Same isSame) {
  if (equations.empty()) return part;
  auto seen = [&](const Part& one) {
    OpenVariables inside;
    collectVariables(c.solver, one, inside);
    return seenOf(c, inside, variables);
  };
  const Seen own = seen(part);
  if (own.all || own.lacksNamed) return part;
  for (const auto& [left, right] : equations) {
    if (isSame(left, part) && seen(right).all) return right;
    if (isSame(right, part) && seen(left).all) return left;
  }
  return part;
}

std::set<std::uint32_t> indices(const std::vector<DimVar>& variables) {
  std::set<std::uint32_t> out;
  for (DimVar v : variables) out.insert(v.index);
  return out;
}

}  // namespace

void replaceByKept(Checked& c, std::vector<Constraint>& constraints, const Shared& kept) {
  const auto isKept = [&](const Shape& shape) {
    OpenVariables inside;
    collectVariables(c.solver, shape, inside);
    return std::ranges::all_of(inside.shapes, [&](ShapeVar v) { return kept.shapes.contains(v.index); }) &&
           std::ranges::all_of(inside.dims, [&](DimVar v) { return kept.dims.contains(v.index); });
  };
  const std::vector<EqualShapes> classes = equalShapes(c.solution, constraints, {});
  if (classes.empty()) return;
  const auto replace = [&](Shape& shape) {
    const Shape own = c.solution.resolve(shape);
    for (const EqualShapes& each : classes) {
      if (std::ranges::none_of(each, [&](const Shape& one) { return isSameShape(one, own); })) continue;
      const auto other = std::ranges::find_if(each, isKept);
      if (other != each.end() && !isKept(own)) shape = *other;
    }
  };
  for (Constraint& constraint : constraints) {
    if (roleOf(constraint) != ConstraintRole::function && !constraint.as<constraint::Broadcast>()) continue;
    std::visit(
        [&](auto& kind) {
          bool isResult = true;
          const auto visit = [&](auto operand) {
            if constexpr (std::is_same_v<std::decay_t<decltype(kind.*operand)>, Shape>)
              if (!isResult) replace(kind.*operand);
            isResult = false;
          };
          std::apply([&](auto... operand) { (visit(operand), ...); },
                     constraint::rowOf<std::decay_t<decltype(kind)>>().operands);
        },
        constraint.is);
  }
}

Equations::Equations(Checked& c, const std::vector<Constraint>& constraints) : c_(c) {
  for (const Constraint& constraint : constraints) {
    if (const auto* sizes = constraint.as<constraint::DimEqual>())
      sizes_.emplace_back(c.solution.resolve(sizes->left.dim), c.solution.resolve(sizes->right.dim));
    OpenVariables inside;
    if (roleOf(constraint) != ConstraintRole::silent) collectVariables(c.solver, constraint, inside);
    for (std::uint32_t v : indices(inside.dims)) ++constraintsOf_[v];
    if (const auto* shapes = constraint.as<constraint::ShapeEqual>())
      shapes_.emplace_back(c.solution.resolve(shapes->left), c.solution.resolve(shapes->right));
  }
}

Dim Equations::shown(Dim size, const ShownVariables& variables) const {
  return shownEqual(c_, size, sizes_, variables, [](Dim a, Dim b) { return a == b; });
}

Shape Equations::shown(const Shape& shape, const ShownVariables& variables) const {
  return shownEqual(c_, shape, shapes_, variables, isSameShape);
}

std::vector<std::pair<Shape, Shape>> neededEquations(Checked& c, const std::vector<Constraint>& constraints,
                                                     const std::vector<DimFact>& facts, Shared shared,
                                                     const Shared& first) {
  std::vector<EqualShapes> classes = equalShapes(c.solution, constraints, facts);
  // The key of the order: what `first` has comes first, then what is short, then what begins with sizes.
  auto orderOf = [&](const Shape& shape) {
    OpenVariables inside;
    collectVariables(c.solver, shape, inside);
    const auto others = std::ranges::count_if(inside.shapes, [&](ShapeVar v) { return !first.shapes.count(v.index); }) +
                        std::ranges::count_if(inside.dims, [&](DimVar v) { return !first.dims.count(v.index); });
    std::vector<bool> isVariable;
    for (const ShapePart& part : shape) isVariable.push_back(part.isVar);
    return std::tuple(others, shape.size(), sizesIn(shape), std::move(isVariable));
  };
  addRepeated(c, classes, shared);
  std::vector<std::pair<Shape, Shape>> needed;
  for (EqualShapes& each : classes) {
    std::stable_partition(each.begin(), each.end(),
                          [&](const Shape& shape) { return !isFree(c.solution, shape, shared); });
    std::ranges::stable_sort(each, {}, orderOf);
    std::size_t sizes = 0;  // of the shape with most of them
    for (std::size_t i = 0; i < each.size(); ++i) {
      const bool saysNothing = i > 0 && ((isFree(c.solution, each[i], shared) && sizesIn(each[i]) <= sizes) ||
                                         canBe(c.solution, each[i], each[0], shared));
      if (i > 0 && !saysNothing) needed.push_back({each[0], each[i]});
      sizes = std::max(sizes, sizesIn(each[i]));
    }
  }
  return needed;
}

namespace {

// Whether a value of one side's variables fulfils an equation for each value of the other's: `n / 2 == m / 2` where m
// stands nowhere else.
bool isAlwaysSolvable(Checked& c, Dim left, Dim right, const Shared& shared) {
  DimStore& dims = c.solution.dims;
  left = c.solution.resolve(left);
  right = c.solution.resolve(right);
  if (dims.isUndefined(left) || dims.isUndefined(right)) return false;
  // The sides are the same where the variables that only one of them has are those that only the other has.
  auto becomes = [&](Dim side, Dim other) {
    auto without = [&](Dim of, Dim others) {
      const auto inside = dims.variables(of), apart = dims.variables(others);
      std::vector<DimVar> out(inside.begin(), inside.end());
      std::erase_if(out, [&](DimVar v) { return std::find(apart.begin(), apart.end(), v) != apart.end(); });
      return out;
    };
    const std::vector<DimVar> own = without(side, other);
    std::vector<DimVar> wanted = without(other, side);
    constexpr std::size_t most = 3;
    const bool isFree = std::all_of(own.begin(), own.end(), [&](DimVar v) {
      return !shared.dims.count(v.index) && !c.solution.dimVars[v.index].rigid;
    });
    if (own.empty() || own.size() != wanted.size() || own.size() > most || !isFree) return false;
    std::sort(wanted.begin(), wanted.end());
    do {
      Substitution chosen;
      for (std::size_t i = 0; i < own.size(); ++i) chosen.dims[own[i].index] = dims.variable(wanted[i]);
      if (c.solution.resolve(side, &chosen) == other) return true;
    } while (std::next_permutation(wanted.begin(), wanted.end()));
    return false;
  };
  return becomes(left, right) || becomes(right, left);
}

}  // namespace

bool Equations::isNeeded(const Constraint& equation, const ShownVariables& variables) const {
  const auto sides = comparisonOf(equation);
  OpenVariables inside;
  collectVariables(c_.solver, equation, inside);
  Shared known;
  for (DimVar v : inside.dims) {
    const auto found = constraintsOf_.find(v.index);
    if (variables.isShown(v) || (found != constraintsOf_.end() && found->second > 1)) known.dims.insert(v.index);
  }
  return !isAlwaysSolvable(c_, sides->left, sides->right, known);
}

namespace {

// A permutation in a list is of one rank.
bool isOfRank(Solution& solution, const Constraint& constraint) {
  const auto* permute = constraint.as<constraint::Permute>();
  return permute && solution.types[solution.resolve(permute->order)].kind == StaticKind::list;
}

}  // namespace

bool hasHole(Solution& solution, StaticId list) {
  const StaticTerm sizes = solution.types[solution.resolve(list)];
  return std::any_of(sizes.items.begin(), sizes.items.end(),
                     [&](StaticId item) { return solution.types[solution.resolve(item)].kind == StaticKind::hole; });
}

bool isTotal(Solution& solution, const Constraint& constraint) {
  auto isOf = [&](StaticId value, StaticKind kind) { return solution.types[solution.resolve(value)].kind == kind; };
  const auto* permute = constraint.as<constraint::Permute>();
  const auto* reduce = constraint.as<constraint::Reduce>();
  return constraint.as<constraint::SizeOf>() || constraint.as<constraint::RankOf>() ||
         (permute && isOf(permute->order, StaticKind::reversed)) || (reduce && isOf(reduce->axes, StaticKind::all));
}

bool asksOfOperand(Checked& c, const Constraint& constraint) {
  const bool asks = constraint.as<constraint::Broadcast>() || constraint.as<constraint::Reduce>() ||
                    constraint.as<constraint::Swap>() || constraint.as<constraint::Move>() ||
                    constraint.as<constraint::Tile>() || constraint.as<constraint::Stretch>() ||
                    isOfRank(c.solution, constraint);
  OpenVariables inside;
  if (asks) collectVariables(c.solver, constraint, inside);
  return asks && inside.statics.empty();
}

}  // namespace axle
