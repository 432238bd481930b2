// Building graphs: nodes, captures, values as flat lists of tensors.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

const Fact& Lowerer::fact(const Tensor& tensor) const {
  return model_.graphs[scopes_[tensor.scope].graph.index][tensor.outlet].fact;
}

std::nullopt_t Lowerer::fail(const DiagnosticCode& code, std::string message, Span span, std::string label,
                             std::string help) {
  if (failed_) return std::nullopt;
  failed_ = true;
  Diagnostic d;
  d.code = &code;
  d.message = std::move(message);
  d.primary = {span, std::move(label)};
  if (calls_.size() > 1 && calls_.back() != span) d.secondary.push_back({calls_.back(), "inlined by this call"});
  if (!help.empty()) d.help.push_back(std::move(help));
  diagnostics_.push_back(std::move(d));
  return std::nullopt;
}

std::nullopt_t Lowerer::unexpected(const std::string& what, Span span) {
  if (failed_) return std::nullopt;
  failed_ = true;
  bug_ = "lowering `" + entry_.name + "`: " + what + ", at byte " + std::to_string(span.begin) + " of source " +
         std::to_string(span.source.index);
  return std::nullopt;
}

OutletId Lowerer::source(std::uint32_t scope, Op op, Fact fact) {
  Graph& g = model_.graphs[scopes_[scope].graph.index];
  Node node;
  node.op = op;
  NodeId id = g.add(std::move(node), {std::move(fact)});
  ++nodes_;
  return g[id].outputs[0];
}

Tensor Lowerer::constantHere(ConstantId id) {
  auto [known, isNew] = scopes_[scope_].constants.try_emplace(id.index);
  if (isNew) {
    const Constant& c = model_[id];
    Fact fact{c.elem, {}, id};
    for (std::int64_t size : c.shape) fact.shape.push_back(model_.dims->constant(size));
    OutletId outlet = source(scope_, Op::constant, std::move(fact));
    Node& node = graph()[graph()[outlet].node];
    node.constant = id;
    if (!c.name.empty()) node.names.push_back(c.name);
    if (c.weight) node.spans.push_back(model_.weights[*c.weight].span);
    scopes_[scope_].constants[id.index] = outlet;
  }
  return {scope_, scopes_[scope_].constants[id.index], std::nullopt};
}

OutletId Lowerer::here(const Tensor& tensor) { return hereFrom(scope_, tensor); }

// An outlet of an outer graph is captured by each body on the way; constants and sizes are copied instead.
OutletId Lowerer::hereFrom(std::uint32_t scope, const Tensor& tensor) {
  if (tensor.scope == scope) return tensor.outlet;
  std::pair key(tensor.scope, tensor.outlet.index);
  if (auto known = scopes_[scope].imported.find(key); known != scopes_[scope].imported.end()) return known->second;
  const Graph& outer = model_.graphs[scopes_[tensor.scope].graph.index];
  const Node& producer = outer.producer(tensor.outlet);
  OutletId outlet;
  if (producer.op == Op::constant) {
    std::uint32_t current = std::exchange(scope_, scope);
    outlet = constantHere(producer.constant).outlet;
    scope_ = current;
  } else if (producer.op == Op::dims) {
    Node copy = producer;
    copy.outputs.clear();
    copy.after.clear();
    Fact fact = outer[tensor.outlet].fact;
    std::uint32_t current = std::exchange(scope_, scope);
    orderAfter(copy, {}, {fact});
    scope_ = current;
    Graph& inner = model_.graphs[scopes_[scope].graph.index];
    outlet = inner[inner.add(std::move(copy), {std::move(fact)})].outputs[0];
  } else {
    hereFrom(scopes_[scope].parent, tensor);
    Fact fact = outer[tensor.outlet].fact;
    outlet = source(scope, Op::input, std::move(fact));
    scopes_[scope].captures.push_back({tensor, outlet});
  }
  scopes_[scope].imported[key] = outlet;
  return outlet;
}

std::optional<std::vector<Tensor>> Lowerer::emitNode(Node node, const std::vector<Tensor>& inputs,
                                                     std::vector<Fact> facts) {
  if (failed_) return std::nullopt;
  Span span = spans_.empty() ? Span{} : spans_.back();
  for (const Fact& fact : facts)
    for (Dim d : fact.shape)
      if (!sizeIsKnown(d, span)) return std::nullopt;
  for (Dim d : node.ints)
    if (!sizeIsKnown(d, span)) return std::nullopt;
  if (++nodes_ > limits_.nodes)
    return fail(codes::modelTooLarge,
                "the entry `" + entry_.name + "` becomes more than " + std::to_string(limits_.nodes) + " operators",
                span, {},
                "a function that calls others repeatedly doubles with each level; write repetition as `loop` or `map`");
  for (const Tensor& input : inputs) node.inputs.push_back(here(input));
  orderAfter(node, inputs, facts);
  std::string name;
  constexpr std::size_t shownNames = 6;
  for (std::size_t i = path_.size() - std::min(shownNames, path_.size()); i < path_.size(); ++i)
    name += (name.empty() ? "" : "/") + path_[i];
  if (!name.empty()) node.names.push_back(std::move(name));
  node.spans.push_back(span);
  constexpr std::size_t shownCalls = 8;
  for (std::size_t i = calls_.size(); i > 1 && calls_.size() - i < shownCalls;
       --i) {  // the outermost is the entry's own
    Span call = calls_[i - 1];
    if (node.spans.back() != call) node.spans.push_back(call);
  }
  NodeId id = graph().add(std::move(node), std::move(facts));
  for (const auto& [slot, size] : graph()[id].finds) found_[size.index] = {scope_, graph()[id].outputs[slot]};
  std::vector<Tensor> outputs;
  for (OutletId outlet : graph()[id].outputs) outputs.push_back({scope_, outlet, std::nullopt});
  return outputs;
}

std::optional<Tensor> Lowerer::emit(Op op, const std::vector<Tensor>& inputs, std::vector<Dim> ints, Fact fact) {
  Node node;
  node.op = op;
  node.ints = std::move(ints);
  auto size = op == Op::nonzero ? model_.dims->asVariable(fact.shape[0]) : std::nullopt;
  if (size && found_.count(size->index) && !found_[size->index].outlet) node.finds = {{0, *size}};
  std::vector<Fact> facts;
  facts.push_back(std::move(fact));
  auto outputs = emitNode(std::move(node), inputs, std::move(facts));
  if (!outputs) return std::nullopt;
  return outputs->front();
}

std::optional<Tensor> Lowerer::whole(const Tensor& tensor) {
  if (!tensor.splat || tensor.splat->empty()) return tensor;
  Tensor scalar = tensor;
  scalar.splat.reset();
  return emit(Op::broadcast, {scalar}, {}, Fact{fact(tensor).elem, *tensor.splat, {}});
}

bool Lowerer::flatten(const Value& value, std::vector<Tensor>& into, Span span, const char* where) {
  if (const Tensor* t = std::get_if<Tensor>(&value.node)) {
    std::optional<Tensor> all = whole(*t);
    if (!all) return false;
    into.push_back(*all);
    return true;
  }
  if (std::holds_alternative<Closure>(value.node)) {
    fail(codes::functionAsValue, std::string("a function may not be ") + where, span);
    return false;
  }
  for (const Value& part : *std::get<Tuple>(value.node))
    if (!flatten(part, into, span, where)) return false;
  return true;
}

Value Lowerer::rebuild(TypeId type, const std::vector<Tensor>& flat, std::size_t& next) {
  const TypeTerm& term = solution_.types[type];
  if (term.kind != TypeKind::tuple) return {next < flat.size() ? flat[next++] : Tensor{}};
  std::vector<TypeId> types = term.parts;
  std::vector<Value> parts;
  for (TypeId part : types) parts.push_back(rebuild(part, flat, next));
  return {std::make_shared<const std::vector<Value>>(std::move(parts))};
}

// Dimensions of a compiled entry are arithmetic over the sizes of its inputs, and over those that the run has found.
bool Lowerer::sizeIsKnown(Dim dim, Span span) {
  if (knownDims_.count(dim.index)) return true;
  if (model_.dims->isUndefined(dim)) {
    fail(codes::openSize, "a size here is too large to compute, or divides by 0", span);
    return false;
  }
  bool ofTheRun = false;
  for (DimVar v : model_.dims->variables(dim)) {
    if (isFound(v)) {
      ofTheRun = true;
    } else if (!symbols_.count(v.index)) {
      if (solution_.dimVars[v.index].maker == "`match`") {
        fail(codes::openSize,
             "`match` on a tensor whose rank only the run knows is checked, but cannot be compiled yet", span,
             "has a size that such a `match` names",
             "give the tensor its rank where it comes from: `x : f32 [n, d]` instead of `x : f32 ?s`");
        return false;
      }
      fail(codes::openSize,
           "the size `" + solution_.printSize(dim) + "` follows neither from the inputs nor from what comes before",
           span, "has this size",
           "only sizes that are known when they are needed can be compiled: a bare number takes any length, "
           "`arange(10)` "
           "has its own");
      return false;
    }
  }
  if (!ofTheRun) knownDims_.insert(dim.index);
  return true;
}

std::optional<Fact> Lowerer::fact(const TypeTerm& tensor, Span span) {
  Fact out;
  if (tensor.elem.isVar)  // nothing reads it but operators that take any: as at an entry
    out.elem = solution_.elemVars[tensor.elem.var.index].elemClass == ElemClass::floating ? Elem::f32 : Elem::i64;
  else
    out.elem = tensor.elem.elem;
  std::optional<std::vector<Dim>> shape = flatShape(tensor.shape, span);
  if (!shape) return std::nullopt;
  out.shape = std::move(*shape);
  return out;
}

std::optional<Fact> Lowerer::factOf(TypeId type, Span span) {
  TypeTerm term = solution_.types[namedSizes_ ? solution_.resolve(type) : type];
  if (term.kind == TypeKind::tensor) return fact(term, span);
  return unexpected("its type is no tensor", span);
}

bool Lowerer::factsOf(TypeId type, std::vector<Fact>& into, Span span, const char* where) {
  TypeTerm term = solution_.types[type];
  if (term.kind == TypeKind::function) {
    fail(codes::functionAsValue, std::string("a function may not be ") + where, span);
    return false;
  }
  if (term.kind != TypeKind::tuple) {
    std::optional<Fact> one = factOf(type, span);
    if (one) into.push_back(std::move(*one));
    return one.has_value();
  }
  for (TypeId part : term.parts)
    if (!factsOf(part, into, span, where)) return false;
  return true;
}

std::optional<Lowerer::Body> Lowerer::buildBody(const std::vector<Fact>& fed, Span span, const char* where,
                                                const BodyValue& value) {
  Body body;
  body.scope = static_cast<std::uint32_t>(scopes_.size());
  GraphId graphId{static_cast<std::uint32_t>(model_.graphs.size())};
  model_.graphs.emplace_back();
  Scope scope;
  scope.graph = graphId;
  scope.parent = scope_;
  scopes_.push_back(std::move(scope));
  std::vector<Tensor> inputs;
  for (const Fact& fact : fed) {
    body.fed.push_back(source(body.scope, Op::input, fact));
    inputs.push_back({body.scope, body.fed.back(), std::nullopt});
  }
  std::uint32_t outer = std::exchange(scope_, body.scope);
  std::optional<Value> result = value(inputs);
  bool done = result && flatten(*result, body.outputs, span, where);
  if (done)
    for (const Tensor& output : body.outputs) graph().outputs.push_back(here(output));
  scope_ = outer;
  if (!done) return std::nullopt;
  body.result = std::move(*result);
  return body;
}

std::vector<Tensor> Lowerer::closeBodies(const std::vector<Body*>& bodies) {
  std::vector<Tensor> captures;
  for (const Body* body : bodies)
    for (const auto& [outside, inside] : scopes_[body->scope].captures) {
      auto same = [&, &o = outside](const Tensor& t) { return t.scope == o.scope && t.outlet == o.outlet; };
      if (std::none_of(captures.begin(), captures.end(), same)) captures.push_back(outside);
    }
  for (const Body* body : bodies) {
    std::vector<OutletId> inputs = body->fed;
    for (const Tensor& capture : captures) {
      auto& imported = scopes_[body->scope].imported;
      auto known = imported.find({capture.scope, capture.outlet.index});
      inputs.push_back(known != imported.end() ? known->second : source(body->scope, Op::input, fact(capture)));
    }
    model_.graphs[scopes_[body->scope].graph.index].inputs = std::move(inputs);
  }
  return captures;
}

}  // namespace axle::ir
