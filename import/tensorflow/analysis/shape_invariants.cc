// States of loops that keep their shape. What a body computes of an open size is often another one (it may stretch), so
// that nothing would be known of the next turn; that it is the same is shown by induction.
#include <algorithm>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostRuns = 6;

}  // namespace

std::optional<Shape> Analysis::steadyShape(const OutletFact& start, const PartialShape* declared,
                                           const std::string& name) {
  const std::string key = name + ":" + std::to_string(statesOf_[name]++);
  if (assumed_.changingRank.count(key)) return typer_.unknownShape("s");
  if (!assumed_.any || assumed_.moving.count(key)) return std::nullopt;
  auto shape = resolvedShape(start);
  if (!shape) return std::nullopt;
  if (declared && declared->knownRank) {
    if (declared->sizes.size() != shape->size()) return std::nullopt;
    for (std::size_t i = 0; i < shape->size(); ++i) {
      auto size = typer_.solution().dims.asConstant(typer_.solution().resolve((*shape)[i].dim));
      if (declared->sizes[i] >= 0 && size != declared->sizes[i]) return std::nullopt;
    }
  }
  steady_.push_back({key, {}});
  return shape;
}

bool Analysis::addMoving(Steady& to) {
  bool isAny = false;
  auto resolved = [&](const OutletFact& fact) {
    auto shape = resolvedShape(fact);
    std::vector<Dim> dims;
    for (std::size_t i = 0; shape && i < shape->size(); ++i) dims.push_back(typer_.solution().resolve((*shape)[i].dim));
    return shape ? std::optional(std::move(dims)) : std::nullopt;
  };
  for (const SteadyState& steady : steady_) {
    auto loop =
        std::find_if(loops_.begin(), loops_.end(), [&](const Loop& its) { return its.state.value == steady.state; });
    // Of a body that gives nothing nothing is shown.
    auto before = loop == loops_.end() ? std::nullopt : resolved(loop->start);
    const auto after = before ? resolved(loop->next) : std::nullopt;
    if (before && before == after) continue;
    isAny = true;
    to.moving.insert(steady.name);
    if (after && before->size() != after->size()) to.changingRank.insert(steady.name);
  }
  return isAny;
}

void analyse(std::optional<Analysis>& analysis, const Model& model, SourceMap& sources, Diagnostics& diagnostics,
             const std::vector<Hint>& hints) {
  const std::size_t told = diagnostics.size();
  Steady steady{true, {}, {}};
  for (std::size_t i = 0;; ++i) {
    analysis.emplace(model, sources, diagnostics, hints, steady);
    analysis->run();
    if (!analysis->tookSteady()) return;
    const bool isMoving = analysis->addMoving(steady), failed = hasErrors(diagnostics);
    if (!isMoving && !failed) return;
    steady.any = isMoving && i + 2 < mostRuns;
    diagnostics.resize(told);
  }
}

}  // namespace axle::tensorflow
