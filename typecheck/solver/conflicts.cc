#include "typecheck/solver/conflicts.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>

#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/needed_size.h"
#include "typecheck/solver/rules.h"

namespace axle {

bool fail(Solver& solver, Conflict conflict) {
  solver.conflicts.push_back(std::move(conflict));
  return false;
}

Conflict conflictOf(ConflictKind kind, ReasonId reason, std::string left, std::string right,
                    std::vector<OriginId> origins) {
  Conflict c;
  c.kind = kind;
  c.reason = reason;
  c.left = std::move(left);
  c.right = std::move(right);
  c.origins = std::move(origins);
  c.leftOrigins = c.origins.empty() ? 0 : 1;
  return c;
}

namespace {

std::string printSize(Solver& solver, Dim size) {
  Solution& solution = solver.solution;
  if (!solver.nameOf) return solution.printSize(size);
  return solution.printSize(size, [&](DimVar v) { return solution.markedName(v, solver.nameOf(v)); });
}

// Whether a size of a shape is one that is not known yet and that the program does not name. Its name would be that of
// a size in the operator's signature.
bool isUnknown(Solution& solution, Dim size) {
  const auto var = solution.dims.asVariable(solution.resolve(size));
  if (!var) return false;
  const DimVarInfo& info = solution.dimVars[var->index];
  return !info.named && !info.rigid && info.kind == DimKind::plain;
}

}  // namespace

std::string show(Solver& solver, Dim size) { return printSize(solver, solver.solution.resolve(size)); }

namespace {

template <class Print>
std::string show(Solver& solver, const Shape& shape, Print printed) {
  Solution& solution = solver.solution;
  Shape flat = solution.resolve(shape);
  std::string out;
  bool inDims = false;
  for (const ShapePart& part : flat) {
    if (part.isVar) {
      if (inDims) out += "]";
      if (!out.empty()) out += " @ ";
      const ShapeVarInfo& info = solution.shapeVars[part.var.index];
      out += (info.runtime ? "?" : "") + info.name;
      inDims = false;
    } else {
      out += inDims ? ", " : out.empty() ? "[" : " @ [";
      out += printed(part.dim);
      inDims = true;
    }
  }
  if (inDims) out += "]";
  return out.empty() ? "[]" : out;
}

}  // namespace

std::string show(Solver& solver, const Shape& shape) {
  return show(solver, shape, [&](Dim size) { return printSize(solver, size); });
}

std::string showKnown(Solver& solver, const Shape& shape) {
  const auto isKnown = [&](const ShapePart& part) { return !part.isVar && !isUnknown(solver.solution, part.dim); };
  const bool isNamedByGraph = static_cast<bool>(solver.nameOf);  // each of its sizes has a name that is shown elsewhere
  if (isNamedByGraph || std::ranges::none_of(solver.solution.resolve(shape), isKnown)) return show(solver, shape);
  return show(solver, shape,
              [&](Dim size) { return isUnknown(solver.solution, size) ? "_" : printSize(solver, size); });
}

std::string show(Solver& solver, StaticId list) {
  Solution& solution = solver.solution;
  std::string out;
  for (StaticId item : solution.types[solution.resolve(list)].items) {
    const StaticTerm& term = solution.types[solution.resolve(item)];
    const std::string text = term.kind == StaticKind::dim ? solution.dims.print(term.dim) : "_";
    out += (out.empty() ? "" : ", ") + text;
  }
  return "[" + out + "]";
}

std::vector<OriginId> originsOf(Solver& solver, const ShapePart& part) {
  DimStore& dims = solver.solution.dims;
  std::vector<OriginId> out;
  auto push = [&](OriginId o) {
    if (o.index && std::find(out.begin(), out.end(), o) == out.end()) out.push_back(o);
  };
  // The origin of a size's binding is more informative than the place of its name, so it comes first.
  std::vector<Dim> open;
  if (!part.isVar) open.push_back(part.dim);
  if (part.isVar || !dims.asVariable(part.dim)) push(part.origin);
  for (std::size_t i = 0; i < open.size() && i < 16; ++i)
    for (DimVar v : dims.variables(open[i])) {
      const DimVarInfo& info = solver.solution.dimVars[v.index];
      push(info.boundBy);
      push(info.origin);
      if (info.binding) open.push_back(*info.binding);
    }
  push(part.origin);
  return out;
}

Progress failAttribute(Solver& solver, ReasonId reason, std::string text) {
  Conflict conflict = conflictOf(ConflictKind::attribute, reason, "", "", {});
  conflict.text = std::move(text);
  fail(solver, std::move(conflict));
  return Progress::failed;
}

namespace {

// Describes how a size that differs from `other` was computed, and what that implies for the sizes subtracted in it.
std::optional<Phrase> describeComputation(Solver& solver, Dim size, Dim other) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  auto value = dims.asConstant(solution.resolve(size)), wanted = dims.asConstant(solution.resolve(other));
  if (!value || !wanted || dims.asConstant(size) || dims.asVariable(size)) return std::nullopt;
  std::string where, sum;
  // A window of 1 and a stride of 1 leave a size as it is.
  for (DimVar v : dims.variables(size))
    if (dims.asConstant(solution.resolve(dims.variable(v))) == value) return std::nullopt;
  for (DimVar v : dims.variables(size))
    where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", dims.name(v), show(solver, dims.variable(v)));
  std::int64_t positive = 0, negative = 0;
  const auto span = dims.terms(size);
  for (const Term& term : std::vector<Term>(span.begin(), span.end())) {
    Dim amount = solution.resolve(dims.fromTerms({Term{std::abs(term.coefficient), term.factors}}));
    auto number = dims.asConstant(amount);
    if (!number) return std::nullopt;
    (term.coefficient < 0 ? negative : positive) += *number;
    if (term.coefficient < 0) sum += show(solver, amount) + " + ";
  }
  Phrase how("{} is {} for {}", arg::Number{*value}, arg::Code{dims.print(size)}, arg::Subject{where});
  if (sum.empty()) return how;
  return Phrase("{}: {}{} is {}, not {}", how, arg::Size{sum}, arg::Number{*wanted}, arg::Number{negative + *wanted},
                arg::Number{positive});
}

// Adds the divisions that a size contains as it is written, with the values of their operands.
void addDivisions(Solver& solver, Dim size, std::vector<std::pair<Dim, Dim>>& divisions) {
  Solution& solution = solver.solution;
  for (const Term& term : solution.dims.terms(size))
    for (const Factor& factor : term.factors) {
      if (!factor.isAtom) continue;
      const Atom& atom = solution.dims.atom(factor.index);
      if (divides(atom.op)) divisions.emplace_back(atom.left, atom.right);
    }
  for (auto& [whole, divisor] : divisions) {
    whole = solution.resolve(whole);
    divisor = solution.resolve(divisor);
  }
}

}  // namespace

Progress failSizes(Solver& solver, ConflictKind kind, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Conflict c;
  c.kind = kind;
  c.reason = reason;
  c.left = show(solver, a.dim);
  c.right = show(solver, b.dim);
  c.origins = originsOf(solver, a);
  c.leftOrigins = c.origins.size();
  for (OriginId o : originsOf(solver, b))
    if (std::find(c.origins.begin(), c.origins.end(), o) == c.origins.end()) c.origins.push_back(o);
  for (Dim side : {a.dim, b.dim}) {
    addDivisions(solver, side, c.divisions);
    if (auto v = dims.asVariable(side); v && c.sizeName.empty() && solution.dimVars[v->index].binding)
      c.sizeName = dims.name(*v);
    for (DimVar v : dims.variables(solution.resolve(side)))
      if (c.text.empty()) c.text = solution.dimVars[v.index].maker;
  }
  if (reason.index && solver.provenance[reason].kind == ReasonKind::call)
    for (auto [side, other] : {std::pair(a.dim, b.dim), std::pair(b.dim, a.dim)})
      if (auto how = describeComputation(solver, side, other)) c.notes.push_back(std::move(*how));
  fail(solver, std::move(c));
  return Progress::failed;
}

namespace {

// Cancels the common factors of two products; returns both unchanged if one is a sum.
std::pair<Dim, Dim> cancelled(DimStore& dims, Dim a, Dim b) {
  if (dims.terms(a).size() != 1 || dims.terms(b).size() != 1) return {a, b};
  Term left = dims.terms(a)[0], right = dims.terms(b)[0];
  for (Factor& f : left.factors)
    for (Factor& g : right.factors) {
      if (f.isAtom != g.isAtom || f.index != g.index) continue;
      std::uint32_t common = std::min(f.power, g.power);
      f.power -= common;
      g.power -= common;
    }
  for (Term* t : {&left, &right}) std::erase_if(t->factors, [](const Factor& f) { return f.power == 0; });
  return {dims.fromTerms({left}), dims.fromTerms({right})};
}

// If `wanted`, the number of elements of a reshape, contains the open size `given / product`, returns that division in
// lowest terms.
std::optional<std::pair<Dim, Dim>> openSizeOf(DimStore& dims, Dim given, Dim wanted) {
  if (dims.terms(wanted).size() != 1) return std::nullopt;
  for (const Factor& f : dims.terms(wanted)[0].factors) {
    if (!f.isAtom || f.power != 1) continue;
    Atom atom = dims.atom(f.index);
    if (atom.op == DimOp::div && atom.left == given) return cancelled(dims, atom.left, atom.right);
  }
  return std::nullopt;
}

// The same for a reshape whose sizes are all numbers.
std::optional<std::pair<Dim, Dim>> numbersOfOpenSize(Solver& solver, const constraint::Fact& reshape) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  std::size_t open = 0;
  Dim product = dims.constant(1), given = solution.resolve(reshape.left);
  for (StaticId item : solution.types[solution.resolve(reshape.reshaped->sizes)].items) {
    const StaticTerm& term = solution.types[solution.resolve(item)];
    if (term.kind == StaticKind::dim)
      product = dims.mul(product, solution.resolve(term.dim));
    else
      ++open;
  }
  auto total = dims.asConstant(given), divisor = dims.asConstant(product);
  if (open != 1 || !total || !divisor || *divisor < 1 || *total % *divisor == 0) return std::nullopt;
  return std::pair(given, product);
}

// Returns, for each number in the list, the value that fits if all other sizes stay as they are.
std::vector<std::pair<std::size_t, std::string>> fittingSizes(Solver& solver, const constraint::Fact& reshape) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  std::vector<std::pair<std::size_t, std::string>> fits;
  std::vector<Dim> sizes;
  for (StaticId item : solution.types[solution.resolve(reshape.reshaped->sizes)].items)
    if (const StaticTerm& term = solution.types[solution.resolve(item)]; term.kind == StaticKind::dim)
      sizes.push_back(solution.resolve(term.dim));
    else
      return fits;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (!dims.asConstant(sizes[i])) continue;
    Dim others = dims.constant(1);
    for (std::size_t j = 0; j < sizes.size(); ++j)
      if (j != i) others = dims.mul(others, sizes[j]);
    const Dim given = solution.resolve(reshape.left), quotient = dims.div(given, others);
    if (dims.isUndefined(quotient) || dims.mul(quotient, others) != given) continue;
    fits.emplace_back(i, dims.print(quotient));
  }
  return fits;
}

// A size of a reshape's operand that the list has otherwise, and what the list has there.
using UnlikeSize = std::optional<std::pair<ShapePart, Dim>>;

// The only size of two shapes that is left once sizes that both have are cancelled, and the product of those that the
// other one has left; none where there are more.
UnlikeSize sizeLeft(DimStore& dims, Shape given, std::vector<Dim> wanted) {
  std::erase_if(given, [&](const ShapePart& part) {
    const auto same = std::ranges::find(wanted, part.dim);
    const bool isCancelled = same != wanted.end();
    if (isCancelled) wanted.erase(same);
    return isCancelled;
  });
  if (given.size() != 1 || wanted.empty()) return std::nullopt;
  Dim product = dims.constant(1);
  for (const Dim size : wanted) product = dims.mul(product, size);
  return std::pair(given.front(), product);
}

// The only size without which both shapes have as many elements; none where there is no such size.
UnlikeSize sizeBesideEqual(DimStore& dims, const Shape& given, const std::vector<Dim>& wanted) {
  auto productWithout = [&](const auto& sizes, std::size_t left, auto&& dimOf) {
    Dim product = dims.constant(1);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (i != left) product = dims.mul(product, dimOf(sizes[i]));
    return product;
  };
  for (std::size_t i = given.size(); i-- > 0;) {
    const Dim others = productWithout(given, i, [](const ShapePart& part) { return part.dim; });
    for (std::size_t j = 0; j < wanted.size(); ++j)
      if (productWithout(wanted, j, std::identity()) == others) return std::pair(given[i], wanted[j]);
  }
  return std::nullopt;
}

UnlikeSize unlikeSize(Solver& solver, const constraint::Fact& reshape) {
  Solution& solution = solver.solution;
  const Shape given = solution.resolve(reshape.reshaped->operand);
  std::vector<Dim> wanted;
  for (StaticId item : solution.types[solution.resolve(reshape.reshaped->sizes)].items)
    if (const StaticTerm& term = solution.types[solution.resolve(item)]; term.kind == StaticKind::dim)
      wanted.push_back(solution.resolve(term.dim));
    else
      return std::nullopt;
  if (std::ranges::any_of(given, &ShapePart::isVar) || std::max(given.size(), wanted.size()) < 2) return std::nullopt;
  const auto left = sizeLeft(solution.dims, given, wanted);
  return left ? left : sizeBesideEqual(solution.dims, given, wanted);
}

void describeReshape(Solver& solver, const constraint::Fact& fact, Conflict& conflict) {
  DimStore& dims = solver.solution.dims;
  conflict.isReshape = true;
  conflict.text = show(solver, fact.reshaped->operand);
  conflict.sizeName = show(solver, fact.reshaped->sizes);
  conflict.fits = fittingSizes(solver, fact);
  auto division = openSizeOf(dims, fact.left, solver.solution.resolve(fact.right));
  if (!division) division = numbersOfOpenSize(solver, fact);
  if (division) {
    conflict.dividend = show(solver, division->first);
    conflict.divisor = show(solver, division->second);
  }
  const auto unlike = unlikeSize(solver, fact);
  if (unlike && !dims.isUndefined(unlike->second)) {
    conflict.unlike = {show(solver, unlike->first.dim), show(solver, unlike->second)};
    conflict.origins = originsOf(solver, unlike->first);
    return;
  }
  for (const ShapePart& part : fact.reshaped->operand)
    for (OriginId o : originsOf(solver, part)) conflict.origins.push_back(o);
}

}  // namespace

Progress failFact(Solver& solver, const constraint::Fact& fact, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Conflict conflict = conflictOf(ConflictKind::fact, reason, show(solver, fact.left), show(solver, fact.right), {});
  std::vector<Dim> sides{fact.left, fact.right};
  // A size may be undefined, such as `n / m` of a reshape where m is 0: that is an overflow conflict.
  for (Dim side : sides)
    if (dims.isUndefined(fact.reshaped ? solution.resolve(side) : side)) conflict.kind = ConflictKind::overflow;
  conflict.text = dims.print(fact.left) + " " + spelling(fact.relation) + " " + dims.print(fact.right);
  if (fact.stretch) {
    conflict.text = dims.print(fact.stretch->first) + " : 1 or " + dims.print(fact.stretch->second);
    sides.insert(sides.end(), {fact.stretch->first, fact.stretch->second});
  }
  if (fact.reshaped) describeReshape(solver, fact, conflict);
  if (fact.relation == FactRelation::eq && !fact.stretch && !fact.reshaped)
    for (Dim side : sides) addDivisions(solver, side, conflict.divisions);
  for (Dim side : sides)
    for (DimVar v : dims.variables(side)) {
      std::pair<std::string, std::string> value(dims.name(v), show(solver, dims.variable(v)));
      bool known = std::find(conflict.values.begin(), conflict.values.end(), value) != conflict.values.end();
      if (!known && value.first != value.second) conflict.values.push_back(std::move(value));
    }
  if (const auto need = fact.stretch || fact.reshaped ? std::nullopt : neededSize(solution, fact)) {
    conflict.neededOf = {dims.name(need->size), show(solver, dims.variable(need->size))};
    conflict.needed = fmt::format("{} {} {}", conflict.neededOf.first, spelling(need->relation), need->bound);
  }
  for (Dim side : {fact.left, fact.right}) {
    if (!conflict.unlike.first.empty()) break;  // where that size comes from is what matters
    std::vector<OriginId> origins = originsOf(solver, ShapePart::of(side));
    for (DimVar v : dims.variables(side))
      if (OriginId via = solution.dimVars[v.index].boundVia; via.index) origins.push_back(via);
    for (OriginId o : origins)
      if (std::find(conflict.origins.begin(), conflict.origins.end(), o) == conflict.origins.end())
        conflict.origins.push_back(o);
  }
  fail(solver, std::move(conflict));
  return Progress::failed;
}

void failComparison(Solver& solver, const Constraint& c) {
  if (const auto* equal = c.as<constraint::DimEqual>())
    failSizes(solver, ConflictKind::dim, equal->left, equal->right, c.reason);
  else
    failFact(solver, std::get<constraint::Fact>(c.is), c.reason);
}

}  // namespace axle
