#include "runtime/fetch_ahead.h"

#include <algorithm>
#include <cstdint>

#include "runtime/program.h"

namespace axle::runtime {
namespace {

using Fetches = PreparedProduct::Fetches;

// These stay in the second-level cache beside the results of the steps in between.
constexpr std::int64_t elementsAhead = std::int64_t{64} * 1024;

std::int64_t depthOf(const PreparedProduct& product, const PreparedProduct::Call& call) {
  return product.block.taps * call.depth;
}

// Leaves a call its first blocks, and puts a call of the others after it.
void splitCall(PreparedProduct& product, std::size_t index, std::int64_t blocks) {
  PreparedProduct::Call rest = product.calls[index];
  const std::int64_t rows = blocks * rest.rows;
  product.calls[index].blocks = blocks;
  rest.blocks -= blocks, rest.row += rows;
  rest.table += static_cast<std::size_t>(rows * product.block.taps);
  product.calls.insert(product.calls.begin() + static_cast<std::ptrdiff_t>(index) + 1, rest);
}

}  // namespace

// Spreads the fetches over the calls after the last one that fetches the product's own panels.
void fetchNext(PreparedProduct& product, std::int64_t elements) {
  elements = std::min(elements, elementsAhead);
  std::size_t first = product.calls.size();
  std::int64_t depth = 0;
  for (; first > 0; --first) {
    const PreparedProduct::Call& call = product.calls[first - 1];
    if (call.fetches == Fetches::panels && call.fetchPitch > 0) break;
    depth += call.blocks * depthOf(product, call);
  }
  if (depth == 0 || elements == 0) return;
  const std::int64_t pitch = std::min(panelWidth, (elements + depth - 1) / depth);
  std::int64_t fetched = 0;
  for (std::size_t i = first; i < product.calls.size(); ++i) {
    const std::int64_t ofBlock = depthOf(product, product.calls[i]) * pitch,
                       blocks = std::min(product.calls[i].blocks, (elements - fetched) / ofBlock);
    if (blocks > 0 && blocks < product.calls[i].blocks) splitCall(product, i, blocks);
    PreparedProduct::Call& call = product.calls[i];
    call.fetches = Fetches::next, call.fetched = fetched, call.fetchPitch = blocks > 0 ? pitch : 0;
    fetched += blocks * ofBlock;
  }
}

void fetchAhead(BoundGraph& graph) {
  Step* before = nullptr;
  for (std::size_t i = 0; i < graph.steps.size(); i += graph.steps[i].following + 1) {
    Step& step = graph.steps[i];
    if (step.following > 0 || step.product.calls.empty()) continue;
    const TensorView& right = step.in(1);
    const bool isConstant = right.data != nullptr;  // only constants have addresses before the run
    if (before != nullptr && isConstant) {
      before->product.next = right.as<float>();
      fetchNext(before->product, right.shape.elements());
    }
    before = &step;
  }
}

}  // namespace axle::runtime
