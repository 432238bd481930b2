// Operators that own bodies. A body's inputs are the inputs that the operator feeds, then its captures, in order.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

using Facts = std::vector<Fact>;

std::optional<std::string> mismatch(DimStore& dims, const Fact& a, const Fact& b, const std::string& what) {
  if (a.elem == b.elem && !alwaysDiffer(dims, a.shape, b.shape)) return std::nullopt;
  return what + " is " + typeText(dims, a) + ", not " + typeText(dims, b);
}

// How the inputs of the body differ from the facts fed; none if they do not.
std::optional<std::string> inputMismatch(const InferContext& c, const Graph& body, const Facts& fed,
                                         const std::string& name) {
  if (body.inputs.size() != fed.size())
    return name + " takes " + std::to_string(body.inputs.size()) + " inputs, not " + std::to_string(fed.size());
  for (std::size_t i = 0; i < fed.size(); ++i)
    if (auto wrong = mismatch(c.dims, body[body.inputs[i]].fact, fed[i], name + "'s input " + std::to_string(i)))
      return wrong;
  return std::nullopt;
}

// How the outputs of the body, from `from` on, differ from the given facts; none if they do not.
std::optional<std::string> outputMismatch(const InferContext& c, const Graph& body, std::size_t from,
                                          const Facts& wanted, const std::string& name) {
  if (body.outputs.size() < from + wanted.size())
    return name + " gives " + std::to_string(body.outputs.size()) + " outputs";
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (auto wrong = mismatch(c.dims, body[body.outputs[from + i]].fact, wanted[i],
                              name + "'s output " + std::to_string(from + i)))
      return wrong;
  return std::nullopt;
}

// The outputs of a body, from `from` on, over all iterations: stacked along a new axis, or concatenated where the
// declared rank is that of one output.
Facts collected(const InferContext& c, const Graph& body, std::size_t from, Dim length) {
  Facts facts;
  for (std::size_t i = from; i < body.outputs.size(); ++i) {
    Fact fact = withoutValue(body[body.outputs[i]].fact);
    bool concatenated = i < c.declared.size() && !fact.shape.empty() && c.declared[i].shape.size() == fact.shape.size();
    if (concatenated)
      fact.shape[0] = c.declared[i].shape[0];
    else
      fact.shape.insert(fact.shape.begin(), length);
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::optional<std::size_t> countAt(const InferContext& c, std::size_t index) {
  std::optional<std::int64_t> count = c.dims.asConstant(c.ints[index]);
  if (!count || *count < 0 || static_cast<std::size_t>(*count) > c.inputs.size()) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

// The facts of elements of the sequences, which are the inputs [from, from + count), all of one length.
tl::expected<Facts, std::string> elements(const InferContext& c, std::size_t from, std::size_t count) {
  Facts facts;
  for (std::size_t i = from; i < from + count; ++i) {
    if (c.inputs[i].shape.empty()) return doesNotFit("a sequence is a scalar");
    if (alwaysDiffer(c.dims, c.inputs[i].shape[0], c.inputs[from].shape[0]))
      return doesNotFit("sequences differ in length");
    facts.push_back(withoutAxis(c.inputs[i], 0));
  }
  return facts;
}

void append(Facts& to, const Facts& from, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to.push_back(withoutValue(from[i]));
}

Inferred reduceBody(const InferContext& c) {
  std::optional<std::int64_t> axis = c.dims.asConstant(c.ints[0]);
  const Fact& x = c.inputs[1];
  if (!axis || *axis < 0 || static_cast<std::size_t>(*axis) >= x.shape.size())
    return doesNotFit("the axis is out of range");
  Fact slice = withoutAxis(x, static_cast<std::size_t>(*axis));
  if (auto wrong = mismatch(c.dims, c.inputs[0], slice, "the start value")) return doesNotFit(*wrong);
  Facts fed{slice, slice};
  append(fed, c.inputs, 2, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the function")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, {slice}, "the function")) return doesNotFit(*wrong);
  return Facts{slice};
}

Inferred mapBody(const InferContext& c) {
  std::optional<std::size_t> sequences = countAt(c, 0);
  if (!sequences || *sequences == 0) return doesNotFit("there are no sequences");
  auto fed = elements(c, 0, *sequences);
  if (!fed) return doesNotFit(fed.error());
  append(*fed, c.inputs, *sequences, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], *fed, "the function")) return doesNotFit(*wrong);
  return collected(c, *c.bodies[0], 0, c.inputs[0].shape[0]);
}

Inferred loopBody(const InferContext& c) {
  std::optional<std::size_t> states = countAt(c, 0), sequences = countAt(c, 1);
  if (!states || !sequences || *sequences == 0 || *states + *sequences > c.inputs.size())
    return doesNotFit("there are no sequences");
  Facts fed, state;
  append(state, c.inputs, 0, *states);
  auto items = elements(c, *states, *sequences);
  if (!items) return doesNotFit(items.error());
  fed = state;
  append(fed, *items, 0, items->size());
  append(fed, c.inputs, *states + *sequences, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the cell")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, state, "the cell")) return doesNotFit(*wrong);
  Facts out = state;
  Facts results = collected(c, *c.bodies[0], *states, c.inputs[*states].shape[0]);
  append(out, results, 0, results.size());
  return out;
}

Inferred whileBody(const InferContext& c) {
  std::optional<std::size_t> states = countAt(c, 0);
  if (!states) return doesNotFit("there are fewer inputs than states");
  Facts fed, state;
  append(fed, c.inputs, 0, c.inputs.size());
  append(state, c.inputs, 0, *states);
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the condition")) return doesNotFit(*wrong);
  if (auto wrong = inputMismatch(c, *c.bodies[1], fed, "the step")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, {Fact{Elem::boolean, {}, {}}}, "the condition"))
    return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[1], 0, state, "the step")) return doesNotFit(*wrong);
  return state;
}

Inferred branchBody(const InferContext& c) {
  if (c.inputs[0].elem != Elem::boolean || !c.inputs[0].shape.empty())
    return doesNotFit("the condition is not a scalar bool");
  Facts fed, out;
  append(fed, c.inputs, 1, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "`then`")) return doesNotFit(*wrong);
  if (auto wrong = inputMismatch(c, *c.bodies[1], fed, "`else`")) return doesNotFit(*wrong);
  for (OutletId outlet : c.bodies[0]->outputs) out.push_back(withoutValue((*c.bodies[0])[outlet].fact));
  if (c.bodies[1]->outputs.size() != out.size()) return doesNotFit("the branches differ in their number of results");
  if (auto wrong = outputMismatch(c, *c.bodies[1], 0, out, "`else`")) return doesNotFit(*wrong);
  return out;
}

}  // namespace

constinit const Rules reduceRules{reduceBody, noFlops};
constinit const Rules mapRules{mapBody, noFlops};
constinit const Rules loopRules{loopBody, noFlops};
constinit const Rules whileLoopRules{whileBody, noFlops};
constinit const Rules branchRules{branchBody, noFlops};

}  // namespace axle::ir
