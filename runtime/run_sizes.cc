#include "runtime/run_sizes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dims/relation.h"
#include "runtime/program.h"

namespace axle::runtime {

Marks lateDims(const manifest::Manifest& manifest) {
  Marks late(manifest.dims.size());
  for (std::size_t i = 0; i < late.size(); ++i) {
    const DimNode& dim = manifest.dims[i];
    if (dim.op == DimOp::symbol)
      late[i] = manifest.symbols[static_cast<std::size_t>(dim.value)].found;
    else if (dim.op != DimOp::constant)
      late[i] = late[dim.left] || late[dim.right];
  }
  return late;
}

RunSizes::RunSizes(const manifest::Manifest& manifest, Sizes sizes)
    : manifest_(&manifest), sizes_(std::move(sizes)), late_(lateDims(manifest)) {
  for (std::uint32_t i = 0; i < late_.size(); ++i)
    if (late_[i]) lateDims_.push_back(i);
  for (std::uint32_t i = 0; i < manifest.guards.size(); ++i)
    if (const manifest::Guard& guard = manifest.guards[i]; !guard.atNode && (late_[guard.left] || late_[guard.right]))
      lateGuards_.push_back(i);
  if (lateDims_.empty()) return;
  std::vector<DimRange> symbols(manifest.symbols.size()), ranges(manifest.dims.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = {sizes_.symbols[i], sizes_.symbols[i]};
  evaluateRanges(manifest.dims, symbols, ranges);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!manifest.symbols[i].found) continue;
    const DimValue most = ranges[manifest.symbols[i].most].high;
    symbols[i] = most.known() ? DimRange{{0, DimState::known}, {std::max<std::int64_t>(most.value, 0), DimState::known}}
                              : DimRange{most, most};
    evaluateRanges(manifest.dims, symbols, ranges);
  }
  for (const DimRange& range : ranges) high_.push_back(range.high);
}

void RunSizes::updateLateDims() {
  for (std::uint32_t i : lateDims_) {
    const DimNode& node = manifest_->dims[i];
    sizes_.dims[i] = node.op == DimOp::symbol ? sizes_.symbols[static_cast<std::size_t>(node.value)]
                                              : apply(node.op, sizes_.dims[node.left], sizes_.dims[node.right]);
  }
}

bool RunSizes::set(std::uint32_t symbol, std::int64_t size, Fault& fault) {
  const manifest::Symbol& found = manifest_->symbols[symbol];
  const DimValue most = high_[found.most];
  if (size < 0 || !most.known() || size > most.value) {
    fault.code = ErrorCode::badSize;
    fault.message =
        "the size `" + found.name + "` is " + std::to_string(size) + (size < 0 ? "" : ", more than was planned for");
    return false;
  }
  sizes_.symbols[symbol] = {size, DimState::known};
  updateLateDims();
  for (std::uint32_t guard : lateGuards_) {
    const manifest::Guard& g = manifest_->guards[guard];
    const bool open = sizes_.dims[g.left].state == DimState::unbound || sizes_.dims[g.right].state == DimState::unbound;
    if (!open && !guardHolds(guard, fault)) return false;
  }
  return true;
}

void RunSizes::clear(std::span<const std::uint32_t> symbols) {
  if (symbols.empty()) return;
  for (std::uint32_t symbol : symbols) sizes_.symbols[symbol] = {};
  updateLateDims();
}

bool RunSizes::guardHolds(std::uint32_t guard, Fault& fault) const {
  const manifest::Guard& g = manifest_->guards[guard];
  if (related(sizes_.dims[g.left], static_cast<FactRelation>(g.relation), sizes_.dims[g.right])) return true;
  fault.refused = guardError(*manifest_, guard, sizes_);
  return false;
}

}  // namespace axle::runtime
