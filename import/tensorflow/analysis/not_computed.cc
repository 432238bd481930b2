#include "import/tensorflow/analysis/not_computed.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/conflict_origins.h"

namespace axle::codes {

const DiagnosticCode notComputed{"E0918", Severity::error, "nodes that cannot be computed yet"};

}  // namespace axle::codes

namespace axle::tensorflow {
namespace {

constexpr Message<> nodeNotComputed{codes::notComputed, "the outputs need a node that cannot be computed yet"};
constexpr Message<arg::Number> nodesNotComputed{codes::notComputed,
                                                "the outputs need {} nodes that cannot be computed yet"};

constexpr std::size_t mostListed = 20;  // nodes of one error

struct MissingNode {
  bool isKnown;  // whether its operator is known
  bool isOfMain, takesText;
  std::string name, op;
  Span place;
  // Sorts nodes of unknown operators first.
  bool operator<(const MissingNode& other) const {
    return std::tie(isKnown, name, op) < std::tie(other.isKnown, other.name, other.op);
  }
};

// Whether the text is decoded as a WAV file.
bool isSound(const Graph& graph, Outlet outlet) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.op == "DecodeWav" && !node.inputs.empty() && node.inputs[0] == outlet;
  });
}

bool takesText(const Site& site) {
  const Frame& frame = *site.frame;
  const std::vector<Outlet>& inputs = frame[site.node].inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](Outlet input) {
    return frame.factOf(input).type == Type::string && !isSound(*frame.graph, input);
  });
}

// Returns the nodes of unknown operators on whose values the node depends.
std::vector<Site> unknownNodesBehind(Analysis& analysis, Site site) {
  std::vector<Site> found, open{site};
  std::set<Site> seen;
  while (!open.empty()) {
    const Site at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Node& node = (*at.frame)[at.node];
    if (analysis.unknownNodes.count(at)) {
      found.push_back(at);
    } else if (node.op == "_Arg" && at.frame->caller) {
      open.push_back({at.frame->caller, at.frame->call});
    } else {
      for (Outlet from : node.inputs) {
        const TypedId value = at.frame->factOf(from).value;
        if (!value || analysis.typer.isOpaque(value)) open.push_back({at.frame, from.node});
      }
    }
  }
  return found;
}

std::vector<MissingNode> missingNodes(Analysis& analysis, const std::vector<Span>& places) {
  std::vector<MissingNode> nodes;
  const auto add = [&](const Site& at, Span place, bool isKnown) {
    const Node& node = (*at.frame)[at.node];
    const auto isSame = [&](const MissingNode& other) { return other.name == node.name && other.op == node.op; };
    if (std::none_of(nodes.begin(), nodes.end(), isSame))
      nodes.push_back({isKnown, analysis.isMain(*at.frame), takesText(at), node.name, node.op, place});
  };
  for (Span place : places) {
    const auto site = siteOf(analysis, {place, {}}, nullptr);
    if (!site) continue;
    const std::vector<Site> unknown = unknownNodesBehind(analysis, *site);
    for (const Site& at : unknown) add(at, at.frame->at(at.node).op, false);
    if (unknown.empty()) add(*site, place, true);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

void reportNotComputed(Analysis& analysis, const std::vector<Span>& places) {
  const Model& model = analysis.model;
  const std::vector<MissingNode> nodes = missingNodes(analysis, places);
  const LabelPlace place = nodes.empty() ? LabelPlace(ArtifactPlace{model.path, ""}) : LabelPlace(nodes.front().place);
  Diagnostic d = nodes.size() == 1 ? Diagnostic(nodeNotComputed, place)
                                   : Diagnostic(nodesNotComputed, place, arg::Number{nodes.size()});
  if (!nodes.empty()) {
    const MissingNode& first = nodes.front();
    d.setLabel(!first.isKnown    ? Phrase("axc does not know this operator")
               : first.takesText ? Phrase("axc does not compute with text")
                                 : Phrase("its type is known, but not its value"));
    for (std::size_t i = 0; i < std::min(nodes.size(), mostListed); ++i)
      d.addNote("{} ({})", arg::Name{nodes[i].name}, arg::Cause{nodes[i].op});
    if (nodes.size() > mostListed) d.addNote("and {} more", arg::Number{nodes.size() - mostListed});
    if (!first.isKnown && first.isOfMain)
      d.addHelp("make its result an input, with its type: {}",
                arg::Code{fmt::format("--input \"{}=f32 [n, 10]\"", first.name)});
  }
  for (const Port& input : model.inputs)
    if (!analysis.main().factOf(input.outlet).sampleRate && isSound(model.main, input.outlet))
      d.addHelp("{} is a WAV file, and its samples decide: give one, as in {}", arg::Name{input.name},
                arg::Code{fmt::format("-i {}=FILE.wav", input.name)});
  analysis.diagnostics.push_back(std::move(d));
}

}  // namespace axle::tensorflow
