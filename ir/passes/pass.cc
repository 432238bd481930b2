#include "ir/passes/pass.h"

#include <algorithm>

#include "ir/passes/match.h"

namespace axle::ir {

std::span<const Pass> passTable() {
  static constexpr Pass rows[] = {
      // name             level  step, or rules
      {"prune", 0, pruneStep, nullptr},
      {"fold", 0, foldStep, nullptr},
      {"prune-folded", 0, pruneStep, nullptr},
      {"simplify", 1, nullptr, simplifyRules},
      {"simplify-windows", 1, nullptr, windowRules},
      {"pad-into-window", 1, nullptr, padIntoWindowRules},
      {"sink", 1, nullptr, sinkRules},
      {"fold-scales", 1, nullptr, scaleRules},
      {"trim-bodies", 1, trimBodiesStep, nullptr},
      {"hoist", 1, hoistStep, nullptr},
      {"unroll", 1, unrollStep, nullptr},
      {"cse", 1, commonSubexpressionsStep, nullptr},
      {"fold-rewritten", 1, foldStep, nullptr},
      {"prune-rewritten", 1, pruneStep, nullptr},
  };
  return rows;
}

const Pass* passNamed(std::string_view name) {
  for (const Pass& pass : passTable())
    if (pass.name == name) return &pass;
  return nullptr;
}

tl::expected<bool, std::string> applyAdmitted(Model& model, Uses& uses, const Patch& patch,
                                              const PassContext& context) {
  if (context.admit && !context.admit(patch)) return false;
  if (auto done = apply(model, uses, patch); !done) return tl::unexpected(done.error());
  return true;
}

tl::expected<bool, std::string> runPass(Model& model, const PassContext& context, const Pass& pass) {
  if (pass.rules) {
    auto done = runRules(model, context, pass.rules());
    if (!done) return done;
    if (auto wrong = verify(model)) return tl::unexpected(*wrong);
    return done;
  }
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
