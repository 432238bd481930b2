// Control flow: branches, and loops of both generations.
#include <algorithm>

#include "ir/import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {

// ---- what the cases share

OutletFact Analysis::opaque(const std::string& name, Type type, Shape shape, Span at) {
  OutletFact fact;
  fact.type = type;
  if (elementOf(type)) fact.value = typer_.opaque(name, typeFor(type, std::move(shape), at), at);
  return fact;
}

OutletFact Analysis::scalar(const std::string& name, Type type, std::optional<Dim> value, Span at) {
  OutletFact fact = opaque(name, type, {}, at);
  if (value) fact.known = Known::scalar(*value);
  return fact;
}

// Of a tensor whose rank is known; without the parts of a complex one.
std::optional<Shape> Analysis::resolvedShape(const OutletFact& fact) {
  if (!fact.value) return std::nullopt;
  const TypeTerm& type = typer_.solution().types[typer_.typeOf(fact.value)];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  if (std::any_of(type.shape.begin(), type.shape.end(), [](const ShapePart& p) { return p.isVar; }))
    return std::nullopt;
  Shape shape = type.shape;
  if (isComplex(fact.type) && !shape.empty()) shape.pop_back();
  return shape;
}

OutletFact Analysis::join(const std::vector<OutletFact>& cases, const std::string& name, Span at) {
  const OutletFact& first = cases.front();
  if (cases.size() == 1 || !first.value) return first;
  Shape joined;
  auto shape = resolvedShape(first);
  bool same = shape.has_value();
  if (!shape) return opaque(name, first.type, typer_.unknownShape("s"), at);
  for (const OutletFact& other : cases) {
    auto its = resolvedShape(other);
    if (!its || its->size() != shape->size()) return opaque(name, first.type, typer_.unknownShape("s"), at);
    for (std::size_t i = 0; i < its->size(); ++i)
      if ((*its)[i].dim != (*shape)[i].dim) {
        same = false;
        (*shape)[i] = ShapePart::of(typer_.unknownSize("d"));
      }
  }
  OutletFact fact = opaque(name, first.type, *shape, at);
  if (same && first.known && std::all_of(cases.begin(), cases.end(), [&](const OutletFact& c) {
        return c.known && c.known->shape == first.known->shape && c.known->elements == first.known->elements;
      }))
    fact.known = first.known;
  return fact;
}

// ---- functions as branches

Outcome Analysis::branch(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const Node& node = n.node;
  Span at = n.places.op;
  std::vector<const FunctionName*> branches;
  if (auto condition = n.number(0)) {
    branches = {node.get<FunctionName>(*condition ? "then_branch" : "else_branch")};
  } else {
    branches = {node.get<FunctionName>("then_branch"), node.get<FunctionName>("else_branch")};
  }
  std::vector<Made> results;
  for (const FunctionName* f : branches) {
    if (!f || !f->id) return Outcome::unknown;
    Made arguments;
    for (std::size_t i = 1; i < n.count(); ++i) arguments.push_back(n.fact(i));
    auto result = follow(frame, id, *f->id, f->attributes, std::move(arguments));
    if (!result) return Outcome::unknown;
    results.push_back(std::move(*result));
  }
  for (std::size_t port = 0; port < results[0].size(); ++port) {
    std::vector<OutletFact> cases;
    for (const Made& result : results)
      if (port < result.size()) cases.push_back(result[port]);
    made.push_back(join(cases, frame.prefix + node.name, at));
  }
  return Outcome::done;
}

Outcome Analysis::caseOf(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const auto* branches = n.node.get<Values>("branches");
  if (!branches || branches->empty()) return Outcome::unknown;
  std::vector<Made> results;
  for (const Value& value : *branches) {
    const auto* f = std::get_if<FunctionName>(&value);
    if (!f || !f->id) return Outcome::unknown;
    Made arguments;
    for (std::size_t i = 1; i < n.count(); ++i) arguments.push_back(n.fact(i));
    auto result = follow(frame, id, *f->id, f->attributes, std::move(arguments));
    if (!result) return Outcome::unknown;
    results.push_back(std::move(*result));
  }
  for (std::size_t port = 0; port < results[0].size(); ++port) {
    std::vector<OutletFact> cases;
    for (const Made& result : results)
      if (port < result.size()) cases.push_back(result[port]);
    made.push_back(join(cases, frame.prefix + n.node.name, n.places.op));
  }
  return Outcome::done;
}

// ---- loops

// Each size is one of its own while the loop's body is followed: it may change from turn to turn.
OutletFact Analysis::loopState(const OutletFact& start, const PartialShape* declared, const std::string& name,
                               Span at) {
  OutletFact state;
  state.type = start.type;
  state.variable = start.variable;
  state.list = start.list;
  if (!start.value) return state;
  std::vector<Dim> sizes;
  bool known = false;
  if (declared && declared->knownRank) {
    known = true;
    for (std::int64_t size : declared->sizes)
      sizes.push_back(size >= 0 ? typer_.constant(size) : typer_.unknownSize("d"));
  } else if (auto shape = resolvedShape(start)) {
    known = true;
    for (std::size_t i = 0; i < shape->size(); ++i) sizes.push_back(typer_.unknownSize("d"));
  }
  state = opaque(name, start.type, known ? typer_.shape(sizes) : typer_.unknownShape("s"), at);
  return state;
}

// A size that one turn leaves as it was, or makes what it was at the start, is what it was at the start.
void Analysis::closeLoop(const OutletFact& start, const OutletFact& state, const OutletFact& next, Span at) {
  auto before = resolvedShape(start), during = resolvedShape(state), after = resolvedShape(next);
  if (!before || !during || !after) return;
  if (before->size() != during->size() || after->size() != during->size()) return;
  for (std::size_t i = 0; i < during->size(); ++i) {
    Dim d = typer_.solution().resolve((*during)[i].dim), e = typer_.solution().resolve((*before)[i].dim);
    Dim r = typer_.solution().resolve((*after)[i].dim);
    if (d == e || (r != d && r != e)) continue;
    // A state that the body forces to a size is not what the loop starts with, if that is another.
    if (!typer_.solution().dims.asVariable(d)) continue;
    typer_.equate(d, e, at, "the loop");
  }
}

Outcome Analysis::whileLoop(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const auto* condition = n.node.get<FunctionName>("cond");
  const auto* body = n.node.get<FunctionName>("body");
  if (!condition || !condition->id || !body || !body->id) return Outcome::unknown;
  const Function& function = model_[*body->id];
  const auto* shapes = n.node.get<Values>("output_shapes");
  std::string name = frame.prefix + n.node.name;
  Made state;
  for (std::size_t i = 0; i < n.count(); ++i) {
    bool invariant = i < function.results.size() && i < function.parameters.size() &&
                     function.results[i].outlet.node == function.parameters[i].node;
    const PartialShape* declared = shapes && i < shapes->size() ? std::get_if<PartialShape>(&(*shapes)[i]) : nullptr;
    state.push_back(invariant ? n.fact(i) : loopState(n.fact(i), declared, name, n.places.name));
  }
  if (!follow(frame, id, *condition->id, condition->attributes, state)) return Outcome::unknown;
  auto next = follow(frame, id, *body->id, body->attributes, state);
  if (!next) return Outcome::unknown;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (i < next->size()) closeLoop(n.fact(i), state[i], (*next)[i], n.places.op);
    made.push_back(state[i]);
    if (i < next->size() && (*next)[i].list) made.back().list = (*next)[i].list;
  }
  return Outcome::done;
}

Outcome Analysis::switchTo(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made = {n.fact(0), n.fact(0)};
  return Outcome::done;
}

Outcome Analysis::merge(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  std::string name = frame.prefix + n.node.name;
  std::vector<OutletFact> cases;
  bool loops = false;
  for (std::size_t i = 0; i < n.count(); ++i) {
    bool back = frame.facts[n.node.inputs[i].node.index].empty();
    loops |= back;
    if (!back) cases.push_back(n.fact(i));
  }
  if (cases.empty()) return Outcome::unknown;
  OutletFact fact = join(cases, name, n.places.name);
  if (loops) {
    frame.loops[id] = fact;
    fact = loopState(fact, nullptr, name, n.places.name);
  }
  made = {fact, scalar(name, Type::i32, std::nullopt, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::nextIteration(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made = {n.fact(0)};
  for (auto& [merged, start] : frame.loops) {
    const std::vector<Outlet>& inputs = (*frame.graph)[merged].inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Outlet& o) { return o.node == id; }))
      closeLoop(start, frame.facts[merged.index][0], n.fact(0), n.places.op);
  }
  return Outcome::done;
}

}  // namespace axle::tensorflow
