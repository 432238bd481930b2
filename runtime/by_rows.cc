#include "runtime/by_rows.h"

#include <algorithm>
#include <array>

#include "runtime/bundle_format.h"
#include "runtime/fetch_ahead.h"
#include "runtime/joined_steps.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

std::int64_t rowElements(const TensorView& image) { return image.shape[2] * image.shape[3]; }

// How many rows of its input a step needs at the same time, of those that there are.
std::int64_t keptRows(const Step& step) { return std::clamp<std::int64_t>(step.byRows.extent, 1, step.in(0).shape[1]); }

std::uint64_t bytesOfRows(const Step& step) {
  return alignUp(static_cast<std::uint64_t>(keptRows(step) * rowElements(step.in(0))) * sizeof(float));
}

// How many rows of its input a row of a step's result is the first to read.
std::int64_t newRows(const Step& step) { return std::min(step.byRows.stride, step.in(0).shape[1]); }

std::int64_t pitchOfRows(const TensorView& image) { return image.shape[2] * image.rowPitch(); }

// The steps that run together, from their first one on.
class RowByRow {
 public:
  RowByRow(Step& first, Part part) : steps_(&first), last_(first.following), part_(part) {
    workspace_ = workspaceOf(first, part);
    std::byte* next = workspace_ + workspaceOfKernels(first);
    for (std::uint32_t k = 1; k <= last_; next += bytesOfRows(steps_[k]), ++k)
      rings_[k] = {reinterpret_cast<float*>(next), keptRows(steps_[k]), rowElements(steps_[k].in(0)), 0};
  }

  static std::uint64_t workspaceOfKernels(const Step& first) {
    std::uint64_t bytes = 0;
    for (std::uint32_t k = 0; k <= first.following; ++k) bytes = std::max(bytes, (&first)[k].byRows.workspaceBytes);
    return alignUp(bytes);
  }

  void run() {
    const Shape& result = steps_[last_].out(0).shape;
    const std::int64_t rows = result[0] * result[1];
    for (std::int64_t i = part_.begin(rows); i < part_.end(rows); ++i) {
      if (i / result[1] != image_) {
        image_ = i / result[1];
        for (Ring& ring : rings_) ring.next = 0;
      }
      compute(last_, i % result[1]);
    }
  }

 private:
  // Where those rows of the image are that the row of the result after one which reads up to `end` is the first to
  // read.
  const float* nextRows(const Step& step, std::int64_t end) const {
    const TensorView& image = step.in(0);
    const std::int64_t row = std::clamp<std::int64_t>(end, 0, image.shape[1] - newRows(step));
    return image.as<float>() + (image_ * image.shape[1] + row) * pitchOfRows(image);
  }

  // The rows of a step's input that are kept, row r at place r % kept.
  struct Ring {
    float* rows = nullptr;
    std::int64_t kept = 0, elements = 0;  // of a row
    std::int64_t next = 0;                // the first row that is not there yet
  };

  void compute(std::uint32_t index, std::int64_t row) {
    Step& step = steps_[index];
    const ByRows& form = step.byRows;
    RowCall call;
    call.image = image_, call.row = row;
    call.workspace = workspace_;
    const std::int64_t first = row * form.stride - form.before,
                       end = std::min(first + form.extent, step.in(0).shape[1]);
    if (index == 0) {
      call.input = step.in(0).as<float>();
      if (!step.product.calls.empty()) step.product.next = nextRows(step, end);
    } else {
      Ring& ring = rings_[index];
      for (ring.next = std::max(ring.next, first); ring.next < end; ++ring.next) compute(index - 1, ring.next);
      call.input = ring.rows, call.kept = ring.kept;
    }
    if (index == last_) {
      const TensorView& out = step.out(0);
      call.out = out.as<float>() + (image_ * out.shape[1] + row) * out.shape[2] * out.rowPitch();
    } else {
      const Ring& ring = rings_[index + 1];
      call.out = ring.rows + row % ring.kept * ring.elements;
    }
    form.kernel(step, call);
  }

  Step* const steps_;
  const std::uint32_t last_;
  const Part part_;
  std::byte* workspace_;
  std::int64_t image_ = -1;
  std::array<Ring, mostByRows> rings_;  // of each step's input but the first one's
};

bool runByRows(Step& first, Part part, Fault&) {
  RowByRow(first, part).run();
  return true;
}

bool canRunByRows(const Step& step) {
  return step.byRows.kernel != nullptr && step.epilogueForm.isWhole && !step.late && !step.isEmpty;
}

// How often the graph reads each value, outputs and views included.
std::vector<std::uint32_t> countReads(const BoundGraph& graph) {
  std::vector<std::uint32_t> reads(graph.values.size());
  for (const manifest::Node& node : graph.graph->nodes)
    for (std::uint32_t value : node.inputs) ++reads[value];
  for (std::uint32_t value : graph.graph->outputs) ++reads[value];
  return reads;
}

// Whether a step's result has memory of its own and is the first input of the next step alone. In no step in between
// may a result take the place of an operand: rows of it may be needed later.
bool canJoin(const BoundGraph& graph, const Step& step, const Step& next, const std::vector<std::uint32_t>& reads) {
  if (!step.node->byRows || !canRunByRows(step) || !canRunByRows(next)) return false;
  const std::uint32_t value = step.node->outputs[0];
  return next.position == step.position + 1 && next.node->inputs[0] == value && reads[value] == 1 &&
         graph.storage[value].root == value && graph.values[value].dense() && step.node->inPlace == 0 &&
         next.node->inPlace == 0;
}

// Makes one call of a step and those that follow.
const char* joinConvolutions(BoundGraph& graph, Step& first) {
  const auto nanosecondsOf = [](const Step& step) { return step.byRows.nanoseconds; };
  std::uint64_t bytes = RowByRow::workspaceOfKernels(first);
  for (std::uint32_t k = 1; k <= first.following; ++k) bytes += bytesOfRows((&first)[k]);
  if (const char* problem = joinSteps(graph, first, runByRows, nanosecondsOf, bytes)) return problem;
  for (std::uint32_t k = 0; k <= first.following; ++k) {
    Step& step = (&first)[k];
    step.product = {};
    if (first.parts == 1) step.byRows.prepare(step);
  }
  fetchNext(first.product, newRows(first) * pitchOfRows(first.in(0)));
  return nullptr;
}

}  // namespace

const char* joinByRows(BoundGraph& graph) {
  const auto isMarked = [](const manifest::Node& node) { return node.byRows; };
  if (std::none_of(graph.graph->nodes.begin(), graph.graph->nodes.end(), isMarked)) return nullptr;
  const std::vector<std::uint32_t> reads = countReads(graph);
  for (std::size_t i = 0; i < graph.steps.size(); i += graph.steps[i].following + 1) {
    Step& first = graph.steps[i];
    for (std::size_t k = i; k + 1 < graph.steps.size() && first.following + 1 < mostByRows; ++k) {
      if (!canJoin(graph, graph.steps[k], graph.steps[k + 1], reads)) break;
      ++first.following;
    }
    if (first.following == 0) continue;
    if (const char* problem = joinConvolutions(graph, first)) return problem;
  }
  return nullptr;
}

}  // namespace axle::runtime
