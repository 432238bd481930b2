// Prints types and schemes with their facts.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "typecheck/report/implied_constraints.h"
#include "typecheck/report/implied_facts.h"
#include "typecheck/report/printed.h"
#include "typecheck/report/scheme_facts.h"
#include "typecheck/report/told_facts.h"
#include "typecheck/report/type_printer.h"

namespace axle {
namespace {

std::vector<Constraint> constraintsOf(Checked& c, const Scheme* scheme) {
  return scheme ? scheme->constraints : pendingConstraints(c.solver);
}

// Whether a fact says nothing, or is said by one of the facts, perhaps with the sides of the equation exchanged.
bool isSaid(const std::string& fact, const std::vector<std::string>& facts) {
  constexpr std::string_view equals = " == ";
  const std::size_t at = fact.find(equals);
  if (at == std::string::npos) return std::ranges::count(facts, fact) > 0;
  const std::string left = fact.substr(0, at), right = fact.substr(at + equals.size());
  const std::string exchanged = right + std::string(equals) + left;
  return left == right || std::ranges::count(facts, fact) > 0 || std::ranges::count(facts, exchanged) > 0;
}

using ShapeEquations = std::vector<std::pair<Shape, Shape>>;

// What is printed, the equations of shapes that say something about it, and whether some of its facts do not.
struct Printing {
  PrintedTypes printed;
  ShapeEquations needed;
  bool hasUntold = false;
};

// The facts that are printed: the stated ones, and of the constraints those that are facts no others imply. Whether an
// equation is needed is known when the others are printed.
struct ShownFacts {
  std::vector<DimFact> stated;
  std::vector<std::optional<DimFact>> open;  // by constraint
};

// Makes one of facts which together say that a number divides a size. The first `stated` ones stay as they are. Returns
// which of the others are said by another one now.
std::vector<bool> joinDivisibilities(Solver& solver, std::vector<DimFact>& facts, std::size_t stated) {
  constexpr std::size_t most = 100;
  std::vector<bool> joined(facts.size(), false);
  if (facts.size() > most) return joined;
  auto join = [&](std::size_t at) {
    for (std::size_t whole = 0; whole < facts.size(); ++whole) {
      const auto both = whole == at ? std::nullopt : divisibilityOfBoth(solver, facts[whole], facts[at]);
      if (!both) continue;
      static_cast<DimComparison&>(facts[at]) = *both;
      joined[whole] = whole >= stated;
      return true;
    }
    return false;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t at = stated; at < facts.size(); ++at) moved = (!joined[at] && join(at)) || moved;
  }
  return joined;
}

ShownFacts shownFacts(Checked& c, TypePrinter& printer, const Scheme& scheme) {
  const std::vector<Constraint>& constraints = printer.constraints();
  ShownFacts shown{{}, std::vector<std::optional<DimFact>>(constraints.size())};
  std::vector<DimFact> facts = scheme.stated;
  std::vector<std::size_t> from;  // of the facts after the stated ones
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto fact = comparisonOf(constraints[i]);
    if (!fact || ofTheRun(c, fact->left) || ofTheRun(c, fact->right)) continue;
    shown.open[i] = factOf(c, constraints[i]);
    if (fact->relation == FactRelation::eq && !printer.isNeeded(constraints[i])) continue;
    facts.push_back(*shown.open[i]);
    from.push_back(i);
  }
  const std::size_t stated = scheme.stated.size();
  const std::vector<DimVar> aboveZero = sizesAboveZero(c.solver, facts);
  for (std::size_t i = stated; i < facts.size(); ++i)
    static_cast<DimComparison&>(facts[i]) = withoutFactors(c.solver, facts[i], aboveZero);
  const std::vector<bool> joined = joinDivisibilities(c.solver, facts, stated);
  for (std::size_t i = 0; i < from.size(); ++i) {
    shown.open[from[i]] = facts[stated + i];
    if (joined[stated + i]) shown.open[from[i]].reset();
  }
  const std::vector<bool> implied = impliedByOthers(c.solver, facts);
  for (std::size_t i = 0; i < stated; ++i)
    if (!implied[i]) shown.stated.push_back(facts[i]);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (implied[stated + i]) shown.open[from[i]].reset();
  return shown;
}

// The facts that say something about the sizes in `printed`.
ShownFacts toldFacts(Checked& c, const ShownFacts& shown, const std::set<std::uint32_t>& printed) {
  std::vector<DimFact> facts = shown.stated;
  for (const std::optional<DimFact>& fact : shown.open)
    if (fact) facts.push_back(*fact);
  const std::vector<bool> told = sayAbout(c.solver, facts, printed);
  ShownFacts out = shown;
  std::size_t at = 0;
  std::erase_if(out.stated, [&](const DimFact&) { return !told[at++]; });
  for (std::optional<DimFact>& fact : out.open)
    if (fact && !told[at++]) fact.reset();
  return out;
}

std::size_t countOf(const ShownFacts& shown) {
  const auto isOpen = [](const std::optional<DimFact>& fact) { return fact.has_value(); };
  return shown.stated.size() + static_cast<std::size_t>(std::ranges::count_if(shown.open, isOpen));
}

// Prints types and facts, `equations` first among these. Without it all facts are printed, also those that say nothing.
Printing printAll(Checked& checked, const std::vector<Constraint>& said, const ShapeEquations* equations,
                  const std::vector<TypeId>& types, const Scheme* scheme, const std::vector<std::string>& parameters) {
  TypePrinter printer(checked, said, factsOf(checked, scheme));
  Printing out;
  std::vector<std::string>& facts = out.printed.facts;
  for (TypeId type : types) out.printed.types.push_back(printer.signature(type, parameters));
  const Shared inTypes = printer.printed();
  if (scheme) {
    if (equations)
      for (const auto& equation : *equations)
        if (std::string text = printer.equation(equation); !isSaid(text, facts)) facts.push_back(std::move(text));
    const std::vector<Constraint>& constraints = printer.constraints();
    std::vector<std::string> stated, functions = printer.functions(), open(constraints.size());
    std::set<std::string> known;  // stated facts as open ones are printed
    ShownFacts shown = shownFacts(checked, printer, *scheme);
    ShownFacts told = toldFacts(checked, shown, printer.sizes());
    out.hasUntold = countOf(told) < countOf(shown);
    if (equations) shown = std::move(told);
    for (const DimFact& fact : shown.stated) {
      const bool isSame = checked.solution.resolve(fact.left) == checked.solution.resolve(fact.right);
      if (fact.relation == FactRelation::eq && isSame) continue;
      stated.push_back(printer.fact(fact));
      if (!fact.stretch) known.insert(printer.fact(fact.left, fact.relation, fact.right, false));
    }
    for (const bool isEquation : {false, true})
      for (std::size_t i = 0; i < constraints.size(); ++i) {
        const std::optional<DimFact>& fact = shown.open[i];
        if (!fact || (fact->relation == FactRelation::eq) != isEquation) continue;
        if (isEquation && !printer.isNeeded(constraints[i])) continue;
        std::string text = printer.fact(*fact);
        if (!known.count(text)) open[i] = std::move(text);
      }
    for (const auto& texts : {functions, stated, open})
      for (const std::string& text : texts)
        if (!text.empty() && !isSaid(text, facts)) facts.push_back(text);
    out.needed = printer.needed(inTypes);
  }
  for (std::string& text : printer.classes()) facts.push_back(std::move(text));
  return out;
}

}  // namespace

PrintedTypes printWithFacts(Checked& checked, const std::vector<TypeId>& types, const Scheme* scheme,
                            const std::vector<std::string>& parameters) {
  checked.solution.restartSteps();
  const std::vector<Constraint> said =
      scheme ? withoutImplied(checked, *scheme, types) : pendingConstraints(checked.solver);
  Printing first = printAll(checked, said, nullptr, types, scheme, parameters);
  if (first.needed.empty() && !first.hasUntold) return std::move(first.printed);
  // Which equations of shapes say something is known when all else is printed. Now all is printed in the order of the
  // text, from which variables have their names.
  return printAll(checked, said, &first.needed, types, scheme, parameters).printed;
}

std::string printScheme(Checked& checked, TypeId type, const Scheme* scheme,
                        const std::vector<std::string>& parameters) {
  PrintedTypes printed = printWithFacts(checked, {type}, scheme, parameters);
  std::string out = printed.types.front();
  for (std::size_t i = 0; i < printed.facts.size(); ++i) out += (i ? ", " : " where ") + printed.facts[i];
  return out;
}

std::string printType(Checked& checked, TypeId type, const std::vector<DimFact>& facts,
                      const std::vector<std::string>& parameters) {
  return TypePrinter(checked, pendingConstraints(checked.solver), facts).signature(type, parameters);
}

std::string printWithHoles(Checked& checked, TypeId weight) {
  Solution& solution = checked.solution;
  const TypeTerm type = solution.types[solution.resolve(weight)];
  const ElemTerm elem = solution.resolve(type.elem);
  const Shape shape = type.kind == TypeKind::tensor ? solution.resolve(type.shape) : Shape();
  std::map<std::uint32_t, int> uses;
  for (const ShapePart& part : shape)
    if (!part.isVar)
      for (DimVar v : solution.dims.variables(part.dim)) ++uses[v.index];
  auto isHole = [&](DimVar v) {
    const DimVarInfo& info = solution.dimVars[v.index];
    return uses[v.index] == 1 && !info.named && info.kind == DimKind::plain;
  };
  const bool isOpen = elem.isVar || std::ranges::any_of(shape, &ShapePart::isVar);
  if (isOpen || std::ranges::none_of(uses, [&](const auto& use) { return isHole(DimVar{use.first}); }))
    return printScheme(checked, weight, nullptr);
  std::string sizes;
  for (const ShapePart& part : shape)
    sizes += (sizes.empty() ? "" : ", ") +
             solution.printSize(part.dim, [&](DimVar v) { return isHole(v) ? "_" : solution.dims.name(v); });
  return std::string(info(elem.elem).name) + " [" + sizes + "]";
}

std::string printShape(Checked& checked, const Shape& shape) {
  return TypePrinter(checked, pendingConstraints(checked.solver), {}).shapeAlone(shape);
}

std::vector<std::string> printTypes(Checked& checked, const std::vector<TypeId>& types,
                                    const std::vector<std::string>& parameters) {
  TypePrinter printer(checked, pendingConstraints(checked.solver), {});
  std::vector<std::string> texts;
  for (TypeId type : types) texts.push_back(printer.signature(type, parameters));
  return texts;
}

std::vector<std::string> printWithin(Checked& checked, TypeId owner, const Scheme* scheme,
                                     const std::vector<TypeId>& types) {
  checked.solution.restartSteps();
  std::vector<Constraint> constraints = constraintsOf(checked, scheme);
  if (scheme)
    for (Constraint& pending : pendingConstraints(checked.solver)) constraints.push_back(std::move(pending));
  TypePrinter printer(checked, std::move(constraints), factsOf(checked, scheme));
  printer.type(owner);
  std::vector<std::string> texts;
  for (TypeId type : types) texts.push_back(printer.type(type));
  return texts;
}

std::vector<std::string> printFacts(Checked& checked, TypeId type, const Scheme* scheme,
                                    const std::vector<DimFact>& facts) {
  checked.solution.restartSteps();
  TypePrinter printer(checked, constraintsOf(checked, scheme), factsOf(checked, scheme));
  printer.type(type);
  std::vector<std::string> texts;
  for (const DimFact& fact : facts) texts.push_back(printer.fact(fact));
  return texts;
}

std::string printFact(Checked& checked, const DimFact& fact) { return TypePrinter(checked, {}, {}).fact(fact); }

}  // namespace axle
