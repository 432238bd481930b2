#include "ir/passes/pass.h"

#include <algorithm>
#include <utility>

#include "ir/passes/match.h"

namespace axle::ir {

std::span<const Pass> passTable() {
  // clang-format off
  static constexpr Pass rows[] = {
      // name           level  step                      rules           rewrite
      {"prune",             0, pruneStep,                nullptr,        nullptr},
      {"fold",              0, foldStep,                 nullptr,        nullptr},
      {"prune-folded",      0, pruneStep,                nullptr,        nullptr},
      {"dilate-windows",    1, nullptr,                  nullptr,        dilateWindow},
      {"simplify",          1, nullptr,                  simplifyRules,  nullptr},
      {"simplify-windows",  1, nullptr,                  windowRules,    nullptr},
      {"pad-into-window",   1, nullptr,                  padIntoWindowRules, nullptr},
      {"sink",              1, nullptr,                  sinkRules,      nullptr},
      {"fold-scales",       1, nullptr,                  scaleRules,     nullptr},
      {"dense-windows",     1, nullptr,                  denseWindowRules, nullptr},
      {"trim-bodies",       1, nullptr,                  nullptr,        trimBody},
      {"hoist",             1, nullptr,                  nullptr,        hoistInvariants},
      {"unroll",            1, nullptr,                  nullptr,        unrollLoop},
      {"cse",               1, commonSubexpressionsStep, nullptr,        nullptr},
      {"fold-rewritten",    1, foldStep,                 nullptr,        nullptr},
      {"prune-rewritten",   1, pruneStep,                nullptr,        nullptr},
  };
  // clang-format on
  return rows;
}

const Pass* passNamed(std::string_view name) {
  for (const Pass& pass : passTable())
    if (pass.name == name) return &pass;
  return nullptr;
}

tl::expected<bool, std::string> rewriteEverywhere(Model& model, const PassContext& context,
                                                  const RewriteNode& rewrite) {
  Uses uses(model);
  bool isChanged = false;
  std::size_t left = 1000;
  for (const Graph& graph : model.graphs) left += 16 * graph.nodes.size();
  for (bool again = true; std::exchange(again, false);)
    for (std::uint32_t g = 0; g < model.graphs.size(); ++g) {
      const auto order = topologicalOrder(model.graphs[g]);
      if (!order) return tl::unexpected(std::string("a graph has a cycle"));
      for (NodeId node : *order)
        while (node.index < model.graphs[g].nodes.size() && model.graphs[g][node].op != Op::none) {
          const std::optional<Patch> patch = rewrite(uses, GraphId{g}, node);
          if (!patch) break;
          if (left-- == 0) return tl::unexpected("the rewrites do not end: " + patch->what);
          if (context.admit && !context.admit(*patch)) return false;
          if (auto done = apply(model, uses, *patch); !done) return tl::unexpected(done.error());
          again = isChanged = true;
          const auto& replaced = patch->edits[0].replaced;
          if (!replaced.empty()) node = model.graphs[g][replaced.back().second].node;
        }
    }
  if (!isChanged) return true;
  if (auto wrong = verify(model)) return tl::unexpected(*wrong);
  return true;
}

tl::expected<bool, std::string> runPass(Model& model, const PassContext& context, const Pass& pass) {
  if (pass.rules) return runRules(model, context, pass.rules());
  if (pass.rewrite)
    return rewriteEverywhere(model, context, [&](const Uses& uses, GraphId graph, NodeId node) {
      return pass.rewrite(model, uses, graph, node);
    });
  while (std::optional<Patch> patch = pass.step(model, context)) {
    if (context.admit && !context.admit(*patch)) return false;
    if (auto done = apply(model, *patch); !done) return tl::unexpected(done.error());
  }
  return true;
}

tl::expected<void, std::string> runPasses(Model& model, const PassContext& context, std::string_view last) {
  for (const Pass& pass : passTable()) {
    if (pass.level <= context.level) {
      auto done = runPass(model, context, pass);
      if (!done) return tl::unexpected(std::string(pass.name) + ": " + done.error());
      if (!*done) break;
    }
    if (pass.name == last) break;
  }
  return {};
}

CaptureStart captureStart(const Node& node) {
  switch (node.op) {
    case Op::map: {
      const auto [sequences] = std::get<MapAttributes>(node.attributes);
      return {sequences, sequences};
    }
    case Op::loop: {
      const auto [states, sequences] = std::get<LoopAttributes>(node.attributes);
      return {states + sequences, states + sequences};
    }
    case Op::whileLoop: {
      const auto [states] = std::get<WhileAttributes>(node.attributes);
      return {states, states};
    }
    case Op::branch:
      return {1, 0};
    case Op::reduce:
      return {2, 2};
    default:
      return {node.inputs.size(), 0};
  }
}

bool hasComposite(const Model& model, GraphId graph) {
  return std::any_of(model.composites.begin(), model.composites.end(),
                     [&](const Composite& composite) { return composite.graph == graph; });
}

}  // namespace axle::ir
