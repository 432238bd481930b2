#include "backend/evaluate.h"

#include "runtime/session.h"

namespace axle {

ir::Evaluate runtimeEvaluator(WeightBytes weights) {
  return [weights = std::move(weights)](const ir::Model& model) -> std::optional<std::vector<std::vector<std::byte>>> {
    Diagnostics ignored;  // a model that cannot be evaluated is not folded
    SourceMap noSources;
    std::optional<Bundle> bundle = makeBundle(model, {}, noSources, weights, ignored, {.strip = true});
    if (!bundle) return std::nullopt;
    TensorBytes bytes = bundle->inMemory();
    runtime::LoadOptions options;
    options.verifyChecksums = false;
    auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner, options);
    if (!session || !session->bind({}) || !session->run()) return std::nullopt;
    std::vector<std::vector<std::byte>> outputs;
    for (std::size_t i = 0; i < session->outputs().size(); ++i) {
      runtime::TensorView view = session->output(i);
      const auto* data = static_cast<const std::byte*>(view.data);
      outputs.emplace_back(data, data + (data ? view.bytes() : 0));
    }
    return outputs;
  };
}

}  // namespace axle
