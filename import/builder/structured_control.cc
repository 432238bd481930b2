#include "import/builder/structured_control.h"

#include "import/builder/control_shapes.h"

namespace axle {

bool defineOpaque(GraphTyper& typer, TypedId open, TypedId value, const std::string& name, Span at,
                  const std::string& subject) {
  if (!open || !typer.isOpaque(open)) return false;
  if (!typer.unify(typer.typeOf(open), typer.typeOf(value), at, subject)) return false;
  typer.redefine(open, typer.bind(name, value, at).front());
  return true;
}

std::vector<TypedId> defineLoop(GraphTyper& typer, const std::string& name, TypedId condition,
                                std::span<const LoopValue> values, Span at) {
  std::vector<TypedId> states, next, starts;
  for (const LoopValue& value : values) {
    if (!value.start || !value.next || !typer.isOpaque(value.state)) return {};
    if (!haveSameShape(typer, value.start, value.next)) return {};
    for (TypedId its : {value.state, value.next})
      if (!typer.unify(typer.typeOf(value.start), typer.typeOf(its), at, "the loop")) return {};
    states.push_back(value.state);
    next.push_back(value.next);
    starts.push_back(value.start);
  }
  return typer.loop(name, states, condition, std::move(next), std::move(starts), at);
}

bool canSelect(GraphTyper& typer, TypedId selector) {
  if (!selector) return false;
  const TypeTerm type = typer.solution().types[typer.typeOf(selector)];
  return type.kind == TypeKind::tensor && typer.solution().flatten(type.shape).empty() && !type.elem.isVar;
}

TypedId selectCase(GraphTyper& typer, const std::string& name, TypedId selector, std::optional<std::size_t> selected,
                   std::span<const TypedId> cases, Span at) {
  if (selected) return cases[*selected];
  const Elem elem = typer.solution().types[typer.typeOf(selector)].elem.elem;
  TypedId value = cases.back();
  for (std::size_t k = cases.size() - 1; value && k-- > 0;) {
    std::optional<TypedId> isOther = selector;
    if (elem != Elem::boolean)
      isOther = typer.apply("!=", at, {selector, typer.literal(static_cast<double>(k), elem, at)}, {});
    const bool fits = isOther && haveSameShape(typer, cases[k], value);
    value = fits ? typer.branch(name, *isOther, value, cases[k], at) : TypedId();
  }
  return value;
}

}  // namespace axle
