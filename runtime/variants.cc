#include "runtime/variants.h"

#include <algorithm>
#include <utility>

#include "io/joined.h"
#include "io/sorting.h"
#include "runtime/bind.h"
#include "runtime/check.h"
#include "runtime/guards.h"

namespace axle::runtime {
namespace {

using manifest::Manifest;

std::vector<PortInfo> portsOf(const Manifest& manifest, const std::vector<manifest::Port>& ports,
                              const std::vector<std::uint32_t>& values, std::span<const DimValue> dims) {
  std::vector<PortInfo> infos;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const manifest::Value& value = manifest.graph.values[values[i]];
    PortInfo info{ports[i].name, static_cast<Elem>(value.elem), ports[i].type, {}, {}};
    if (ports[i].splitsOf != 0) info.splitsOf = ports[i].splitsOf - 1;
    info.sizes.emplace();
    for (std::uint32_t dim : value.shape)
      info.sizes->push_back(dims[dim].known() ? std::optional(dims[dim].value) : std::nullopt);
    infos.push_back(std::move(info));
  }
  return infos;
}

Variant describe(Manifest manifest) {
  Variant variant;
  variant.manifest = std::move(manifest);
  const Manifest& checked = variant.manifest;
  std::vector<DimValue> unbound(checked.symbols.size()), dims(checked.dims.size());
  evaluateDims(checked.dims, unbound, dims);
  variant.inputs = portsOf(checked, checked.inputs, checked.graph.inputs, dims);
  variant.outputs = portsOf(checked, checked.outputs, checked.graph.outputs, dims);
  for (const manifest::Symbol& symbol : checked.symbols) {
    variant.symbols.push_back(symbol.name);
    if (!symbol.found) variant.given.push_back(symbol.name);
  }
  variant.guards = describeGuards(checked);
  return variant;
}

// Whether the ports differ only in ranks.
bool samePorts(std::span<const PortInfo> ports, std::span<const PortInfo> others) {
  return std::equal(ports.begin(), ports.end(), others.begin(), others.end(), [](const PortInfo& a, const PortInfo& b) {
    return a.name == b.name && a.elem == b.elem && a.splitsOf == b.splitsOf;
  });
}

// Gives the first variant's ports the entry's types.
bool openPorts(std::vector<PortInfo>& ports, const std::vector<manifest::Port>& entry) {
  if (ports.size() != entry.size()) return false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name != entry[i].name) return false;
    ports[i].type = entry[i].type;
    ports[i].sizes.reset();
  }
  return true;
}

Result<Variant> describeOpen(Manifest manifest, std::span<const Variant> all) {
  Variant open;
  open.inputs = all.front().inputs;
  open.outputs = all.front().outputs;
  if (!openPorts(open.inputs, manifest.inputs) || !openPorts(open.outputs, manifest.outputs))
    return inconsistent("its variants have other inputs or outputs than their entry");
  open.given = all.front().given;
  for (const Variant& variant : all) {
    std::erase_if(open.given, [&](const std::string& symbol) {
      return std::find(variant.given.begin(), variant.given.end(), symbol) == variant.given.end();
    });
    for (const GuardInfo& guard : variant.guards)
      if (std::none_of(open.guards.begin(), open.guards.end(),
                       [&](const GuardInfo& known) { return known.text == guard.text; }))
        open.guards.push_back(guard);
  }
  open.manifest = std::move(manifest);
  return open;
}

bool hasRank(const PortInfo& port, const TensorView& input) {
  return port.sizes->size() == static_cast<std::size_t>(input.shape.rank());
}

// Returns the ranks of an input in the variants that fit: `1`, `0 to 7`, `1, 3`.
std::string ranksText(const Variants& variants, const Marks& fits, std::size_t input) {
  std::vector<std::size_t> ranks;
  for (std::size_t v = 0; v < fits.size(); ++v)
    if (fits[v]) ranks.push_back(variants.all[v].inputs[input].sizes->size());
  sortItems(std::span(ranks));
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() > 1 && ranks.back() - ranks.front() + 1 == ranks.size())
    return joined({ranks.front(), " to ", ranks.back()});
  std::string text;
  for (std::size_t rank : ranks) text += joined({text.empty() ? "" : ", ", rank});
  return text;
}

}  // namespace

Result<Variants> makeVariants(Manifest manifest, std::uint64_t weightBytes) {
  Variants variants;
  const auto add = [&](Manifest one) -> Result<void> {
    auto checked = checkManifest(one, weightBytes);
    if (checked) variants.all.push_back(describe(std::move(one)));
    return checked;
  };
  if (manifest.variants.empty()) {
    if (auto added = add(std::move(manifest)); !added) return tl::unexpected(std::move(added.error()));
    return variants;
  }
  for (Manifest& one : std::exchange(manifest.variants, {})) {
    one.constants = manifest.constants;
    one.producer = manifest.producer;
    one.entry = manifest.entry;
    if (auto added = add(std::move(one)); !added) return tl::unexpected(std::move(added.error()));
    const Variant &first = variants.all.front(), &last = variants.all.back();
    if (!samePorts(first.inputs, last.inputs) || !samePorts(first.outputs, last.outputs))
      return inconsistent("its variants differ in more than ranks");
  }
  auto open = describeOpen(std::move(manifest), variants.all);
  if (!open) return tl::unexpected(std::move(open.error()));
  variants.open = std::move(*open);
  return variants;
}

Result<std::size_t> variantFor(const Variants& variants, std::span<const TensorView> inputs) {
  Marks fits(variants.all.size(), true);
  for (std::size_t i = 0; i < inputs.size() && variants.open; ++i) {
    Marks still = fits;
    for (std::size_t v = 0; v < fits.size(); ++v) still[v] = fits[v] && hasRank(variants.all[v].inputs[i], inputs[i]);
    const PortInfo& port = variants.open->inputs[i];
    if (inputs[i].elem == port.elem && std::find(still.begin(), still.end(), true) != still.end()) {
      fits = std::move(still);
      continue;
    }
    auto error =
        failure(ErrorCode::wrongInput, joined({"input `", port.name, "` has type ",
                                               typeText(inputs[i].elem, inputs[i].shape), ", expected ", port.type}));
    if (inputs[i].elem == port.elem)
      error.value().notes.push_back(joined({"the bundle covers rank ", ranksText(variants, fits, i), " of `", port.name,
                                            i == 0 ? "`" : "` beside the other inputs"}));
    return error;
  }
  return static_cast<std::size_t>(std::find(fits.begin(), fits.end(), true) - fits.begin());
}

}  // namespace axle::runtime
