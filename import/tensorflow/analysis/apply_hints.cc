#include "import/tensorflow/analysis/apply_hints.h"

#include <algorithm>
#include <charconv>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/operators/known_tensor.h"
#include "import/tensorflow/problems.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Code, arg::ElementType, arg::ElementType> hintMisfit{
    codes::nodeMisfit, "{} says {}, but the tensor is {}", "{2} here"};
constexpr Message<arg::Code, arg::Name> hintWithoutTensor{
    codes::noSuchTensor, "{}: there is no tensor {} among those that the outputs need"};

constexpr Message<arg::Code> hintUndefined{codes::nodeMisfit, "{}: a size divides by 0", "here"};

constexpr std::uint32_t mostHintedPort = 1000;  // for a node of an unknown operator

// Returns the model's input of that name, or else the outlet of the main graph that `NODE` or `NODE:PORT` names.
std::optional<Outlet> outletNamed(const Model& model, const std::map<std::string_view, NodeId>& nodes,
                                  const std::string& tensor) {
  const auto input =
      std::find_if(model.inputs.begin(), model.inputs.end(), [&](const Port& port) { return port.name == tensor; });
  if (input != model.inputs.end()) return input->outlet;
  const std::size_t colon = tensor.rfind(':');
  const std::string_view name = tensor, digits = colon == name.npos ? "0" : name.substr(colon + 1);
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool isPort = error == std::errc() && end == digits.data() + digits.size();
  const auto found = nodes.find(isPort ? name.substr(0, colon) : name);
  if (found == nodes.end()) return std::nullopt;
  return Outlet{found->second, isPort ? port : 0};
}

Dim sizeOf(Analysis& analysis, const HintSize& size) {
  GraphTyper& typer = analysis.typer;
  if (size.value) return typer.constant(*size.value);
  if (!size.name.empty()) return analysis.hints.sizes.at(size.name);
  if (size.formula.empty()) return typer.unknownSize("d");
  std::vector<Dim> stack;
  for (const HintStep& step : size.formula) {
    if (step.op == DimOp::constant || step.op == DimOp::symbol) {
      stack.push_back(step.op == DimOp::constant ? typer.constant(step.value) : analysis.hints.sizes.at(step.name));
      continue;
    }
    const Dim right = stack.back();
    stack.pop_back();
    stack.back() = typer.solution().dims.apply(step.op, stack.back(), right);
  }
  return stack.back();
}

void applyHint(Analysis& analysis, OutletFact& fact, const Hint& hint, Span at) {
  GraphTyper& typer = analysis.typer;
  if (hint.type && fact.type != Type::invalid && *hint.type != fact.type) {
    report(analysis.diagnostics, hintMisfit, at, arg::Code{hint.option}, arg::ElementType{spelling(*hint.type)},
           arg::ElementType{spelling(fact.type)});
    return;
  }
  if (!hint.shape || !fact.value) return;
  if (hint.value) {
    fact.known = knownOf(*hint.value, typer.solution().dims);
    fact.constant = hint.value;
  }
  std::vector<Dim> dims;
  for (const HintSize& size : *hint.shape) {
    dims.push_back(sizeOf(analysis, size));
    if (!typer.solution().dims.isUndefined(dims.back())) continue;
    report(analysis.diagnostics, hintUndefined, at, arg::Code{hint.option});
    return;
  }
  const Type type = fact.sampleRate ? Type::f32 : fact.type;
  typer.unify(tensorType(typer, type, typer.shape(dims), at), typer.typeOf(fact.value), at, "`" + hint.option + "`");
}

}  // namespace

void placeHints(Analysis& analysis) {
  const Model& model = analysis.model;
  std::map<std::string_view, NodeId> nodes;
  if (!analysis.hints.all.empty())
    for (std::uint32_t i = 0; i < model.main.nodes.size(); ++i) nodes.emplace(model.main.nodes[i].name, NodeId{i});
  for (const Hint& hint : analysis.hints.all) {
    for (const HintSize& size : hint.shape.value_or(std::vector<HintSize>()))
      for (const std::string& name : size.names())
        if (!analysis.hints.sizes.count(name)) analysis.hints.sizes.emplace(name, analysis.typer.unknownSize(name));
    if (const auto outlet = outletNamed(model, nodes, hint.tensor)) {
      analysis.hints.byNode[outlet->node].emplace_back(outlet->port, &hint);
      continue;
    }
    report(analysis.diagnostics, hintWithoutTensor, ArtifactPlace{model.path, hint.tensor}, arg::Code{hint.option},
           arg::Name{hint.tensor});
  }
}

void applyHints(Analysis& analysis, NodeId id, OutletFacts& facts) {
  const auto hints = analysis.hints.byNode.find(id);
  if (hints == analysis.hints.byNode.end()) return;
  for (const auto& [port, hint] : hints->second)
    if (port < facts.size()) applyHint(analysis, facts[port], *hint, analysis.mainPlaces[id].name);
}

void addHintedTypes(const Analysis& analysis, NodeId id, std::vector<Type>& types) {
  const auto hints = analysis.hints.byNode.find(id);
  if (hints == analysis.hints.byNode.end() || operatorNamed(analysis.model.main[id].op)) return;
  for (const auto& [port, hint] : hints->second) {
    if (!hint->type || port > mostHintedPort) continue;
    if (types.size() <= port) types.resize(port + 1, Type::invalid);
    types[port] = *hint->type;
  }
}

const Hint* hintOfSamples(const Analysis& analysis, Outlet outlet) {
  const auto hints = analysis.hints.byNode.find(outlet.node);
  if (hints == analysis.hints.byNode.end()) return nullptr;
  for (const auto& [port, hint] : hints->second)
    if (port == outlet.port && hint->sampleRate) return hint;
  return nullptr;
}

}  // namespace axle::tensorflow
