#include "ir/ops/bodies.h"

namespace axle::ir {

std::optional<std::string> factMismatch(DimStore& dims, const Fact& a, const Fact& b, const std::string& what) {
  if (a.elem == b.elem && !alwaysDiffer(dims, a.shape, b.shape)) return std::nullopt;
  return what + " is " + typeText(dims, a) + ", not " + typeText(dims, b);
}

std::optional<std::string> inputMismatch(const InferContext& c, const Graph& body, const Facts& fed,
                                         const std::string& name) {
  if (body.inputs.size() != fed.size())
    return name + " takes " + std::to_string(body.inputs.size()) + " inputs, not " + std::to_string(fed.size());
  for (std::size_t i = 0; i < fed.size(); ++i)
    if (auto wrong = factMismatch(c.dims, body[body.inputs[i]].fact, fed[i], name + "'s input " + std::to_string(i)))
      return wrong;
  return std::nullopt;
}

std::optional<std::string> outputMismatch(const InferContext& c, const Graph& body, std::size_t from,
                                          const Facts& wanted, const std::string& name) {
  if (body.outputs.size() < from + wanted.size())
    return name + " gives " + std::to_string(body.outputs.size()) + " outputs";
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (auto wrong = factMismatch(c.dims, body[body.outputs[from + i]].fact, wanted[i],
                                  name + "'s output " + std::to_string(from + i)))
      return wrong;
  return std::nullopt;
}

bool isStacked(const InferContext& c, const Graph& body, std::size_t i) {
  const Dims& one = body[body.outputs[i]].fact.shape;
  return i >= c.declared.size() || one.empty() || c.declared[i].shape.size() != one.size();
}

Facts collected(const InferContext& c, const Graph& body, std::size_t from, Dim length) {
  Facts facts;
  for (std::size_t i = from; i < body.outputs.size(); ++i) {
    Fact fact = withoutValue(body[body.outputs[i]].fact);
    if (isStacked(c, body, i))
      fact.shape.insert(fact.shape.begin(), length);
    else
      fact.shape[0] = c.declared[i].shape[0];
    facts.push_back(std::move(fact));
  }
  return facts;
}

tl::expected<Facts, std::string> elementFacts(const InferContext& c, std::size_t from, std::size_t count) {
  Facts facts;
  for (std::size_t i = from; i < from + count; ++i) {
    if (c.inputs[i].shape.empty()) return doesNotFit("a sequence is a scalar");
    if (alwaysDiffer(c.dims, c.inputs[i].shape[0], c.inputs[from].shape[0]))
      return doesNotFit("sequences differ in length");
    facts.push_back(withoutAxis(c.inputs[i], 0));
  }
  return facts;
}

void appendFacts(Facts& to, const Facts& from, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to.push_back(withoutValue(from[i]));
}

}  // namespace axle::ir
