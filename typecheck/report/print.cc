// Prints types as users write them: each variable of a line has one name, and a shape computed by a function is printed
// as the function.
#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "dims/print.h"
#include "typecheck/checked.h"
#include "typecheck/report/definitions.h"
#include "typecheck/report/implied_constraints.h"
#include "typecheck/report/implied_facts.h"
#include "typecheck/report/needed_equations.h"
#include "typecheck/report/printed.h"
#include "typecheck/report/scheme_facts.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

class TypePrinter : private ShownVariables {
 public:
  // Sizes are shortened under the facts.
  TypePrinter(Checked& c, std::vector<Constraint> constraints, std::vector<DimFact> facts)
      : c_(c),
        constraints_(std::move(constraints)),
        definitions_(definitionsAmong(c, constraints_)),
        equations_(c, constraints_),
        shortener_(c.solution, std::move(facts)) {}

  const std::vector<Constraint>& constraints() const { return constraints_; }

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
  std::string dim(Dim d) {
    d = c_.solution.resolve(d);
    arrange(d);
    return printDim(c_.solution.dims, d, naming(), order());
  }
  std::string size(Dim d) {
    const Dim known = equations_.shown(c_.solution.resolve(d), *this);
    const Dim shorter = shortener_.size(known, [&](Dim one) { return c_.solution.dims.print(one); });
    const std::string text = dim(shorter);
    if (c_.solution.kindOf(shorter) != DimKind::streamed) return text;
    return c_.solution.dims.asVariable(shorter) ? "~" + text : "~(" + text + ")";
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

  // In sums and products, variables stand in the order in which they are printed first. Of those that one size has
  // first, a user's names stand as they are written, then others by name: how a size was inferred changes nothing.
  VariableOrder order() {
    return [this](DimVar a, DimVar b) { return places_.at(a.index) < places_.at(b.index); };
  }
  void arrange(Dim d) {
    using Key = std::tuple<bool, std::uint32_t, std::string, std::uint32_t>;
    std::vector<Key> added;
    const auto inside = c_.solution.dims.variables(d);
    for (DimVar v : std::vector<DimVar>(inside.begin(), inside.end())) {
      const bool isNamed = c_.solution.dimVars[v.index].named;
      if (!isShown(v)) added.emplace_back(!isNamed, isNamed ? v.index : 0, naming()(v), v.index);
    }
    std::sort(added.begin(), added.end());
    for (const Key& key : added) places_.emplace(std::get<3>(key), places_.size());
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

  std::string fact(Dim left, FactRelation relation, Dim right, bool asStated) {
    DimComparison shown{c_.solution.resolve(left), relation, c_.solution.resolve(right)};
    if (!asStated) shown = withPositiveSides(c_.solver, shown);
    if (relation == FactRelation::eq && !asStated)
      if (auto rest = shortener_.remainder(c_.solution.dims.sub(shown.left, shown.right)))
        shown = {*rest, relation, c_.solution.dims.constant(0)};
    return dim(shown.left) + " " + spelling(shown.relation) + " " + dim(shown.right);
  }

  // Open functions of shapes that are not shown otherwise: `size(s) == 24`, `s # r == s`. Call it after the types.
  std::vector<std::string> functions() {
    std::vector<std::string> out, notShown;
    for (const Constraint& c : constraints_)
      if (auto text = relation(c)) out.push_back(std::move(*text));
    // A definition that is used by a later one is shown by that.
    for (auto c = constraints_.rbegin(); c != constraints_.rend(); ++c)
      if (auto text = definition(*c)) notShown.push_back(std::move(*text));
    out.insert(out.end(), notShown.rbegin(), notShown.rend());
    return out;
  }

  // Open equations of shapes, `[k] @ s == s @ [m]`, that say something about what is printed. Call it last.
  std::vector<std::string> equations() {
    std::vector<std::string> out;
    for (const auto& [left, right] : neededEquations(c_, constraints_, printed()))
      out.push_back(parts(left) + " == " + parts(right));
    return out;
  }

  // Whether an equation of sizes says something about what is printed, or about other equations.
  bool isNeeded(const Constraint& c) { return equations_.isNeeded(c, *this); }

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

  bool isShown(DimVar v) const override { return places_.count(v.index) > 0; }
  bool isShown(ShapeVar v) const override { return shapes_.count(v.index) > 0; }

  Shared printed() const {
    Shared out;
    for (const auto& [v, name] : shapes_) out.shapes.insert(v);
    for (const auto& [v, place] : places_) out.dims.insert(v);
    return out;
  }

  // A function of shapes or `#` that no type shows, and that asks something of its operands.
  std::optional<std::string> definition(const Constraint& c) {
    const Shape* defined = asksOfOperand(c_, c) ? resultOf<Shape>(c) : nullptr;
    const Shape result = defined ? c_.solution.resolve(*defined) : Shape();
    if (result.size() != 1 || !result[0].isVar || shown_.count(&c)) return std::nullopt;
    const auto it = definitions_.shapes.find(result[0].var.index);
    if (it == definitions_.shapes.end() || it->second != &c) return std::nullopt;
    const std::string text = call(c);
    return asked_.insert(text).second ? std::optional(text + " == " + ownName(result[0].var)) : std::nullopt;
  }

  // An open function whose result is shown in another way than as its result.
  std::optional<std::string> relation(const Constraint& c) {
    const bool isFunction = c.as<constraint::Broadcast>() || roleOf(c) == ConstraintRole::function;
    if (!isFunction || c.as<constraint::Einsum>()) return std::nullopt;
    const Shape* defined = resultOf<Shape>(c);
    if (!defined) {
      const Dim* size = resultOf<Dim>(c);
      const auto v = size ? c_.solution.dims.asVariable(c_.solution.resolve(*size)) : std::nullopt;
      const auto it = v ? definitions_.dims.find(v->index) : definitions_.dims.end();
      if (!size || (it != definitions_.dims.end() && it->second == &c)) return std::nullopt;
      return equation(call(c), dim(*size));
    }
    Shape result = c_.solution.resolve(*defined);
    if (result.size() == 1 && result[0].isVar) {
      const auto it = definitions_.shapes.find(result[0].var.index);
      if (it != definitions_.shapes.end() && (it->second == &c || isSameBroadcast(*it->second, c))) return std::nullopt;
    }
    if (const auto* reshape = c.as<constraint::Reshape>();
        reshape && !hasHole(c_.solution, reshape->sizes) &&
        std::ranges::none_of(result, [](const ShapePart& part) { return part.isVar; })) {
      DimStore& dims = c_.solution.dims;
      Dim product = dims.constant(1);
      for (const ShapePart& part : result) product = dims.mul(product, part.dim);
      return equation("size(" + operand(reshape->operand) + ")", dim(product));
    }
    const std::string shown = shape(result);
    const std::string text = call(c);
    return shown == "(" + text + ")" ? std::nullopt : equation(text, shown);
  }

  // `s # r` and `r # s`
  bool isSameBroadcast(const Constraint& a, const Constraint& b) {
    const auto shown = shown_;
    std::multiset<std::string> operands[2];
    for (const Constraint* c : {&a, &b}) {
      const auto* broadcast = c->as<constraint::Broadcast>();
      if (!broadcast) return false;
      std::vector<std::string> of;
      flatten(*broadcast, of);
      operands[c == &b].insert(of.begin(), of.end());
    }
    shown_ = shown;
    return operands[0] == operands[1];
  }

  static std::optional<std::string> equation(const std::string& left, const std::string& right) {
    return left == right ? std::nullopt : std::optional(left + " == " + right);
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

  std::string shape(const Shape& s) { return parts(equations_.shown(s, *this)); }
  std::string parts(const Shape& s) {
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

  // A function of signatures that is open: `permute(s, perm)`, `s # r`.
  std::string call(const Constraint& c) {
    shown_.insert(&c);
    ++depth_;
    std::string out;
    if (const auto* broadcast = c.as<constraint::Broadcast>()) {
      std::vector<std::string> operands;
      flatten(*broadcast, operands);
      for (std::size_t i = 0; i < operands.size(); ++i) out += (i ? " # " : "") + operands[i];
    } else {
      out = nameOf(c);
      std::size_t index = 0;
      forEachOperand(c, [&](const auto& each) {
        const std::string text = index > 0 ? operand(each) : std::string();
        const bool isDefault = c.as<constraint::Pad>() && text == "\"constant\"";
        if (index > 0 && !isDefault) out += (index > 1 ? ", " : "(") + text;
        ++index;
      });
      out += ")";
    }
    --depth_;
    return out;
  }

  std::string ownName(ShapeVar v) {
    const ShapeVarInfo& info = c_.solution.shapeVars[v.index];
    return (info.runtime ? "?" : "") + name(shapes_, v.index, info.name, "srpquv");
  }

  std::string shapeVariable(ShapeVar v) {
    auto it = definitions_.shapes.find(v.index);
    if (it == definitions_.shapes.end() || !mayExpand()) return ownName(v);
    const std::string text = call(*it->second);
    return it->second->as<constraint::Broadcast>() ? "(" + text + ")" : text;
  }

  void flatten(const constraint::Broadcast& c, std::vector<std::string>& into) {
    for (const Shape* side : {&c.left, &c.right}) {
      Shape flat = c_.solution.resolve(*side);
      if (flat.size() == 1 && flat[0].isVar) {
        auto it = definitions_.shapes.find(flat[0].var.index);
        if (it != definitions_.shapes.end() && it->second->as<constraint::Broadcast>() && mayExpand()) {
          shown_.insert(it->second);
          ++depth_;
          flatten(std::get<constraint::Broadcast>(it->second->is), into);
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
  Equations equations_;
  Shortener shortener_;
  std::map<std::uint32_t, std::string> types_, elems_, shapes_, dims_;
  std::map<std::uint32_t, std::size_t> places_;  // of sizes, among those that are printed
  std::vector<std::uint32_t> elemOrder_;
  std::set<std::string> used_;
  std::map<std::string, int> lastNumbers_;  // of the chosen names, by their part before the number
  std::set<std::string> asked_;             // definitions that are printed as facts
  std::set<const Constraint*> shown_;       // those whose results are printed as functions of their operands
  int depth_ = 0;                           // of the definition that is printed, within others
  int expansions_ = 0;                      // since the outermost one
};

std::vector<Constraint> constraintsOf(Checked& c, const Scheme* scheme) {
  return scheme ? scheme->constraints : pendingConstraints(c.solver);
}

}  // namespace

PrintedTypes printWithFacts(Checked& checked, const std::vector<TypeId>& types, const Scheme* scheme,
                            const std::vector<std::string>& parameters) {
  checked.solution.restartSteps();
  std::vector<Constraint> said = scheme ? withoutImplied(checked, *scheme, types) : pendingConstraints(checked.solver);
  TypePrinter printer(checked, std::move(said), factsOf(checked, scheme));
  PrintedTypes out;
  for (TypeId type : types) out.types.push_back(printer.signature(type, parameters));
  if (scheme) {
    const std::vector<Constraint>& constraints = printer.constraints();
    std::vector<std::string> stated, functions = printer.functions(), open(constraints.size());
    std::set<std::string> known;  // stated facts as open ones are printed
    for (const DimFact& fact : withoutImplied(checked.solver, factsOf(checked, scheme))) {
      const bool isSame = checked.solution.resolve(fact.left) == checked.solution.resolve(fact.right);
      if (!fact.stated || (fact.relation == FactRelation::eq && isSame)) continue;
      stated.push_back(printer.fact(fact));
      if (!fact.stretch) known.insert(printer.fact(fact.left, fact.relation, fact.right, false));
    }
    for (const bool isEquation : {false, true})
      for (std::size_t i = 0; i < constraints.size(); ++i) {
        const auto fact = comparisonOf(constraints[i]);
        if (!fact || (fact->relation == FactRelation::eq) != isEquation) continue;
        const bool isOfTheRun = ofTheRun(checked, fact->left) || ofTheRun(checked, fact->right);
        if (isOfTheRun || (isEquation && !printer.isNeeded(constraints[i]))) continue;
        std::string text = printer.fact(factOf(checked, constraints[i]));
        if (!known.count(text)) open[i] = std::move(text);
      }
    for (const auto& texts : {printer.equations(), functions, stated, open})
      for (const std::string& text : texts)
        if (!text.empty() && std::find(out.facts.begin(), out.facts.end(), text) == out.facts.end())
          out.facts.push_back(text);
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
