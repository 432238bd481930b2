#include "backend/constants.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <tuple>

#include "runtime/bundle_format.h"
#include "runtime/vector/product.h"

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
using Content = std::tuple<std::optional<std::uint32_t>, std::string_view, std::optional<ir::Rearrangement>>;

Content contentOf(const ir::Constant& constant) {
  if (constant.weight) return {constant.weight, {}, constant.rearranged};
  return {std::nullopt,
          {reinterpret_cast<const char*>(constant.bytes->data()), constant.bytes->size()},
          constant.rearranged};
}

std::size_t elementBytes(Elem elem, const std::vector<std::int64_t>& shape) {
  std::size_t bytes = info(elem).bytes;
  for (std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

TensorBytes rearranged(const TensorBytes& from, std::size_t width, const ir::Rearrangement& order) {
  std::size_t elements = 1;
  for (const auto& axis : order.axes) elements *= static_cast<std::size_t>(axis.size);
  auto made = std::make_shared<std::vector<std::byte>>(elements * width);
  std::vector<std::int64_t> place(order.axes.size());
  std::int64_t at = order.first;
  for (std::size_t element = 0; element < elements; ++element) {
    std::memcpy(made->data() + element * width, from.bytes.data() + static_cast<std::size_t>(at) * width, width);
    for (std::size_t i = place.size(); i-- > 0;) {
      at += order.axes[i].step;
      if (++place[i] < order.axes[i].size) break;
      at -= order.axes[i].step * order.axes[i].size;
      place[i] = 0;
    }
  }
  const std::span<const std::byte> bytes = *made;
  return {std::move(made), bytes};
}

// Stores a constant, of elements as wide as T, in panels.
template <class T>
TensorBytes inPanels(const TensorBytes& from, const std::vector<std::int64_t>& shape, std::int64_t groups) {
  const auto columns = static_cast<std::size_t>(shape.back()), width = columns / static_cast<std::size_t>(groups);
  constexpr auto panelWidth = static_cast<std::size_t>(runtime::panelWidth);
  const std::size_t panels = (width + panelWidth - 1) / panelWidth,
                    rows = columns == 0 ? 0 : from.bytes.size() / sizeof(T) / columns;
  auto made = std::make_shared<std::vector<T>>(static_cast<std::size_t>(groups) * panels * rows * panelWidth);
  T* to = made->data();
  for (std::size_t group = 0; group < static_cast<std::size_t>(groups); ++group)
    for (std::size_t panel = 0; panel < panels; ++panel)
      for (std::size_t row = 0; row < rows; ++row, to += panelWidth) {
        const std::size_t first = panel * panelWidth, count = std::min(panelWidth, width - first);
        std::memcpy(to, from.bytes.data() + (row * columns + group * width + first) * sizeof(T), count * sizeof(T));
      }
  const auto bytes = std::as_bytes(std::span(*made));
  return {std::move(made), bytes};
}

TensorBytes stored(const TensorBytes& from, Elem elem, const std::vector<std::int64_t>& shape, const Storage& storage) {
  return elem == Elem::f32 ? inPanels<std::uint32_t>(from, shape, storage.groupsInPanels)
                           : inPanels<std::uint16_t>(from, shape, storage.groupsInPanels);
}

// Returns the constants that a program's calls read or that are results.
std::set<StoredConstant> usedConstants(const ir::Model& model, const Program& program) {
  std::set<StoredConstant> used;
  for (std::size_t g = 0; g < model.graphs.size(); ++g) {
    const ir::Graph& graph = model.graphs[g];
    const auto use = [&](ir::OutletId id, const Storage& storage) {
      const ir::Node& node = graph.producer(id);
      if (node.op == ir::Op::constant) used.insert({node.constant, storage});
    };
    for (const Call& call : program.graphs[g])
      for (std::size_t i = 0; i < call.inputs.size(); ++i) use(call.inputs[i], i == 1 ? call.storage : Storage{});
    for (ir::OutletId output : graph.outputs) use(output, {});
  }
  return used;
}

class ConstantPlacement {
 public:
  ConstantPlacement(const WeightBytes& weights, Diagnostics& diagnostics)
      : weights_(weights), diagnostics_(diagnostics) {}

  void add(const ir::Model& model, const Program& program) {
    out_.indices.emplace_back();
    for (const StoredConstant& stored : usedConstants(model, program)) {
      const ir::Constant& constant = model[stored.id];
      auto [known, isNew] =
          typed_.try_emplace({constant.elem, constant.shape, contentOf(constant), stored.storage}, out_.all.size());
      out_.indices.back()[stored] = static_cast<std::uint32_t>(known->second);
      if (isNew) place(model, constant, stored.storage);
    }
  }

  std::optional<Constants> take() {
    if (!complete_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void place(const ir::Model& model, const ir::Constant& constant, const Storage& storage) {
    PlacedConstant placed{&constant, storedShape(constant.shape, storage), 0, 0};
    placed.bytes = elementBytes(constant.elem, placed.shape);
    // Bytes in panels depend on the shape; other bytes are the same for all shapes.
    auto [known, isNew] = offsets_.try_emplace(
        {contentOf(constant), storage, storage == Storage{} ? std::vector<std::int64_t>{} : constant.shape}, 0);
    if (isNew) {
      std::optional<TensorBytes> bytes = bytesOf(model, constant);
      if (bytes && constant.rearranged) bytes = rearranged(*bytes, info(constant.elem).bytes, *constant.rearranged);
      if (bytes && storage != Storage{}) bytes = stored(*bytes, constant.elem, constant.shape, storage);
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

  // Returns the bytes of a constant before they are rearranged.
  std::optional<TensorBytes> bytesOf(const ir::Model& model, ir::Constant constant) {
    if (constant.rearranged) constant.shape = constant.rearranged->source;
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
    if (bytes->bytes.size() == elementBytes(constant.elem, constant.shape)) return std::move(*bytes);
    report(diagnostics_, weightOfOtherSize, weight.span, parameter);
    return std::nullopt;
  }

  const WeightBytes& weights_;
  Diagnostics& diagnostics_;
  Constants out_;
  bool complete_ = true;
  std::map<std::tuple<Elem, std::vector<std::int64_t>, Content, Storage>, std::size_t> typed_;
  std::map<std::tuple<Content, Storage, std::vector<std::int64_t>>, std::uint64_t> offsets_;
};

}  // namespace

std::vector<std::int64_t> storedShape(const std::vector<std::int64_t>& shape, const Storage& storage) {
  const std::int64_t groups = storage.groupsInPanels;
  if (groups == 0) return shape;
  std::vector<std::int64_t> stored{groups * runtime::panelsOf(shape.back() / groups)};
  stored.insert(stored.end(), shape.begin(), shape.end() - 1);
  stored.push_back(runtime::panelWidth);
  return stored;
}

std::optional<Constants> placeConstants(std::span<const Variant> variants, std::span<const Program> programs,
                                        const WeightBytes& weights, Diagnostics& diagnostics) {
  ConstantPlacement placement(weights, diagnostics);
  for (std::size_t i = 0; i < variants.size(); ++i) placement.add(*variants[i].model, programs[i]);
  return placement.take();
}

}  // namespace axle
