#include "runtime/bind.h"

#include <optional>
#include <utility>

#include "dims/relation.h"
#include "io/joined.h"
#include "runtime/guards.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {
namespace {

using manifest::Manifest;

class SizeBinder {
 public:
  SizeBinder(const Manifest& manifest, std::span<const TensorView> inputs) : manifest_(manifest), inputs_(inputs) {
    sizes_.symbols.resize(manifest.symbols.size());
    sizes_.dims.resize(manifest.dims.size());
  }

  Result<Sizes> bind() {
    evaluate();
    auto result = checkKnownTypes()
                      .and_then([this] { return bindSymbols(); })
                      .and_then([this] { return checkSizes(); })
                      .and_then([this] { return checkGuards(); })
                      .and_then([this] { return checkComputable(); });
    if (!result) return tl::unexpected(std::move(result.error()));
    return std::move(sizes_);
  }

 private:
  void evaluate() { evaluateDims(manifest_.dims, sizes_.symbols, sizes_.dims); }

  const manifest::Value& value(std::size_t input) const {
    return manifest_.graph.values[manifest_.graph.inputs[input]];
  }

  tl::unexpected<RunError> wrongInput(std::size_t input, const std::string& why = {}) const {
    return failure(ErrorCode::wrongInput, joined({"input `", manifest_.inputs[input].name, "` has type ",
                                                  typeText(inputs_[input].elem, inputs_[input].shape), ", expected ",
                                                  manifest_.inputs[input].type, why}));
  }

  // Checks element types, ranks, and the sizes that are the same for every run.
  Result<void> checkKnownTypes() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& dims = value(i).shape;
      if (static_cast<std::uint32_t>(inputs_[i].elem) != value(i).elem ||
          static_cast<std::size_t>(inputs_[i].shape.rank()) != dims.size())
        return wrongInput(i);
      for (std::size_t axis = 0; axis < dims.size(); ++axis)
        if (const DimValue size = sizes_.dims[dims[axis]];
            size.known() && size.value != inputs_[i].shape[static_cast<int>(axis)])
          return wrongInput(i);
    }
    return {};
  }

  Result<void> bindSymbols() {
    for (std::size_t i = 0; i < manifest_.symbols.size(); ++i) {
      const manifest::Symbol& symbol = manifest_.symbols[i];
      if (symbol.found) continue;
      if (sizes_.dims[symbol.offset].state == DimState::unbound ||
          sizes_.dims[symbol.coefficient].state == DimState::unbound)
        evaluate();
      const DimValue size{inputs_[symbol.input].shape[static_cast<int>(symbol.axis)], DimState::known};
      const DimValue coefficient = sizes_.dims[symbol.coefficient];
      const DimValue rest = apply(DimOp::sub, size, sizes_.dims[symbol.offset]);
      const DimValue bound = apply(DimOp::div, rest, coefficient);
      if (!bound.known())
        return failure(ErrorCode::badSize,
                       joined({"`", symbol.name, "` cannot be told from input `", manifest_.inputs[symbol.input].name,
                               "` of type ", typeText(inputs_[symbol.input].elem, inputs_[symbol.input].shape)}));
      if (apply(DimOp::mod, rest, coefficient).value != 0 || bound.value < 0)
        return wrongInput(symbol.input, joined({": no `", symbol.name, "` >= 0 gives the size ", size.value,
                                                " of axis ", symbol.axis}));
      sizes_.symbols[i] = bound;
    }
    evaluate();
    return {};
  }

  Result<void> checkSizes() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      for (std::uint32_t axis = 0; axis < value(i).shape.size(); ++axis) {
        const std::uint32_t dim = value(i).shape[axis];
        const DimValue expected = sizes_.dims[dim];
        const std::int64_t actual = inputs_[i].shape[static_cast<int>(axis)];
        if (!expected.known() || expected.value == actual) continue;
        if (manifest_.dims[dim].op == DimOp::symbol)
          return contradiction(static_cast<std::size_t>(manifest_.dims[dim].value), i, axis, actual);
        const std::uint32_t roots[] = {dim};
        return wrongInput(i, joined({": axis ", axis, " must be ", expected.value, " for ",
                                     sizesText(manifest_, roots, sizes_.symbols)}));
      }
    return {};
  }

  tl::unexpected<RunError> contradiction(std::size_t symbolIndex, std::size_t input, std::uint32_t axis,
                                         std::int64_t actual) const {
    const manifest::Symbol& symbol = manifest_.symbols[symbolIndex];
    const std::string bound = std::to_string(sizes_.symbols[symbolIndex].value), other = std::to_string(actual);
    const std::string name = joined({"`", manifest_.inputs[input].name, "`"});
    auto error =
        symbol.input == input
            ? failure(ErrorCode::contradictingSizes, joined({"`", symbol.name, "` is ", bound, " by axis ", symbol.axis,
                                                             " and ", other, " by axis ", axis, " of input ", name}))
            : failure(ErrorCode::contradictingSizes,
                      joined({"`", symbol.name, "` is ", bound, " by input `", manifest_.inputs[symbol.input].name,
                              "` and ", other, " by input ", name}));
    noteType(error.value(), symbol.input);
    if (symbol.input != input) noteType(error.value(), input);
    return error;
  }

  void noteType(RunError& error, std::size_t input) const {
    error.notes.push_back(
        joined({"`", manifest_.inputs[input].name, "` has type ", typeText(inputs_[input].elem, inputs_[input].shape),
                ", expected ", manifest_.inputs[input].type}));
  }

  Result<void> checkGuards() const {
    const Marks late = lateDims(manifest_);
    for (std::size_t i = 0; i < manifest_.guards.size(); ++i) {
      const manifest::Guard& guard = manifest_.guards[i];
      if (guard.atNode || late[guard.left] || late[guard.right]) continue;
      if (!related(sizes_.dims[guard.left], static_cast<FactRelation>(guard.relation), sizes_.dims[guard.right]))
        return tl::unexpected(guardError(manifest_, i, sizes_));
    }
    return {};
  }

  // Refuses sizes without a value, which the other checks cannot compare.
  Result<void> checkComputable() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      for (std::uint32_t dim : value(i).shape)
        if (!sizes_.dims[dim].known()) {
          const std::uint32_t roots[] = {dim};
          return failure(ErrorCode::badSize,
                         joined({"a size of input `", manifest_.inputs[i].name, "` : ", manifest_.inputs[i].type,
                                 sizes_.dims[dim].state == DimState::overflow ? " overflows 64 bits for "
                                                                              : " is divided by zero for ",
                                 sizesText(manifest_, roots, sizes_.symbols)}));
        }
    return {};
  }

  const Manifest& manifest_;
  std::span<const TensorView> inputs_;
  Sizes sizes_;
};

}  // namespace

RunError guardError(const Manifest& manifest, std::size_t index, const Sizes& sizes) {
  const manifest::Guard& guard = manifest.guards[index];
  GuardInfo info = std::move(describeGuards(manifest)[index]);
  const std::uint32_t roots[] = {guard.left, guard.right};
  std::string text = (info.text == unprintedGuard ? info.text : joined({"guard `", info.text, "`"})) + " does not hold";
  if (const std::string values = sizesText(manifest, roots, sizes.symbols); !values.empty())
    text += joined({": ", values});
  RunError error{ErrorCode::guardFails, std::move(text), std::move(info.places), {}};
  for (const DimValue& side : {sizes.dims[guard.left], sizes.dims[guard.right]})
    if (side.state == DimState::undefined)
      error.notes.push_back("a side of it is divided by zero");
    else if (side.state == DimState::overflow)
      error.notes.push_back("a side of it overflows 64 bits");
  if (!info.reason.empty()) error.notes.push_back(std::move(info.reason));
  return error;
}

Result<Sizes> bindSizes(const Manifest& manifest, std::span<const TensorView> inputs) {
  return SizeBinder(manifest, inputs).bind();
}

Marks symbolsIn(const Manifest& manifest, std::span<const std::uint32_t> dims) {
  Marks needed(manifest.dims.size()), symbols(manifest.symbols.size());
  for (std::uint32_t dim : dims) needed[dim] = true;
  for (std::size_t i = manifest.dims.size(); i-- > 0;) {
    if (!needed[i]) continue;
    const DimNode& dim = manifest.dims[i];
    if (dim.op == DimOp::symbol)
      symbols[static_cast<std::size_t>(dim.value)] = true;
    else if (dim.op != DimOp::constant)
      needed[dim.left] = needed[dim.right] = true;
  }
  return symbols;
}

std::string sizesText(const Manifest& manifest, std::span<const std::uint32_t> dims,
                      std::span<const DimValue> symbols) {
  const Marks mentioned = symbolsIn(manifest, dims);
  std::string text;
  for (std::size_t i = 0; i < mentioned.size(); ++i)
    if (mentioned[i]) text += joined({text.empty() ? "" : ", ", manifest.symbols[i].name, " = ", symbols[i].value});
  return text;
}

}  // namespace axle::runtime
