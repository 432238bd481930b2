// Prints types as users write them: each variable of a line has one name, and a shape computed by a function is printed
// as the function. Internal to print.cc.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dims/print.h"
#include "typecheck/checked.h"
#include "typecheck/report/definitions.h"
#include "typecheck/report/needed_equations.h"
#include "typecheck/report/shorten.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {

class TypePrinter : private ShownVariables {
 public:
  // Sizes are shortened under the facts.
  TypePrinter(Checked& c, std::vector<Constraint> constraints, std::vector<DimFact> facts)
      : c_(c),
        constraints_(std::move(constraints)),
        definitions_(definitionsAmong(c, constraints_)),
        equations_(c, constraints_),
        facts_(std::move(facts)),
        shortener_(c.solver, facts_) {}

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
    if (t.kind != TypeKind::function || t.parts.size() != parameters.size()) return type(id);
    parameters_ = {parameters.begin(), parameters.end()};
    return function(t, parameters);
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
    std::string text = dim(shorter);
    if (c_.solution.kindOf(shorter) != DimKind::streamed) return text;
    return c_.solution.dims.asVariable(shorter) ? "~" + text : "~(" + text + ")";
  }

  std::function<std::string(DimVar)> naming() {
    return [this](DimVar v) -> std::string {
      if (auto it = definitions_.dims.find(v.index); it != definitions_.dims.end() && mayExpand())
        return call(*it->second);
      const std::string& given = c_.solution.dims.name(v);
      const DimVarInfo& info = c_.solution.dimVars[v.index];
      const std::string_view letters = info.kind == DimKind::ragged ? "lmnopq" : "nmkhwcdbijpqrs";
      const bool isKept = info.named || (info.rigid && !info.universal);  // `?k` is its own in each fact of the run
      return c_.solution.markedName(v, name(dims_, v.index, given, letters, isKept));
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
        return nameOf(t.var);
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

  // Open functions of shapes that are not shown otherwise: `s # r == s`, `size(s) == 24`. Call it after the types.
  std::vector<std::string> functions() {
    std::vector<std::string> out, notShown, sizes;
    for (const Constraint& c : constraints_)
      if (auto text = relation(c)) (text->starts_with("size(") ? sizes : out).push_back(std::move(*text));
    std::ranges::move(sizes, std::back_inserter(out));
    // A definition that is used by a later one is shown by that.
    for (auto c = constraints_.rbegin(); c != constraints_.rend(); ++c)
      if (auto text = definition(*c)) notShown.push_back(std::move(*text));
    out.insert(out.end(), notShown.rbegin(), notShown.rend());
    return out;
  }

  // The variables that are printed.
  Shared printed() const {
    Shared out;
    for (const auto& [v, name] : shapes_) out.shapes.insert(v);
    for (const auto& [v, place] : places_) out.dims.insert(v);
    return out;
  }

  // The sizes that have names by now, or are printed as what they are a result of.
  std::set<std::uint32_t> sizes() const {
    std::set<std::uint32_t> out;
    for (const auto& [v, name] : dims_) out.insert(v);
    for (const auto& [v, definition] : definitions_.dims) out.insert(v);
    return out;
  }

  // Open equations of shapes, `[k] @ s == s @ [m]`, that say something about what is printed. Call it last;
  // `inTypes` was printed after the types.
  std::vector<std::pair<Shape, Shape>> needed(const Shared& inTypes) {
    return neededEquations(c_, constraints_, facts_, printed(), inTypes);
  }
  // The shorter side first, unless the text gives variables their names, which they get from left to right.
  std::string equation(const std::pair<Shape, Shape>& sides) {
    const std::size_t named = shapes_.size() + dims_.size();
    std::string left = parts(sides.first), right = parts(sides.second);
    const bool givesNames = shapes_.size() + dims_.size() > named;
    const bool isInOrder = std::tuple(left.size(), left) <= std::tuple(right.size(), right);
    return givesNames || isInOrder ? left + " == " + right : right + " == " + left;
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
    nameStatics(t);
    std::string out = "(";
    for (std::size_t i = 0; i < t.parts.size(); ++i)
      out += (i ? ", " : "") + (parameters.empty() ? "" : parameters[i] + " : ") + resolved(t.parts[i]);
    for (std::size_t i = 0; i < t.statics.size(); ++i)
      out += (i ? ", " : "; ") + t.statics[i].name + " = " + value(t.statics[i].defaultValue);
    return out + ") -> " + resolved(t.result);
  }

  // Gives what is open of the static parameters their names, `k` and `stride[0]`, before anything else has these.
  void nameStatics(const TypeTerm& function) {
    auto nameDim = [&](StaticId value, const std::string& name) {
      const StaticTerm& term = c_.solution.types[c_.solution.resolve(value)];
      if (term.kind != StaticKind::dim) return;
      if (const auto v = c_.solution.dims.asVariable(c_.solution.resolve(term.dim))) dims_.try_emplace(v->index, name);
    };
    for (const StaticField& field : function.statics) {
      used_.insert(field.name);
      nameDim(field.value, field.name);
      const StaticTerm& term = c_.solution.types[c_.solution.resolve(field.value)];
      if (term.kind == StaticKind::var) statics_.try_emplace(term.var.index, field.name);
      for (std::size_t i = 0; i < term.items.size(); ++i) nameDim(term.items[i], fmt::format("{}[{}]", field.name, i));
    }
  }
  std::string nameOf(StaticVar v) const {
    const auto found = statics_.find(v.index);
    return found != statics_.end() ? found->second : c_.solution.staticVars[v.index].name;
  }

  bool isShown(DimVar v) const override { return places_.count(v.index) > 0; }
  bool isShown(ShapeVar v) const override { return shapes_.count(v.index) > 0; }

  // A function of shapes or `#` that no type shows, and that asks something of its operands.
  std::optional<std::string> definition(const Constraint& c) {
    const Shape* defined = asksOfOperand(c_, c) ? resultOf<Shape>(c) : nullptr;
    const Shape result = defined ? c_.solution.resolve(*defined) : Shape();
    if (result.size() != 1 || !result[0].isVar || shown_.count(&c)) return std::nullopt;
    const auto it = definitions_.shapes.find(result[0].var.index);
    if (it == definitions_.shapes.end() || it->second != &c) return std::nullopt;
    const auto* broadcast = c.as<constraint::Broadcast>();
    if (broadcast && isWithinAnother(*broadcast)) return std::nullopt;
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
    std::set<std::string> operands[2];
    for (const Constraint* c : {&a, &b}) {
      const auto* broadcast = c->as<constraint::Broadcast>();
      if (!broadcast) return false;
      std::vector<BroadcastOperand> of;
      flatten(*broadcast, of);
      operands[c == &b] = texts(of);
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
      std::vector<BroadcastOperand> operands;
      flatten(*broadcast, operands);
      // Two sizes that meet only once an open shape is known stand behind it, so that they are not equated before.
      const auto ends = std::ranges::count_if(operands, &BroadcastOperand::endsWithSize);
      if (ends > 1) std::ranges::stable_partition(operands, [](const auto& each) { return !each.endsWithSize; });
      for (const BroadcastOperand& each : operands) out += (out.empty() ? "" : " # ") + each.text;
      broadcasts_.push_back(texts(operands));
    } else if (const auto* transposed = c.as<constraint::ConvTransposeOut>()) {
      out = windowCall(c, *transposed) + ", " + ofAxis(transposed->sizes, transposed->axis) + ")";
    } else if (const auto* window = c.as<constraint::ConvOut>()) {
      out = windowCall(c, *window) + ")";
    } else {
      out = axle::nameOf(c);
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

  // Without what is behind the dilation.
  std::string windowCall(const Constraint& c, const constraint::Window& window) {
    std::string out(axle::nameOf(c));
    out += "(" + dim(window.image) + ", " + dim(window.window) + ", " + value(window.stride);
    return out + ", " + ofAxis(window.padding, window.axis) + ", " + value(window.dilation);
  }

  // What a list of all axes has for one: `padding[1]`, `[0, 2]`. A word is for all of them.
  std::string ofAxis(StaticId of, std::size_t axis) {
    const StaticTerm& term = c_.solution.types[c_.solution.resolve(of)];
    if (term.kind == StaticKind::var) return fmt::format("{}[{}]", nameOf(term.var), axis);
    return value(term.kind == StaticKind::list && axis < term.items.size() ? term.items[axis] : of);
  }

  std::string ownName(ShapeVar v) {
    const ShapeVarInfo& info = c_.solution.shapeVars[v.index];
    return (info.runtime ? "?" : "") + name(shapes_, v.index, info.name, "srpquv", info.named);
  }

  std::string shapeVariable(ShapeVar v) {
    auto it = definitions_.shapes.find(v.index);
    if (it == definitions_.shapes.end() || !mayExpand()) return ownName(v);
    const std::string text = call(*it->second);
    return it->second->as<constraint::Broadcast>() ? "(" + text + ")" : text;
  }

  struct BroadcastOperand {
    std::string text;
    bool endsWithSize;
  };
  static std::set<std::string> texts(const std::vector<BroadcastOperand>& operands) {
    std::set<std::string> out;
    for (const BroadcastOperand& each : operands) out.insert(each.text);
    return out;
  }
  // Whether a broadcast of these shapes and more is printed: it asks as much of them.
  bool isWithinAnother(const constraint::Broadcast& broadcast) {
    const auto shown = shown_;
    std::vector<BroadcastOperand> operands;
    flatten(broadcast, operands);
    shown_ = shown;
    const std::set<std::string> own = texts(operands);
    return std::ranges::any_of(broadcasts_, [&](const auto& each) { return std::ranges::includes(each, own); });
  }
  void flatten(const constraint::Broadcast& c, std::vector<BroadcastOperand>& into) {
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
      const Shape shown = equations_.shown(flat, *this);
      const std::string text = parts(shown);
      const bool endsWithSize = !shown.empty() && !shown.back().isVar;
      if (std::ranges::none_of(into, [&](const BroadcastOperand& each) { return each.text == text; }))
        into.push_back({text, endsWithSize});
    }
  }

  // Names that may be chosen are none of a parameter's.
  std::string name(std::map<std::uint32_t, std::string>& names, std::uint32_t index, const std::string& given,
                   std::string_view letters, bool isKept = false) {
    if (auto it = names.find(index); it != names.end()) return it->second;
    auto isTaken = [&](const std::string& one) { return used_.count(one) || parameters_.count(one); };
    std::string chosen = given;
    if (chosen.empty() || (isKept ? used_.count(chosen) > 0 : isTaken(chosen))) {
      auto letter = std::find_if(letters.begin(), letters.end(), [&](char ch) { return !isTaken(std::string(1, ch)); });
      if (letter != letters.end()) {
        chosen = std::string(1, *letter);
      } else {
        std::string base = given.empty() ? std::string(1, letters[0]) : given;
        int& last = lastNumbers_[base];
        do chosen = base + std::to_string(++last);
        while (isTaken(chosen));
      }
    }
    used_.insert(chosen);
    return names[index] = chosen;
  }

  Checked& c_;
  std::vector<Constraint> constraints_;
  Definitions definitions_;
  Equations equations_;
  std::vector<DimFact> facts_;
  Shortener shortener_;
  std::map<std::uint32_t, std::string> types_, elems_, shapes_, dims_, statics_;
  std::map<std::uint32_t, std::size_t> places_;  // of sizes, among those that are printed
  std::vector<std::uint32_t> elemOrder_;
  std::set<std::string> used_, parameters_;
  std::map<std::string, int> lastNumbers_;         // of the chosen names, by their part before the number
  std::set<std::string> asked_;                    // definitions that are printed as facts
  std::vector<std::set<std::string>> broadcasts_;  // the operands of those that are printed
  std::set<const Constraint*> shown_;              // those whose results are printed as functions of their operands
  int depth_ = 0;                                  // of the definition that is printed, within others
  int expansions_ = 0;                             // since the outermost one
};

}  // namespace axle
