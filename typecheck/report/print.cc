// Prints types as users write them: each variable of a line has one name, and a shape computed by a function is printed
// as the function.
#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "typecheck/checked.h"
#include "typecheck/report/definitions.h"
#include "typecheck/report/printed.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

class TypePrinter {
 public:
  // Sizes are shortened under the facts.
  TypePrinter(Checked& c, std::vector<Constraint> constraints, std::vector<DimFact> facts)
      : c_(c),
        constraints_(std::move(constraints)),
        definitions_(definitionsAmong(c, constraints_)),
        shortener_(c.solution, std::move(facts)) {}

  std::string type(TypeId id) { return resolved(c_.solution.resolve(id)); }

  std::string resolved(TypeId id) {
    c_.solution.step();
    const TypeTerm t = c_.solution.types[id];
    switch (t.kind) {
      case TypeKind::error:
        return "(error)";
      case TypeKind::var:
        return name(types_, t.var.index, "", "abcdefghijklmnopqrstuvwxyz");
      case TypeKind::tensor:
        return tensor(t);
      case TypeKind::tuple:
        return "(" + list(t.parts) + ")";
      case TypeKind::function:
        return function(t, {});
    }
    return {};
  }

  // A function's type with a name before each of its parameters; any other type without.
  std::string signature(TypeId id, const std::vector<std::string>& parameters) {
    const TypeTerm t = c_.solution.types[c_.solution.resolve(id)];
    return t.kind == TypeKind::function && t.parts.size() == parameters.size() ? function(t, parameters) : type(id);
  }

  std::string shapeAlone(const Shape& s) { return shape(c_.solution.resolve(s)); }
  std::string dim(Dim d) { return c_.solution.dims.print(c_.solution.resolve(d), naming()); }
  std::string size(Dim d) {
    Dim shorter = shortener_.size(c_.solution.resolve(d), [&](Dim one) { return c_.solution.dims.print(one); });
    return c_.solution.printSize(shorter, naming());
  }

  std::function<std::string(DimVar)> naming() {
    return [this](DimVar v) -> std::string {
      if (auto it = definitions_.dims.find(v.index); it != definitions_.dims.end() && mayExpand())
        return call(*it->second);
      const std::string& given = c_.solution.dims.name(v);
      bool ragged = c_.solution.dimVars[v.index].kind == DimKind::ragged;
      return c_.solution.markedName(v, name(dims_, v.index, given, ragged ? "lmnopq" : "nmkhwcdbijpqrs"));
    };
  }

  std::string value(StaticId id) {
    const StaticTerm t = c_.solution.types[c_.solution.resolve(id)];
    switch (t.kind) {
      case StaticKind::var:
        return c_.solution.staticVars[t.var.index].name;
      case StaticKind::dim:
        return dim(t.dim);
      case StaticKind::boolean:
        return t.boolean ? "true" : "false";
      case StaticKind::text:
        return "\"" + t.text + "\"";
      case StaticKind::hole:
        return "_";
      case StaticKind::reversed:
        return "reversed";
      case StaticKind::all:
        return "all";
      case StaticKind::real:
        return t.text;
      case StaticKind::list: {
        std::string out = "[";
        for (std::size_t i = 0; i < t.items.size(); ++i) out += (i ? ", " : "") + value(t.items[i]);
        return out + "]";
      }
    }
    return {};
  }

  std::string fact(const DimFact& f) {
    if (f.stretch) return dim(f.stretch->first) + " : 1 or " + dim(f.stretch->second);
    return fact(f.left, f.relation, f.right, f.stated);
  }

  // Moves terms so that both sides have positive coefficients: `h - 3 >= 0` reads `h >= 3`.
  std::string fact(Dim left, FactRelation relation, Dim right, bool asStated) {
    DimStore& dims = c_.solution.dims;
    left = c_.solution.resolve(left);
    right = c_.solution.resolve(right);
    Dim difference = dims.sub(left, right);
    if (relation != FactRelation::eq && relation != FactRelation::ne && !asStated && !dims.isUndefined(difference)) {
      if (relation == FactRelation::lt || relation == FactRelation::le)
        difference = dims.mul(dims.constant(-1), difference);
      if (relation == FactRelation::lt || relation == FactRelation::gt)
        difference = dims.sub(difference, dims.constant(1));
      relation = FactRelation::ge;
      difference = tightenInequality(c_.solver, difference);
      Dim positive = dims.constant(0), negative = dims.constant(0);
      std::int64_t constant = 0;
      for (const Term& t : std::vector<Term>(dims.terms(difference).begin(), dims.terms(difference).end())) {
        if (t.factors.empty()) {
          constant = t.coefficient;
          continue;
        }
        Dim one = single(t);
        if (t.coefficient > 0)
          positive = dims.add(positive, one);
        else
          negative = dims.sub(negative, one);
      }
      if (constant > 0)
        positive = dims.add(positive, dims.constant(constant));
      else
        negative = dims.sub(negative, dims.constant(constant));
      left = positive;
      right = negative;
    }
    if (relation == FactRelation::eq && !asStated)
      if (auto rest = shortener_.remainder(difference)) left = *rest, right = dims.constant(0);
    return dim(left) + " " + spelling(relation) + " " + dim(right);
  }

  // An open relation between shapes that the type itself does not show: `[k] @ s == s @ [m]`, `n == size(s @ [n])`.
  std::optional<std::string> relation(const Constraint& c) {
    if (const auto* equal = c.as<constraint::ShapeEqual>())
      return operand(equal->left) + " == " + operand(equal->right);
    const auto* broadcast = c.as<constraint::Broadcast>();
    if ((!broadcast && roleOf(c) != ConstraintRole::function) || c.as<constraint::Einsum>()) return std::nullopt;
    const Shape* defined = resultOf<Shape>(c);
    if (!defined) {
      const Dim* size = resultOf<Dim>(c);
      const auto v = size ? c_.solution.dims.asVariable(c_.solution.resolve(*size)) : std::nullopt;
      return v && definitions_.statedDims.count(v->index) ? std::optional(dim(*size) + " == " + call(c)) : std::nullopt;
    }
    Shape result = c_.solution.resolve(*defined);
    if (result.size() == 1 && result[0].isVar && !definitions_.statedShapes.count(result[0].var.index))
      return std::nullopt;
    if (const auto* reshape = c.as<constraint::Reshape>(); reshape && !hasHole(reshape->sizes)) {
      DimStore& dims = c_.solution.dims;
      Dim product = dims.constant(1);
      for (const ShapePart& part : result) product = dims.mul(product, part.dim);
      std::string given = "size(" + operand(reshape->operand) + ")", wanted = dim(product);
      return given == wanted ? std::nullopt : std::optional(given + " == " + wanted);
    }
    std::string left = shape(result);
    if (!broadcast) return left + " == " + call(c);
    std::string first = operand(broadcast->left);
    return left + " == " + first + " # " + operand(broadcast->right);
  }

  std::vector<std::string> classes() {
    std::vector<std::string> out;
    for (std::uint32_t v : elemOrder_)
      if (c_.solution.elemVars[v].elemClass != ElemClass::any)
        out.push_back(elems_[v] + " : " + axle::name(c_.solution.elemVars[v].elemClass));
    return out;
  }

 private:
  // `parameters` are their names, or none.
  std::string function(const TypeTerm& t, const std::vector<std::string>& parameters) {
    std::string out = "(";
    for (std::size_t i = 0; i < t.parts.size(); ++i)
      out += (i ? ", " : "") + (parameters.empty() ? "" : parameters[i] + " : ") + resolved(t.parts[i]);
    for (std::size_t i = 0; i < t.statics.size(); ++i)
      out += (i ? ", " : "; ") + t.statics[i].name + " = " + value(t.statics[i].defaultValue);
    return out + ") -> " + resolved(t.result);
  }

  bool hasHole(StaticId list) {
    const StaticTerm sizes = c_.solution.types[c_.solution.resolve(list)];
    return std::any_of(sizes.items.begin(), sizes.items.end(), [&](StaticId item) {
      return c_.solution.types[c_.solution.resolve(item)].kind == StaticKind::hole;
    });
  }

  Dim single(const Term& t) {
    DimStore& dims = c_.solution.dims;
    return dims.rebuild({t}, [&](const Factor& f) { return dims.base(f); });
  }

  std::string list(const std::vector<TypeId>& parts) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + resolved(parts[i]);
    return out;
  }

  std::string tensor(const TypeTerm& t) {
    ElemTerm elem = c_.solution.resolve(t.elem);
    std::string out;
    if (elem.isVar) {
      if (!elems_.count(elem.var.index)) elemOrder_.push_back(elem.var.index);
      out = name(elems_, elem.var.index, c_.solution.elemVars[elem.var.index].name, "tuvwxyz");
    } else {
      out = info(elem.elem).name;
    }
    if (t.shape.empty()) return elem.isVar ? out + " []" : out;
    return out + " " + shape(t.shape);
  }

  std::string shape(const Shape& s) {
    std::string out;
    bool inDims = false;
    std::size_t pieces = 0;
    for (const ShapePart& part : s) {
      if (!part.isVar) {
        out += inDims ? ", " : pieces ? " @ [" : "[";
        if (!inDims) ++pieces;
        inDims = true;
        out += size(part.dim);
        continue;
      }
      if (inDims) out += "]";
      inDims = false;
      if (pieces++) out += " @ ";
      out += shapeVariable(part.var);
    }
    if (inDims) out += "]";
    return out.empty() ? "[]" : out;
  }

  std::string operand(const Shape& s) { return shape(c_.solution.resolve(s)); }
  std::string operand(Dim d) { return dim(d); }
  std::string operand(StaticId id) { return value(id); }
  template <class Other>
  std::string operand(const Other&) {
    return {};  // of no function
  }

  // Whether one more variable is printed as its definition. The text of definitions that use others twice would double
  // with each of them.
  bool mayExpand() {
    constexpr int deepest = 40, most = 1000;
    if (depth_ == 0) expansions_ = 0;
    return depth_ <= deepest && ++expansions_ <= most;
  }

  // A function of signatures that is open: `permute(s, perm)`.
  std::string call(const Constraint& c) {
    ++depth_;
    std::string out(nameOf(c));
    std::size_t index = 0;
    forEachOperand(c, [&](const auto& each) {
      if (index > 0) out += (index > 1 ? ", " : "(") + operand(each);
      ++index;
    });
    --depth_;
    return out + ")";
  }

  std::string shapeVariable(ShapeVar v) {
    auto it = definitions_.shapes.find(v.index);
    if (it == definitions_.shapes.end() || !mayExpand()) {
      const ShapeVarInfo& info = c_.solution.shapeVars[v.index];
      return (info.runtime ? "?" : "") + name(shapes_, v.index, info.name, "srpquv");
    }
    const Constraint& c = *it->second;
    if (!c.as<constraint::Broadcast>()) return call(c);
    ++depth_;
    std::string out;
    std::vector<std::string> operands;
    flatten(v, operands);
    for (std::size_t i = 0; i < operands.size(); ++i) out += (i ? " # " : "(") + operands[i];
    --depth_;
    return out + ")";
  }

  void flatten(ShapeVar v, std::vector<std::string>& into) {
    const auto& c = std::get<constraint::Broadcast>(definitions_.shapes.at(v.index)->is);
    for (const Shape* side : {&c.left, &c.right}) {
      Shape flat = c_.solution.resolve(*side);
      if (flat.size() == 1 && flat[0].isVar) {
        auto it = definitions_.shapes.find(flat[0].var.index);
        if (it != definitions_.shapes.end() && it->second->as<constraint::Broadcast>() && mayExpand()) {
          ++depth_;
          flatten(flat[0].var, into);
          --depth_;
          continue;
        }
      }
      std::string text = shape(flat);
      if (std::find(into.begin(), into.end(), text) == into.end()) into.push_back(std::move(text));
    }
  }

  std::string name(std::map<std::uint32_t, std::string>& names, std::uint32_t index, const std::string& given,
                   std::string_view letters) {
    if (auto it = names.find(index); it != names.end()) return it->second;
    std::string chosen = given;
    if (chosen.empty() || used_.count(chosen)) {
      auto letter =
          std::find_if(letters.begin(), letters.end(), [&](char ch) { return !used_.count(std::string(1, ch)); });
      if (letter != letters.end()) {
        chosen = std::string(1, *letter);
      } else {
        std::string base = given.empty() ? std::string(1, letters[0]) : given;
        int& last = lastNumbers_[base];
        do chosen = base + std::to_string(++last);
        while (used_.count(chosen));
      }
    }
    used_.insert(chosen);
    return names[index] = chosen;
  }

  Checked& c_;
  std::vector<Constraint> constraints_;
  Definitions definitions_;
  Shortener shortener_;
  std::map<std::uint32_t, std::string> types_, elems_, shapes_, dims_;
  std::vector<std::uint32_t> elemOrder_;
  std::set<std::string> used_;
  std::map<std::string, int> lastNumbers_;  // of the chosen names, by their part before the number
  int depth_ = 0;                           // of the definition that is printed, within others
  int expansions_ = 0;                      // since the outermost one
};

}  // namespace

namespace {

// Whether a size is known only at run time, so that callers cannot establish facts about it: the run checks them.
bool ofTheRun(Checked& c, Dim d) {
  OpenVariables v;
  collectVariables(c.solver, d, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.rigid && !info.universal;
  });
}

std::vector<Constraint> constraintsOf(Checked& c, const Scheme* scheme) {
  return scheme ? scheme->constraints : pendingConstraints(c.solver);
}

// The facts that hold wherever a type of the scheme is used.
std::vector<DimFact> factsOf(Checked& c, const Scheme* scheme) {
  std::vector<DimFact> out;
  if (!scheme) return out;
  out = scheme->stated;
  for (const Constraint& constraint : scheme->constraints) {
    auto fact = comparisonOf(constraint);
    if (fact && !ofTheRun(c, fact->left) && !ofTheRun(c, fact->right)) out.push_back(factOf(c, constraint));
  }
  return out;
}

}  // namespace

PrintedTypes printWithFacts(Checked& checked, const std::vector<TypeId>& types, const Scheme* scheme,
                            const std::vector<std::string>& parameters) {
  checked.solution.restartSteps();
  TypePrinter printer(checked, constraintsOf(checked, scheme), factsOf(checked, scheme));
  PrintedTypes out;
  for (TypeId type : types) out.types.push_back(printer.signature(type, parameters));
  auto push = [&](std::string text) {
    if (std::find(out.facts.begin(), out.facts.end(), text) == out.facts.end()) out.facts.push_back(std::move(text));
  };
  if (scheme) {
    for (const DimFact& fact : scheme->stated)
      if (fact.relation != FactRelation::eq ||
          checked.solution.resolve(fact.left) != checked.solution.resolve(fact.right))
        push(printer.fact(fact));
    for (const Constraint& c : scheme->constraints) {
      if (auto text = printer.relation(c)) push(std::move(*text));
      auto fact = comparisonOf(c);
      if (!fact || ofTheRun(checked, fact->left) || ofTheRun(checked, fact->right)) continue;
      push(printer.fact(factOf(checked, c)));
    }
  }
  for (std::string& text : printer.classes()) out.facts.push_back(std::move(text));
  return out;
}

std::string printScheme(Checked& checked, TypeId type, const Scheme* scheme,
                        const std::vector<std::string>& parameters) {
  PrintedTypes printed = printWithFacts(checked, {type}, scheme, parameters);
  std::string out = printed.types.front();
  for (std::size_t i = 0; i < printed.facts.size(); ++i) out += (i ? ", " : " where ") + printed.facts[i];
  return out;
}

std::string printType(Checked& checked, TypeId type, const std::vector<DimFact>& facts) {
  return TypePrinter(checked, pendingConstraints(checked.solver), facts).type(type);
}

std::string printShape(Checked& checked, const Shape& shape) {
  return TypePrinter(checked, pendingConstraints(checked.solver), {}).shapeAlone(shape);
}

std::vector<std::string> printTypes(Checked& checked, const std::vector<TypeId>& types) {
  TypePrinter printer(checked, pendingConstraints(checked.solver), {});
  std::vector<std::string> texts;
  for (TypeId type : types) texts.push_back(printer.type(type));
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
