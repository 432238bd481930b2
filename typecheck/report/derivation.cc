#include "typecheck/report/derivation.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/checked.h"

namespace axle {

namespace {

class Deriver {
 public:
  explicit Deriver(Checked& c) : c_(c) {}

  void part(const ShapePart& part) {
    if (part.isVar) {
      const ShapeVarInfo& info = c_.solution.shapeVars[part.var.index];
      reason(info.boundWhy, info.name.empty() ? "the rank" : fmt::format("`{}`", info.name));
      return;
    }
    origin(part.origin, c_.solution.printSize(c_.solution.resolve(part.dim)));
    size(part.dim);
  }

  // Adds what the variables of a size were bound to, and, recursively, the variables of that.
  void size(Dim d) {
    std::span<const DimVar> of = c_.solution.dims.variables(d);
    for (DimVar v : std::vector<DimVar>(of.begin(), of.end())) {
      constexpr std::size_t most = 24;
      if (!seen_.insert(v.index).second || steps.size() >= most) continue;
      const DimVarInfo info = c_.solution.dimVars[v.index];
      if (!info.binding) {
        if (info.origin.index) origin(info.origin, c_.solution.printSize(c_.solution.dims.variable(v)));
        continue;
      }
      std::string is = c_.solution.printSize(c_.solution.resolve(*info.binding));
      const std::string& name = c_.solution.dims.name(v);
      reason(info.boundWhy, name.empty() ? std::string("the size") : fmt::format("its `{}`", name), is);
      for (OriginId from : {info.boundVia, info.boundBy}) origin(from, is);
      size(*info.binding);
    }
  }

  // Adds the proved facts about these sizes.
  void facts(const std::string& name) {
    for (const FunctionFacts& function : functionFacts(c_)) {
      if (function.name != name) continue;
      for (const auto& [text, proved] : function.proved)
        if (mentionsSeen(proved.fact))
          steps.push_back({fmt::format("{}: {}", text, proved.fact.reason), placeOf(proved.fact), {}, {}, proved.tier});
    }
  }

  std::vector<DerivationStep> steps;

 private:
  static std::optional<Span> placeOf(const DimFact& fact) {
    return fact.places.empty() ? std::nullopt : std::optional(fact.places.front());
  }

  bool mentionsSeen(const DimFact& fact) const {
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : c_.solution.dims.variables(side))
        if (seen_.count(v.index)) return true;
    return false;
  }

  void add(DerivationStep step) {
    bool isKnown = std::any_of(steps.begin(), steps.end(), [&](const DerivationStep& s) {
      return s.place == step.place && s.text == step.text && s.node == step.node;
    });
    if (!isKnown) steps.push_back(std::move(step));
  }

  void origin(OriginId id, const std::string& is) {
    if (!id.index) return;
    const Origin& from = c_.provenance[id];
    if (!from.file.empty()) return add({fmt::format("the tensor has {}", is), std::nullopt, from.file, from.node, {}});
    std::string owner = ownerOf(c_, from);
    std::string text = from.written ? written(c_.sources.text(from.span), is) : fmt::format("{} comes from here", is);
    if (!owner.empty()) text += fmt::format(", of `{}`", owner);
    add({std::move(text), from.span, {}, {}, {}});
  }

  // The step for a size that is written at its origin, maybe as a name or an expression.
  static std::string written(std::string_view text, const std::string& is) {
    constexpr std::size_t longest = 24;
    if (text == is || text.size() > longest || text.find('\n') != text.npos)
      return fmt::format("{} is written here", is);
    return fmt::format("{} is written here as `{}`", is, text);
  }

  void reason(ReasonId id, const std::string& what, const std::string& is = {}) {
    for (bool isInner = false; id.index; id = c_.provenance[id].within, isInner = true) {
      const Reason& why = c_.provenance[id];
      std::string subject = why.subject.empty() ? "this" : why.subject;
      std::string told = is.empty() ? what : fmt::format("{} is {}", what, is);
      const char* by = is.empty() ? "" : " (unification)";
      if (isInner)
        add({fmt::format("within {}", subject), why.span, {}, {}, {}});
      else
        add({fmt::format("{}: {}{}", subject, told, by), why.span, {}, {}, {}});
    }
  }

  Checked& c_;
  std::set<std::uint32_t> seen_;
};

}  // namespace

std::optional<Derivation> derivation(Checked& c, const std::string& name, BindingId binding,
                                     std::optional<std::int64_t> axis) {
  Deriver deriver(c);
  TypeId id = c.program[binding].type;
  while (c.solution.types[id].kind == TypeKind::var) {
    auto next = c.solution.typeVars[c.solution.types[id].var.index].binding;
    if (!next) return std::nullopt;
    id = *next;
  }
  const TypeTerm type = c.solution.types[id];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  const Shape shape = c.solution.flatten(type.shape);
  Derivation out;
  if (!axis) {
    out.what = printType(c, id);
    for (const ShapePart& part : shape) deriver.part(part);
  } else {
    bool isKnown = std::none_of(shape.begin(), shape.end(), [](const ShapePart& part) { return part.isVar; });
    std::int64_t at = *axis < 0 ? *axis + static_cast<std::int64_t>(shape.size()) : *axis;
    if (!isKnown || at < 0 || at >= static_cast<std::int64_t>(shape.size())) return std::nullopt;
    const ShapePart& part = shape[static_cast<std::size_t>(at)];
    out.what = c.solution.printSize(c.solution.resolve(part.dim));
    deriver.part(part);
  }
  deriver.facts(name);
  out.steps = std::move(deriver.steps);
  return out;
}

}  // namespace axle
