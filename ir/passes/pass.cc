#include "ir/passes/pass.h"

namespace axle::ir {

std::span<const Pass> passTable() {
  static constexpr Pass rows[] = {
      {"prune", pruneStep},
      {"fold", foldStep},
      {"prune-folded", pruneStep},
  };
  return rows;
}

const Pass* passNamed(std::string_view name) {
  for (const Pass& pass : passTable())
    if (pass.name == name) return &pass;
  return nullptr;
}

tl::expected<void, std::string> runPasses(Model& model, const PassContext& context, std::string_view last) {
  for (const Pass& pass : passTable()) {
    while (std::optional<Patch> patch = pass.step(model, context))
      if (auto done = apply(model, *patch); !done) return tl::unexpected(std::string(pass.name) + ": " + done.error());
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

}  // namespace axle::ir
