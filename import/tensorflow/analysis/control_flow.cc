// Control flow: branches, and loops of both generations.
#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"

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

const OutletFact& Analysis::numberOf(const Chooser& by) const {
  static const OutletFact none;
  if (!by.frame) return none;
  const std::vector<OutletFact>& facts = by.frame->facts[by.outlet.node.index];
  return by.outlet.port < facts.size() ? facts[by.outlet.port] : none;
}

std::optional<std::size_t> Analysis::chosenOf(const Chooser& by, std::size_t count) {
  const OutletFact& fact = numberOf(by);
  if (!fact.known || fact.known->elements.size() != 1) return std::nullopt;
  auto number = typer_.solution().dims.asConstant(typer_.solution().resolve(fact.known->elements[0]));
  if (!number) return std::nullopt;
  return *number < 0 || *number >= static_cast<std::int64_t>(count) ? count - 1 : static_cast<std::size_t>(*number);
}

OutletFact Analysis::join(std::vector<OutletFact> cases, const Chooser& by, const std::string& name, Span at,
                          CaseNames names) {
  if (cases.size() == 1) return cases[0];
  if (auto chosen = chosenOf(by, cases.size())) return cases[*chosen];
  if (!cases[0].value) {
    const bool differ = std::any_of(cases.begin(), cases.end(), [&](const OutletFact& c) {
      return c.list && cases[0].list &&
             typer_.solution().resolve(c.list->length) != typer_.solution().resolve(cases[0].list->length);
    });
    if (differ) cases[0].list = openList(*cases[0].list);
    return withContent(cases[0], name, at);
  }
  OutletFact fact = opaque(name, cases[0].type, typer_.unknownShape("s"), at);
  if (!fact.value) return fact;
  const OutletFact& first = cases.front();
  bool same = first.known && std::all_of(cases.begin(), cases.end(), [&](const OutletFact& c) {
                return c.known && c.known->shape == first.known->shape && c.known->elements == first.known->elements;
              });
  if (same) fact.known = first.known;
  joins_.push_back({std::move(cases), by, fact, at, std::move(names)});
  settle(joins_.back());
  return fact;
}

// The rank is that of the cases, and so are sizes in which they agree.
bool Analysis::settle(Join& join) {
  if (auto chosen = join.cases.size() > 1 ? chosenOf(join.by, join.cases.size()) : std::nullopt)
    join.cases = {OutletFact(join.cases[*chosen])};
  std::vector<Shape> cases;
  for (const OutletFact& fact : join.cases) {
    auto shape = resolvedShape(fact);
    if (!shape || (!cases.empty() && shape->size() != cases[0].size())) return false;
    cases.push_back(std::move(*shape));
  }
  bool moved = fixRank(join.joined, cases[0].size(), join.at);
  auto joined = resolvedShape(join.joined);
  for (std::size_t i = 0; joined && i < joined->size(); ++i) {
    Dim first = cases[0][i].dim;
    bool agree = std::all_of(cases.begin(), cases.end(), [&](const Shape& s) { return s[i].dim == first; });
    if (!agree || (*joined)[i].dim == first) continue;
    moved = true;
    // With the places that gave it in the branch.
    const ElemTerm any = ElemTerm::of(Elem::i32);
    typer_.unify(typer_.tensor(any, {(*joined)[i]}, join.at), typer_.tensor(any, {cases[0][i]}, join.at), join.at,
                 "the branches");
  }
  return moved;
}

// True where the rank was open.
bool Analysis::fixRank(const OutletFact& fact, std::size_t rank, Span at) {
  if (resolvedShape(fact)) return false;
  std::vector<Dim> sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(typer_.unknownSize("d"));
  typer_.unify(typer_.typeOf(fact.value), typeFor(fact.type, typer_.shape(sizes), at), at, "control flow");
  return true;
}

// ---- functions as branches

// One of the functions is called, by what the first input says: where that is known, only this one.
Outcome Analysis::branch(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  std::vector<const FunctionName*> branches;
  if (const auto* cases = n.node.get<Values>("branches"))
    for (const Value& value : *cases) branches.push_back(std::get_if<FunctionName>(&value));
  else
    branches = {n.node.get<FunctionName>("else_branch"), n.node.get<FunctionName>("then_branch")};
  if (branches.empty()) return Outcome::unknown;
  if (auto chosen = n.number(0)) {
    // Of a Case the last one is for all other numbers; of an If the second is.
    const auto last = std::ssize(branches) - 1;
    branches = {branches[static_cast<std::size_t>(*chosen < 0 || *chosen > last ? last : *chosen)]};
  }
  std::vector<Made> results;
  std::vector<std::string> names;
  std::vector<std::map<VariableId, TypedId>> assigned;
  const std::map<VariableId, TypedId> before = assigned_;
  for (const FunctionName* f : branches) {
    if (!f || !f->id) return Outcome::unknown;
    Made arguments;
    for (std::size_t i = 1; i < n.count(); ++i) arguments.push_back(n.fact(i));
    assigned_ = before;
    auto result = follow(frame, id, *f->id, f->attributes, std::move(arguments));
    if (!result) return Outcome::unknown;
    results.push_back(std::move(*result));
    names.push_back(calledBy(n.node, *f->id, model_[*f->id]));
    assigned.push_back(assigned_);
  }
  const std::string name = frame.prefix + n.node.name;
  const Chooser by{&frame, n.node.inputs[0]};
  for (std::size_t port = 0; port < results[0].size(); ++port) {
    std::vector<OutletFact> cases;
    for (const Made& result : results)
      if (port < result.size()) cases.push_back(result[port]);
    made.push_back(join(cases, by, name, n.places.op, {nameOf(frame, {id, static_cast<std::uint32_t>(port)}), names}));
  }
  if (results.size() == 1) return Outcome::done;
  Choice choice{by, std::move(results), made, n.places.op, name};
  assigned_ = before;
  joinAssigned(std::move(assigned), names, choice);
  choices_[{&frame, id}] = {std::move(choice)};
  return Outcome::done;
}

// What a branch assigns is a result of it besides those that it declares.
void Analysis::joinAssigned(std::vector<std::map<VariableId, TypedId>> branches, const std::vector<std::string>& names,
                            Choice& choice) {
  std::set<VariableId> variables;
  for (const auto& branch : branches)
    for (const auto& [variable, value] : branch)
      if (auto was = assigned_.find(variable); was == assigned_.end() || was->second != value)
        variables.insert(variable);
  for (VariableId variable : variables) {
    std::vector<OutletFact> cases;
    for (std::size_t k = 0; k < branches.size(); ++k) {
      OutletFact fact;
      fact.type = model_.variables[variable.index].type;
      auto its = branches[k].find(variable);
      fact.value = its == branches[k].end() ? valueOf(variable, choice.at) : its->second;
      choice.cases[k].push_back(fact);
      cases.push_back(std::move(fact));
    }
    choice.chosen.push_back(
        join(std::move(cases), choice.by, choice.name, choice.at, {model_.variables[variable.index].name, names}));
    assigned_[variable] = choice.chosen.back().value;
  }
}

// ---- loops

// Each size is one of its own while the loop's body is followed: it may change from turn to turn. Or it is taken not
// to, which is looked at in the end.
OutletFact Analysis::loopState(const OutletFact& start, const PartialShape* declared, const std::string& name,
                               Span at) {
  OutletFact state;
  state.type = start.type;
  state.variable = start.variable;
  if (start.list) state.list = start.content ? openList(*start.list) : start.list;
  if (start.content) state = withContent(std::move(state), name, at);
  if (!start.value) return state;
  if (auto steady = steadyShape(start, declared, name)) {
    state.value = opaque(name, start.type, std::move(*steady), at).value;
    if (!steady_.empty() && !steady_.back().state) steady_.back().state = state.value;
    return state;
  }
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
  state.value = opaque(name, start.type, known ? typer_.shape(sizes) : typer_.unknownShape("s"), at).value;
  return state;
}

// A size that one turn leaves as it was, or makes what it was at the start, is what it was at the start.
bool Analysis::settle(const Loop& loop) {
  bool moved = false;
  if (loop.start.list && loop.state.list && loop.next.list) {
    Solution& solution = typer_.solution();
    Dim d = solution.resolve(loop.state.list->length), e = solution.resolve(loop.start.list->length);
    Dim r = solution.resolve(loop.next.list->length);
    if (d != e && (r == d || r == e) && solution.dims.asVariable(d)) moved = typer_.equate(d, e, loop.at, "the loop");
  }
  if (!loop.state.value || !loop.start.value) return moved;
  auto before = resolvedShape(loop.start), after = resolvedShape(loop.next);
  if (!before || !after || before->size() != after->size()) return moved;
  moved |= fixRank(loop.state, before->size(), loop.at);
  auto during = resolvedShape(loop.state);
  for (std::size_t i = 0; during && i < std::min(during->size(), before->size()); ++i) {
    Dim d = typer_.solution().resolve((*during)[i].dim), e = typer_.solution().resolve((*before)[i].dim);
    Dim r = typer_.solution().resolve((*after)[i].dim);
    // A state that the body forces to a size is not what the loop starts with, if that is another.
    if (d == e || (r != d && r != e) || !typer_.solution().dims.asVariable(d)) continue;
    moved = true;
    typer_.equate(d, e, loop.at, "the loop");
  }
  return moved;
}

void Analysis::close(Loop loop) {
  loops_.push_back(std::move(loop));
  settle(loops_.back());
}

bool Analysis::settleControl() {
  bool moved = false;
  for (Join& join : joins_) moved |= settle(join);
  for (const Loop& loop : loops_) moved |= settle(loop);
  for (const End& end : ends_) moved |= settle(end);
  return moved;
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
  Made starts;
  for (std::size_t i = 0; i < n.count(); ++i) starts.push_back(n.fact(i));
  // Variables that the body may assign are states, too.
  const std::vector<VariableId> variables = assignable(state);
  for (VariableId variable : variables) {
    OutletFact start;
    start.type = model_.variables[variable.index].type;
    start.value = valueOf(variable, n.places.op);
    state.push_back(loopState(start, nullptr, name, n.places.name));
    starts.push_back(std::move(start));
  }
  Turns turns{&frame, id, starts, state, {}, {}, {}, n.places.op, name, variables, assigned_, {}};
  auto turn = turnOfFunctions(turns, state);
  if (!turn) return Outcome::unknown;
  if (turn->next.empty()) turn->next = state;  // there is none
  Made ends;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (turn->next[i].type != Type::invalid) close({starts[i], state[i], turn->next[i], n.places.op});
    bool changes = state[i].value != starts[i].value || state[i].content != starts[i].content;
    ends.push_back(changes ? after(starts[i], state[i], name, n.places.name) : state[i]);
    if (turn->next[i].list && !ends.back().list) ends.back().list = turn->next[i].list;
  }
  made.assign(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(n.count()));
  for (std::size_t i = 0; i < variables.size(); ++i) assigned_[variables[i]] = ends[n.count() + i].value;
  turns.next = std::move(turn->next);
  turns.ends = std::move(ends);
  turns.condition = std::move(turn->condition);
  turns_[{&frame, id}] = std::move(turns);
  return Outcome::done;
}

std::optional<Analysis::Turn> Analysis::turnOfFunctions(const Turns& loop, const Made& states) {
  const Node& node = (*loop.frame->graph)[loop.node];
  const auto *condition = node.get<FunctionName>("cond"), *body = node.get<FunctionName>("body");
  const std::size_t count = node.inputs.size();
  assigned_ = loop.assigned;
  for (std::size_t i = 0; i < loop.variables.size(); ++i) assigned_[loop.variables[i]] = states[count + i].value;
  Made arguments(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(count));
  auto test = follow(*loop.frame, loop.node, *condition->id, condition->attributes, arguments);
  if (!test || test->empty()) return std::nullopt;
  Turn turn{test->front(), {}};
  if (isTrue(turn.condition) == false) return turn;
  auto next = follow(*loop.frame, loop.node, *body->id, body->attributes, std::move(arguments));
  if (!next) return std::nullopt;
  turn.next = std::move(*next);
  turn.next.resize(count);
  for (VariableId variable : loop.variables) {
    OutletFact fact;
    fact.type = model_.variables[variable.index].type;
    fact.value = valueOf(variable, loop.at);
    turn.next.push_back(std::move(fact));
  }
  return turn;
}

// Those that the call assigns, among what a function is given.
std::vector<VariableId> Analysis::assignable(const Made& arguments) const {
  std::set<VariableId> found;
  for (const OutletFact& fact : arguments)
    if (fact.variable && model_.variables[fact.variable->index].access == Access::state) found.insert(*fact.variable);
  return {found.begin(), found.end()};
}

// What a state is when its loop has ended: another value of a type like its own.
OutletFact Analysis::after(const OutletFact& start, const OutletFact& state, const std::string& name, Span at) {
  OutletFact fact = state;
  fact.known.reset();
  if (state.content) {
    fact.list = openList(*state.list);
    fact = withContent(std::move(fact), name, at);
  }
  if (state.value) {
    TypeId type = typer_.typeOf(state.value);
    if (auto shape = resolvedShape(state)) {
      for (ShapePart& part : *shape)
        if (typer_.solution().dims.asVariable(typer_.solution().resolve(part.dim)))
          part = ShapePart::of(typer_.unknownSize("d"));
      type = typeFor(state.type, std::move(*shape), at);
    }
    fact.value = typer_.opaque(name, type, at);
  }
  ends_.push_back({start, state, fact, at});
  settle(ends_.back());
  return fact;
}

// A size that is what it was at the start, or is known, is so at the end.
bool Analysis::settle(const End& end) {
  Solution& solution = typer_.solution();
  bool moved = false;
  auto also = [&](Dim start, Dim state, Dim now) {
    const Dim is = solution.resolve(state);
    now = solution.resolve(now);
    if (now == is || !solution.dims.asVariable(now)) return;
    if (is == solution.resolve(start) || !solution.dims.asVariable(is))
      moved |= typer_.equate(now, is, end.at, "the loop");
  };
  if (end.start.list && end.state.list && end.end.list && end.end.content)
    also(end.start.list->length, end.state.list->length, end.end.list->length);
  auto start = resolvedShape(end.start), state = resolvedShape(end.state), now = resolvedShape(end.end);
  if (!state || !now || state->size() != now->size()) return moved;
  const bool isAlike = start && start->size() == state->size();
  for (std::size_t i = 0; i < now->size(); ++i) also((isAlike ? *start : *now)[i].dim, (*state)[i].dim, (*now)[i].dim);
  return moved;
}

// Of the turn that the condition ends.
Outcome Analysis::exitLoop(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  OutletFact start;
  for (const auto& [_, loops] : frame.loops)
    for (const auto& [before, state] : loops)
      if (carried(state) == carried(n.fact(0))) start = before;
  made = {after(start, n.fact(0), frame.prefix + n.node.name, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::switchTo(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made.assign(outletTypes(frame, n.node).size(), n.fact(0));
  return Outcome::done;
}

Outcome Analysis::merge(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  std::string name = frame.prefix + n.node.name;
  std::vector<OutletFact> cases;
  CaseNames names{nameOf(frame, {id, 0}), {}};
  auto called = [&](std::size_t i) { return fmt::format("`{}`", nameOf(frame, n.node.inputs[i])); };
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!isNode((*frame.graph)[n.node.inputs[i].node], "NextIteration")) {
      cases.push_back(n.fact(i));
      names.cases.push_back(called(i));
    }
  if (cases.empty()) return Outcome::unknown;
  bool loops = cases.size() < n.count();
  std::optional<std::int64_t> taken;
  Chooser by;
  if (auto chooser = loops ? std::nullopt : chooserOf(frame, id)) {
    by = {&frame, chooser->first};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cases[i] = n.fact(chooser->second[i]);
      names.cases[i] = called(chooser->second[i]);
    }
    if (auto chosen = chosenOf(by, cases.size())) taken = chooser->second[*chosen];
  }
  OutletFact fact = join(std::move(cases), by, name, n.places.name, std::move(names));
  if (loops) {
    OutletFact state = loopState(fact, nullptr, name, n.places.name);
    for (const Outlet& from : n.node.inputs)
      if (isNode((*frame.graph)[from.node], "NextIteration")) frame.loops[from.node].push_back({fact, state});
    fact = state;
  }
  auto index = taken ? std::optional(typer_.constant(*taken)) : std::nullopt;
  made = {fact, scalar(name, Type::i32, index, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::nextIteration(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made = {n.fact(0)};
  if (auto loops = frame.loops.find(id); loops != frame.loops.end())
    for (auto& [start, state] : loops->second) close({start, state, n.fact(0), n.places.op});
  return Outcome::done;
}

}  // namespace axle::tensorflow
