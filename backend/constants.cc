#include "backend/constants.h"

#include <array>
#include <tuple>

#include "runtime/bundle_format.h"

namespace axle {

namespace codes {
const DiagnosticCode missingWeights{"E0522", Severity::error, "a program with parameters and no weights"};
const DiagnosticCode unreadableWeight{"E0523", Severity::error, "a tensor that cannot be read"};
const DiagnosticCode changedWeight{"E0524", Severity::error, "a tensor whose size differs from its type"};
}  // namespace codes

namespace {

constexpr Message<arg::Name> weightNotGiven{codes::missingWeights, "the parameter {} has no value", "declared here"};
constexpr Message<arg::Name, arg::Cause> weightUnreadable{codes::unreadableWeight,
                                                          "the tensor of the parameter {} cannot be read: {}"};
constexpr Message<arg::Name> weightOfOtherSize{
    codes::changedWeight, "the tensor of the parameter {} has another size than its type", "declared here"};

constexpr std::array<std::byte, runtime::bundleAlignment> zeros{};

// Identifies weights by their number, other constants by their bytes.
using Content = std::tuple<std::optional<std::uint32_t>, std::string_view>;

Content contentOf(const ir::Constant& constant) {
  if (constant.weight) return {constant.weight, {}};
  return {std::nullopt, {reinterpret_cast<const char*>(constant.bytes->data()), constant.bytes->size()}};
}

std::size_t elementBytes(const ir::Constant& constant) {
  std::size_t bytes = info(constant.elem).bytes;
  for (std::int64_t size : constant.shape) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

// The constants that the model's live graphs use, in the order of their ids.
std::vector<ir::ConstantId> usedConstants(const ir::Model& model) {
  std::vector<bool> used(model.constants.size());
  for (const ir::Graph& graph : model.graphs)
    if (auto order = ir::topologicalOrder(graph))
      for (ir::NodeId id : *order)
        if (graph[id].op == ir::Op::constant) used[graph[id].constant.index] = true;
  std::vector<ir::ConstantId> constants;
  for (std::uint32_t i = 0; i < used.size(); ++i)
    if (used[i]) constants.push_back(ir::ConstantId{i});
  return constants;
}

class ConstantPlacement {
 public:
  ConstantPlacement(const WeightBytes& weights, Diagnostics& diagnostics)
      : weights_(weights), diagnostics_(diagnostics) {}

  void add(const ir::Model& model) {
    out_.indices.emplace_back();
    for (ir::ConstantId id : usedConstants(model)) {
      const ir::Constant& constant = model[id];
      auto [known, isNew] = typed_.try_emplace({constant.elem, constant.shape, contentOf(constant)}, out_.all.size());
      out_.indices.back()[id.index] = static_cast<std::uint32_t>(known->second);
      if (isNew) place(model, constant);
    }
  }

  std::optional<Constants> take() {
    if (!complete_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void place(const ir::Model& model, const ir::Constant& constant) {
    PlacedConstant placed{&constant, 0, elementBytes(constant)};
    auto [known, isNew] = offsets_.try_emplace(contentOf(constant), 0);
    if (isNew) {
      std::optional<TensorBytes> bytes = bytesOf(model, constant);
      complete_ = complete_ && bytes;
      std::uint64_t start = runtime::alignUp(out_.bytes);
      if (start != out_.bytes) out_.section.push_back({nullptr, std::span(zeros.data(), start - out_.bytes)});
      known->second = start;
      out_.bytes = start + placed.bytes;
      if (bytes) out_.section.push_back(std::move(*bytes));
    }
    placed.offset = known->second;
    out_.all.push_back(placed);
  }

  std::optional<TensorBytes> bytesOf(const ir::Model& model, const ir::Constant& constant) {
    if (!constant.weight) return TensorBytes{constant.bytes, std::span(constant.bytes->data(), constant.bytes->size())};
    const ir::Weight& weight = model.weights[*constant.weight];
    const arg::Name parameter(weight.parameter);
    if (!weights_) {
      report(diagnostics_, weightNotGiven, weight.span, parameter)
          .addHelp("give the weights with --weights FILE, or --weights random to try it");
      return std::nullopt;
    }
    FileResult<TensorBytes> bytes = weights_(*constant.weight, constant);
    if (!bytes) {
      const FileError& error = bytes.error();
      const ArtifactPlace tensor{error.path, error.tensor};
      report(diagnostics_, weightUnreadable, tensor, parameter, arg::Cause{error.what});
      return std::nullopt;
    }
    if (bytes->bytes.size() == elementBytes(constant)) return std::move(*bytes);
    report(diagnostics_, weightOfOtherSize, weight.span, parameter);
    return std::nullopt;
  }

  const WeightBytes& weights_;
  Diagnostics& diagnostics_;
  Constants out_;
  bool complete_ = true;
  std::map<std::tuple<Elem, std::vector<std::int64_t>, Content>, std::size_t> typed_;
  std::map<Content, std::uint64_t> offsets_;
};

}  // namespace

std::optional<Constants> placeConstants(std::span<const Variant> variants, const WeightBytes& weights,
                                        Diagnostics& diagnostics) {
  ConstantPlacement placement(weights, diagnostics);
  for (const Variant& variant : variants) placement.add(*variant.model);
  return placement.take();
}

}  // namespace axle
