#include "typecheck/solver/equal_terms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "typecheck/solver/constraints.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/trial.h"
#include "typecheck/solver/unify.h"

namespace axle {
namespace {

// The shapes of suspended equations, grouped into classes of equal shapes.
struct ShapeClasses {
  using Key = std::vector<std::pair<bool, std::uint32_t>>;
  struct Member {
    Shape shape;
    ReasonId reason;
    std::size_t equals;  // a member that it is equal to; itself if it is the first of its class
  };
  std::vector<Member> members;
  std::map<Key, std::size_t> known;

  // The shape must be resolved.
  static Key keyOf(const Shape& shape) {
    Key key;
    for (const ShapePart& part : shape) key.emplace_back(part.isVar, part.isVar ? part.var.index : part.dim.index);
    return key;
  }
  std::size_t add(const Shape& shape, ReasonId reason) {
    const auto [at, isNew] = known.try_emplace(keyOf(shape), members.size());
    if (isNew) members.push_back({shape, reason, members.size()});
    return at->second;
  }
  std::size_t firstOf(std::size_t member) const {
    while (members[member].equals != member) member = members[member].equals;
    return member;
  }
};

ShapeClasses shapeClasses(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  ShapeClasses classes;
  for (const Constraint& constraint : pendingConstraints(solver)) {
    const auto* equation = constraint.as<constraint::ShapeEqual>();
    if (!equation || !choose(constraint)) continue;
    const std::size_t left = classes.firstOf(classes.add(solver.solution.resolve(equation->left), constraint.reason));
    const std::size_t right = classes.firstOf(classes.add(solver.solution.resolve(equation->right), constraint.reason));
    classes.members[std::max(left, right)].equals = std::min(left, right);
  }
  return classes;
}

// Returns the number of parts that match at one end of two shapes; any two sizes match.
template <class Part>
std::ptrdiff_t alike(Part a, const Part endOfA, Part b, const Part endOfB) {
  std::ptrdiff_t taken = 0;
  for (; a != endOfA && b != endOfB && a->isVar == b->isVar && (!a->isVar || a->var == b->var); ++a, ++b) ++taken;
  return taken;
}

// Two equal shapes: the pairs of sizes at their ends that differ, and the parts between the ends.
struct AlignedShapes {
  std::vector<std::pair<ShapePart, ShapePart>> sizes;
  Shape a, b;
};

AlignedShapes align(const Shape& left, const Shape& right) {
  const std::ptrdiff_t back = alike(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  const std::ptrdiff_t front = alike(left.begin(), left.end() - back, right.begin(), right.end() - back);
  AlignedShapes out;
  auto addSizes = [&](auto a, auto b, std::ptrdiff_t count) {
    for (; count > 0; --count, ++a, ++b)
      if (!a->isVar && a->dim != b->dim) out.sizes.emplace_back(*a, *b);
  };
  addSizes(left.begin(), right.begin(), front);
  addSizes(left.end() - back, right.end() - back, back);
  out.a.assign(left.begin() + front, left.end() - back);
  out.b.assign(right.begin() + front, right.end() - back);
  return out;
}

bool isOfTheRun(const Solution& solution, const Shape& shape) {
  return std::ranges::any_of(
      shape, [&](const ShapePart& part) { return part.isVar && solution.shapeVars[part.var.index].runtime; });
}

// Returns the differences of the two sides of suspended equations between sizes.
std::set<Dim> knownDifferences(Solver& solver) {
  DimStore& dims = solver.solution.dims;
  std::set<Dim> known;
  for (const Pending<constraint::DimEqual>& each : pendingOf<constraint::DimEqual>(solver)) {
    const Dim left = solver.solution.resolve(each->left.dim), right = solver.solution.resolve(each->right.dim);
    known.insert({dims.sub(left, right), dims.sub(right, left)});
  }
  return known;
}

// Equates the sizes at the same positions of two shapes. True if that adds information.
bool equateSizes(Solver& solver, const AlignedShapes& shapes, const std::set<Dim>& known, ReasonId reason) {
  Solution& solution = solver.solution;
  for (const auto& [a, b] : shapes.sizes) {
    const Dim left = solution.resolve(a.dim), right = solution.resolve(b.dim);
    if (solution.kindOf(left) != DimKind::plain || solution.kindOf(right) != DimKind::plain) continue;
    if (known.contains(solution.dims.sub(left, right))) continue;
    const Progress progress = tryDimEqual(solver, a, b, reason);
    if (progress == Progress::waiting) {
      if (decideFact(solver, {left, FactRelation::eq, right}) == FactVerdict::proved) continue;
      addConstraint(solver, reason, constraint::DimEqual{a, b});
    }
    if (progress != Progress::done || solution.resolve(a.dim) != left || solution.resolve(b.dim) != right) return true;
  }
  return false;
}

// Whether an equation of two shapes, without the sizes at their ends, binds a variable or cannot hold.
bool saysMore(Solver& solver, const Shape& a, const Shape& b) {
  if (a.empty() && b.empty()) return false;
  auto isVariable = [](const ShapePart& part) { return part.isVar; };
  const bool waits = a.size() > 1 && b.size() > 1 && a.size() != b.size() && std::ranges::any_of(a, isVariable) &&
                     std::ranges::any_of(b, isVariable);
  if (waits) return false;
  const Trial trial(solver);
  return tryShapeEqual(solver, a, b, {}) != Progress::waiting;
}

// Returns a static value as text: equal values have equal texts.
std::string keyOf(Solver& solver, StaticId id) {
  const StaticTerm& term = solver.solution.types[solver.solution.resolve(id)];
  std::string key = fmt::format("{}:", static_cast<int>(term.kind));
  if (term.kind == StaticKind::var) key += std::to_string(term.var.index);
  if (term.kind == StaticKind::dim) key += std::to_string(solver.solution.resolve(term.dim).index);
  if (term.kind == StaticKind::boolean) key += term.boolean ? "1" : "0";
  if (term.kind == StaticKind::text || term.kind == StaticKind::real) key += term.text + "\"";
  for (StaticId item : term.items) key += keyOf(solver, item) + ",";
  return key + ";";
}

// The number of elements of a shape, according to a constraint.
struct ElementCount {
  Shape operand;
  Dim count;
};

// Returns the element count that `size(s)`, or a reshape to sizes without `_`, states; none for another constraint.
std::optional<ElementCount> elementCount(Solver& solver, const Constraint& constraint) {
  Solution& solution = solver.solution;
  if (const auto* size = constraint.as<constraint::SizeOf>()) return ElementCount{size->operand, size->result};
  const auto* reshape = constraint.as<constraint::Reshape>();
  if (!reshape || !reshape->hasSizes) return std::nullopt;
  const StaticTerm& to = solution.types[solution.resolve(reshape->sizes)];
  const auto isHole = [&](StaticId item) { return solution.types[solution.resolve(item)].kind == StaticKind::hole; };
  const auto sizes = knownDims(solver, reshape->result);
  if (!sizes || std::ranges::any_of(to.items, isHole)) return std::nullopt;
  Dim count = solution.dims.constant(1);
  for (Dim size : *sizes) count = solution.dims.mul(count, size);
  return ElementCount{reshape->operand, count};
}

// Returns a shape as text: shapes of one class have equal texts.
std::string keyOf(Solver& solver, const Shape& shape, const ShapeClasses& classes) {
  const ShapeClasses::Key parts = ShapeClasses::keyOf(solver.solution.resolve(shape));
  const auto found = classes.known.find(parts);
  if (found != classes.known.end()) return fmt::format("={}", classes.firstOf(found->second));
  std::string key;
  for (const auto& [isVariable, index] : parts) key += fmt::format("{}{},", isVariable ? "@" : "", index);
  return key;
}

// Returns a shape function and its operands as text; none for another constraint.
std::optional<std::string> keyOf(Solver& solver, const Constraint& constraint, const ShapeClasses& classes) {
  if (roleOf(constraint) != ConstraintRole::function) return std::nullopt;
  if (const auto counted = elementCount(solver, constraint)) return "count|" + keyOf(solver, counted->operand, classes);
  std::string key = fmt::format("{}", constraint.is.index());
  bool isResult = true;
  forEachOperand(constraint, [&](const auto& operand) {
    using Operand = std::decay_t<decltype(operand)>;
    if (std::exchange(isResult, false)) return;
    if constexpr (std::is_same_v<Operand, Shape>) {
      key += "|" + keyOf(solver, operand, classes);
    } else if constexpr (std::is_same_v<Operand, Dim>) {
      key += fmt::format("|{}", solver.solution.resolve(operand).index);
    } else if constexpr (std::is_same_v<Operand, StaticId>) {
      key += "|" + keyOf(solver, operand);
    }
  });
  const constraint::Window* window = constraint.as<constraint::ConvOut>();
  if (!window) window = constraint.as<constraint::ConvTransposeOut>();
  if (window) key += fmt::format("|axis {}", window->axis);
  return key;
}

// Equates the results of two functions. False if they cannot be equal.
bool equateResults(Solver& solver, const Constraint& a, const Constraint& b) {
  const auto counted = elementCount(solver, a), other = elementCount(solver, b);
  if (counted && other) return unifyDim(solver, ShapePart::of(counted->count), ShapePart::of(other->count), b.reason);
  if (const Dim* size = resultOf<Dim>(a))
    return unifyDim(solver, ShapePart::of(*size), ShapePart::of(*resultOf<Dim>(b)), b.reason);
  const Shape* shape = resultOf<Shape>(a);
  return !shape || unifyShape(solver, *shape, *resultOf<Shape>(b), b.reason);
}

}  // namespace

bool isSameShape(const Shape& a, const Shape& b) {
  return std::ranges::equal(a, b, [](const ShapePart& x, const ShapePart& y) {
    return x.isVar == y.isVar && (x.isVar ? x.var == y.var : x.dim == y.dim);
  });
}

bool equateEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  const ShapeClasses all = shapeClasses(solver, choose);
  std::map<std::size_t, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < all.members.size(); ++i) classes[all.firstOf(i)].push_back(i);
  const std::set<Dim> known = all.members.empty() ? std::set<Dim>() : knownDifferences(solver);
  int pairs = 10'000;                  // further pairs stay open
  constexpr std::size_t lookedAt = 8;  // as work
  for (const auto& [first, ofClass] : classes)
    for (auto i = ofClass.begin(); i != ofClass.end(); ++i)
      for (auto j = ofClass.begin(); j != i; ++j) {
        const ShapeClasses::Member &one = all.members[*i], &other = all.members[*j];
        if (--pairs < 0) return false;
        solver.solution.work(lookedAt);
        if (isOfTheRun(solver.solution, one.shape) || isOfTheRun(solver.solution, other.shape)) continue;
        const AlignedShapes aligned = align(other.shape, one.shape);
        bool isNew = equateSizes(solver, aligned, known, one.reason);
        if (!isNew && saysMore(solver, aligned.a, aligned.b)) {
          unifyShape(solver, other.shape, one.shape, one.reason);
          isNew = !isSameShape(one.shape, solver.solution.resolve(one.shape)) ||
                  !isSameShape(other.shape, solver.solution.resolve(other.shape));
        }
        solve(solver);
        if (isNew || !solver.conflicts.empty()) return true;
      }
  return false;
}

bool equateEqualFunctions(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  const ShapeClasses classes = shapeClasses(solver, choose);
  std::map<std::string, std::uint32_t> seen;  // the slots of functions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> repeated;
  for (std::uint32_t slot : solver.live) {
    const Solver::Slot& at = solver.slots[slot];
    if (!at.live || !choose(at.constraint)) continue;
    auto key = keyOf(solver, at.constraint, classes);
    if (!key) continue;
    const auto [first, isNew] = seen.try_emplace(std::move(*key), slot);
    if (!isNew) repeated.emplace_back(first->second, slot);
  }
  for (auto [first, again] : repeated) {
    if (!solver.slots[first].live || !solver.slots[again].live) continue;
    const auto isReshape = [&](std::uint32_t slot) { return solver.slots[slot].constraint.as<constraint::Reshape>(); };
    if (isReshape(first) && !isReshape(again)) std::swap(first, again);  // keep `size(s)`: it determines its result
    const Constraint kept = solver.slots[first].constraint, removed = removeConstraint(solver, again);
    if (!equateResults(solver, kept, removed)) break;
  }
  if (!repeated.empty()) solve(solver);
  return !repeated.empty();
}

bool broadcastEqualShapes(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  const ShapeClasses classes = shapeClasses(solver, choose);
  if (classes.members.empty()) return false;
  const auto sizesAtEnd = [](const Shape& shape) {
    return std::ranges::find_if(shape.rbegin(), shape.rend(), [](const ShapePart& part) { return part.isVar; }) -
           shape.rbegin();
  };
  const auto telling = [&](const Shape& operand) {
    Shape best = solver.solution.resolve(operand);
    const auto found = classes.known.find(ShapeClasses::keyOf(best));
    if (found == classes.known.end()) return best;
    const std::size_t first = classes.firstOf(found->second);
    for (std::size_t i = 0; i < classes.members.size(); ++i)
      if (classes.firstOf(i) == first && sizesAtEnd(classes.members[i].shape) > sizesAtEnd(best))
        best = classes.members[i].shape;
    return best;
  };
  // Whether replacing operands gives both of them sizes at the end, which they do not both have now.
  const auto meets = [&](const constraint::Broadcast& broadcast) {
    const auto endsWithSize = [&](const Shape& shape) { return sizesAtEnd(solver.solution.resolve(shape)) > 0; };
    return !(endsWithSize(broadcast.left) && endsWithSize(broadcast.right)) &&
           sizesAtEnd(telling(broadcast.left)) > 0 && sizesAtEnd(telling(broadcast.right)) > 0;
  };
  const std::vector<Constraint> replaced = takeConstraints(solver, [&](const Constraint& constraint) {
    const auto* broadcast = constraint.as<constraint::Broadcast>();
    return broadcast && choose(constraint) && meets(*broadcast);
  });
  for (const Constraint& constraint : replaced) {
    const auto& [result, left, right] = *constraint.as<constraint::Broadcast>();
    addConstraint(solver, constraint.reason, constraint::Broadcast{result, telling(left), telling(right)});
  }
  solve(solver);
  return !replaced.empty();
}

}  // namespace axle
