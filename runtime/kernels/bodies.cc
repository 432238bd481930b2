// Operators that run other graphs: reduce with a function, map, loop, while, if. A body reads its sequences' elements
// in place; its results are copied out before it runs again.
#include <algorithm>
#include <cstring>

#include "runtime/bundle_format.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

void copyElements(void* to, const TensorView& from) {
  if (const std::size_t bytes = from.bytes(); bytes > 0 && to != from.data) std::memcpy(to, from.data, bytes);
}

bool same(const TensorView& a, const TensorView& b) { return a.elem == b.elem && a.shape == b.shape; }

// Whether `whole` is a stack of `count` tensors like `part`.
bool isStackOf(const TensorView& whole, std::int64_t count, const TensorView& part) {
  return whole.elem == part.elem && whole.shape.rank() >= 1 && whole.shape[0] == count &&
         whole.shape.withoutAxis(0) == part.shape && whole.shape.rank() == part.shape.rank() + 1;
}

// Whether the body's results are concatenated in an output, not stacked; their ranks are then equal.
bool isAppended(const TensorView& whole, const TensorView& part) { return whole.shape.rank() == part.shape.rank(); }

bool canCollect(const Step& step, const BoundGraph& body, int output, std::int64_t n) {
  const TensorView &whole = step.out(output), &part = body.output(output);
  if (isAppended(whole, part)) return whole.elem == part.elem && whole.shape.rank() >= 1;
  if (!body.outputIsOpen(output)) return isStackOf(whole, n, part);
  return whole.elem == part.elem && whole.shape.rank() == part.shape.rank() + 1 && whole.shape[0] == n;
}

bool failSizesDiffer(Fault& fault) {
  fault.code = ErrorCode::badSize;
  fault.message = "a size that must be the same in every round differs";
  return false;
}

void* elementAt(const TensorView& stack, std::int64_t at, const TensorView& part) {
  return stack.as<std::byte>() + static_cast<std::size_t>(at) * part.bytes();
}

// Whether the step's inputs from `first` on have the types of the body's inputs from `bodyFirst` on.
bool capturesFit(const Step& step, int first, const BoundGraph& body, int bodyFirst) {
  if (body.inputCount() - bodyFirst != step.inputCount() - first) return false;
  for (int i = first; i < step.inputCount(); ++i)
    if (!same(step.in(i), body.input(bodyFirst + i - first))) return false;
  return true;
}

void passCaptures(const Step& step, int first, BoundGraph& body, int bodyFirst) {
  for (int i = first; i < step.inputCount(); ++i) body.input(bodyFirst + i - first).data = step.in(i).data;
}

struct Filled {
  std::int64_t rows;
  std::uint64_t bytes;
};

// Copies the results of one iteration to the step's outputs from `first` on. Counts the rows and bytes of concatenated
// outputs at the beginning of the workspace.
bool collect(Step& step, BoundGraph& body, int first, std::int64_t round, Fault& fault) {
  auto* filled = reinterpret_cast<Filled*>(step.workspace);
  for (int k = first; k < body.outputCount(); ++k) {
    const TensorView &whole = step.out(k), &part = body.output(k);
    if (!isAppended(whole, part)) {
      if (body.outputIsOpen(k) && !(whole.shape.withoutAxis(0) == part.shape)) return failSizesDiffer(fault);
      copyElements(elementAt(whole, round, part), part);
      continue;
    }
    Filled& so = filled[k - first];
    if (part.bytes() > step.capacity(k) - so.bytes) return failSizesDiffer(fault);
    copyElements(whole.as<std::byte>() + so.bytes, part);
    so.bytes += part.bytes();
    so.rows += part.shape[0];
  }
  return true;
}

// Sets the leading sizes of concatenated outputs after the last iteration.
bool finishCollecting(Step& step, BoundGraph& body, int first, Fault& fault) {
  const auto* filled = reinterpret_cast<const Filled*>(step.workspace);
  for (int k = first; k < body.outputCount(); ++k) {
    if (!isAppended(step.out(k), body.output(k))) continue;
    if (!step.setSize(k, filled[k - first].rows, fault)) return false;
    if (step.out(k).bytes() != filled[k - first].bytes) return failSizesDiffer(fault);
  }
  return true;
}

std::uint64_t countBytes(const Step& step, int first) {
  return alignUp(sizeof(Filled) * static_cast<std::uint64_t>(std::max(0, step.outputCount() - first)));
}

std::uint64_t stateBytes(const Step& step, int states) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < states; ++i) bytes += alignUp(step.in(i).bytes());
  return bytes;
}

// Copies the body's new states into one of two buffers in the workspace, which begin at `start`, and points the body's
// inputs there. Two buffers, since a new state may be computed from any state, or be an unchanged input.
void copyStates(const Step& step, BoundGraph& body, int states, std::uint64_t start, bool second) {
  std::byte* const buffer = step.workspace + start + (second ? stateBytes(step, states) : 0);
  std::uint64_t offset = 0;
  for (int i = 0; i < states; offset += alignUp(body.output(i++).bytes()))
    copyElements(buffer + offset, body.output(i));
  offset = 0;
  for (int i = 0; i < states; offset += alignUp(body.input(i++).bytes())) body.input(i).data = buffer + offset;
}

// Copies the last states to the step's results. Returns false, without copying, if the body still reads a state from
// the memory of a result.
bool passStates(const Step& step, const BoundGraph& body, int states) {
  for (int i = 0; i < states; ++i)
    for (int k = 0; k < states; ++k)
      if (step.out(i).data == body.input(k).data) return false;
  for (int i = 0; i < states; ++i) copyElements(step.out(i).data, body.output(i));
  return true;
}

std::optional<std::uint64_t> times(std::int64_t count, std::optional<std::uint64_t> macs) {
  std::uint64_t result = 0;
  if (!macs || __builtin_mul_overflow(static_cast<std::uint64_t>(count), *macs, &result)) return std::nullopt;
  return result;
}

// reduce: init, x, captures; ints: axis

bool runReduce(Step& step, Fault& fault) {
  BoundGraph& body = step.bodies[0];
  const TensorView &x = step.in(1), &out = step.out(0);
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t outer = product(x.shape, 0, axis), n = x.shape[axis];
  const std::int64_t inner = product(x.shape, axis + 1, x.shape.rank());
  copyElements(out.data, step.in(0));
  passCaptures(step, 2, body, 2);
  body.input(0).data = out.data;
  for (std::int64_t i = 0; i < n; ++i) {
    TensorView& slice = body.input(1);
    std::byte* start = x.as<std::byte>() + i * inner * static_cast<std::int64_t>(info(x.elem).bytes);
    slice.data = outer == 1 ? start : step.workspace;
    const CopyAxis axes[] = {{outer, inner, n * inner}, {inner, 1, 1}};
    if (outer != 1) stridedCopy(slice.data, start, axes, info(x.elem).bytes);
    if (!runGraph(body, fault)) return false;
    copyElements(out.data, body.output(0));
  }
  return true;
}

// map: sequences, captures; ints: number of sequences

bool runMap(Step& step, Fault& fault) {
  BoundGraph& body = step.bodies[0];
  const int sequences = static_cast<int>(step.integer(0));
  passCaptures(step, sequences, body, sequences);
  std::memset(step.workspace, 0, countBytes(step, 0));
  for (std::int64_t i = 0, n = step.in(0).shape[0]; i < n; ++i) {
    for (int k = 0; k < sequences; ++k) body.input(k).data = elementAt(step.in(k), i, body.input(k));
    if (!runGraph(body, fault) || !collect(step, body, 0, i, fault)) return false;
  }
  return finishCollecting(step, body, 0, fault);
}

// loop: states, sequences, captures; ints: number of states, of sequences

bool runLoop(Step& step, Fault& fault) {
  BoundGraph& body = step.bodies[0];
  const int states = static_cast<int>(step.integer(0)), sequences = static_cast<int>(step.integer(1));
  passCaptures(step, states + sequences, body, states + sequences);
  const std::uint64_t counts = countBytes(step, states);
  std::memset(step.workspace, 0, counts);
  for (int i = 0; i < states; ++i) body.input(i).data = step.in(i).data;
  for (std::int64_t i = 0, n = step.in(states).shape[0]; i < n; ++i) {
    for (int k = states; k < states + sequences; ++k) body.input(k).data = elementAt(step.in(k), i, body.input(k));
    if (!runGraph(body, fault) || !collect(step, body, states, i, fault)) return false;
    if (i + 1 == n && passStates(step, body, states)) return finishCollecting(step, body, states, fault);
    copyStates(step, body, states, counts, (i & 1) != 0);
  }
  for (int i = 0; i < states; ++i) copyElements(step.out(i).data, body.input(i));
  return finishCollecting(step, body, states, fault);
}

// while: states, captures; ints: number of states; bodies: condition, step

bool runWhile(Step& step, Fault& fault) {
  BoundGraph &condition = step.bodies[0], &body = step.bodies[1];
  const int states = static_cast<int>(step.integer(0));
  passCaptures(step, states, condition, states);
  passCaptures(step, states, body, states);
  for (int i = 0; i < states; ++i) body.input(i).data = step.in(i).data;
  for (bool second = false;; second = !second) {
    for (int i = 0; i < states; ++i) condition.input(i).data = body.input(i).data;
    if (!runGraph(condition, fault)) return false;
    if (*condition.output(0).as<std::uint8_t>() == 0) break;
    if (!runGraph(body, fault)) return false;
    copyStates(step, body, states, 0, second);
  }
  for (int i = 0; i < states; ++i) copyElements(step.out(i).data, body.input(i));
  return true;
}

// if: condition, captures; bodies: then, else

bool runIf(Step& step, Fault& fault) {
  BoundGraph& body = step.bodies[*step.in(0).as<std::uint8_t>() != 0 ? 0 : 1];
  passCaptures(step, 1, body, 0);
  if (!runGraph(body, fault)) return false;
  for (int i = 0; i < step.outputCount(); ++i) {
    if (body.outputIsOpen(i) && !same(step.out(i), body.output(i))) return failSizesDiffer(fault);
    copyElements(step.out(i).data, body.output(i));
  }
  return true;
}

// Whether the step's integer `index`, a count, is from 0 to `inputs`.
bool countFits(const Step& step, int index, int inputs) {
  return step.integer(index) >= 0 && step.integer(index) <= inputs;
}

}  // namespace

const char* prepareReduce(Step& step) {
  if (step.inputCount() < 2) return "a start value and an operand are needed";
  const BoundGraph& body = step.bodies[0];
  const TensorView &init = step.in(0), &x = step.in(1), &out = step.out(0);
  if (step.integer(0) < 0 || step.integer(0) >= x.shape.rank()) return "the axis is out of range";
  const int axis = static_cast<int>(step.integer(0));
  if (body.inputCount() < 2 || body.outputCount() != 1 || !capturesFit(step, 2, body, 2))
    return "the body has other operands";
  const TensorView& slice = body.input(1);
  if (!same(init, out) || !same(init, body.input(0)) || !same(init, body.output(0)))
    return "start value, accumulator and result differ";
  if (slice.elem != x.elem || !(slice.shape == x.shape.withoutAxis(axis))) return "the body takes other elements";
  step.workspaceBytes = alignUp(slice.bytes());
  step.macs = times(x.shape[axis], body.macs);
  step.kernel = runReduce;
  return nullptr;
}

const char* prepareMap(Step& step) {
  const BoundGraph& body = step.bodies[0];
  if (!countFits(step, 0, step.inputCount()) || step.integer(0) < 1) return "the number of sequences is out of range";
  const int sequences = static_cast<int>(step.integer(0));
  if (body.inputCount() < sequences || !capturesFit(step, sequences, body, sequences))
    return "the body has other operands";
  if (step.in(0).shape.rank() < 1 || body.outputCount() != step.outputCount()) return "the body has other results";
  const std::int64_t n = step.in(0).shape[0];
  for (int i = 0; i < sequences; ++i)
    if (!isStackOf(step.in(i), n, body.input(i))) return "the body takes other elements";
  for (int i = 0; i < step.outputCount(); ++i)
    if (!canCollect(step, body, i, n)) return "the body has other results";
  step.workspaceBytes = countBytes(step, 0);
  step.macs = times(n, body.macs);
  step.kernel = runMap;
  return nullptr;
}

const char* prepareLoop(Step& step) {
  const BoundGraph& body = step.bodies[0];
  if (!countFits(step, 0, step.inputCount()) ||
      !countFits(step, 1, step.inputCount() - static_cast<int>(step.integer(0))) || step.integer(1) < 1)
    return "the number of states or sequences is out of range";
  const int states = static_cast<int>(step.integer(0)), first = states + static_cast<int>(step.integer(1));
  if (body.inputCount() < first || !capturesFit(step, first, body, first)) return "the body has other operands";
  if (body.outputCount() != step.outputCount() || body.outputCount() < states || step.in(states).shape.rank() < 1)
    return "the body has other results";
  for (int i = 0; i < states; ++i)
    if (!same(step.in(i), body.input(i)) || !same(step.in(i), body.output(i)) || !same(step.in(i), step.out(i)))
      return "a state changes its type";
  const std::int64_t n = step.in(states).shape[0];
  for (int i = states; i < first; ++i)
    if (!isStackOf(step.in(i), n, body.input(i))) return "the body takes other elements";
  for (int i = states; i < step.outputCount(); ++i)
    if (!canCollect(step, body, i, n)) return "the body has other results";
  step.workspaceBytes = 2 * stateBytes(step, states) + countBytes(step, states);
  step.macs = times(n, body.macs);
  step.kernel = runLoop;
  return nullptr;
}

const char* prepareWhile(Step& step) {
  const BoundGraph &condition = step.bodies[0], &body = step.bodies[1];
  if (!countFits(step, 0, step.inputCount())) return "the number of states is out of range";
  const int states = static_cast<int>(step.integer(0));
  for (const BoundGraph* graph : {&condition, &body})
    if (graph->inputCount() < states || !capturesFit(step, states, *graph, states)) return "a body has other operands";
  if (condition.outputCount() != 1 || condition.output(0).elem != Elem::boolean ||
      condition.output(0).shape.elements() != 1)
    return "the condition is not one bool";
  if (body.outputCount() != states || step.outputCount() != states) return "the body has other results";
  for (int i = 0; i < states; ++i)
    if (!same(step.in(i), condition.input(i)) || !same(step.in(i), body.input(i)) ||
        !same(step.in(i), body.output(i)) || !same(step.in(i), step.out(i)))
      return "a state changes its type";
  step.workspaceBytes = 2 * stateBytes(step, states);
  step.macs = std::nullopt;
  step.kernel = runWhile;
  return nullptr;
}

const char* prepareIf(Step& step) {
  if (step.in(0).elem != Elem::boolean || step.in(0).shape.elements() != 1) return "the condition is not one bool";
  for (const BoundGraph& body : step.bodies) {
    if (!capturesFit(step, 1, body, 0)) return "a branch has other operands";
    if (body.outputCount() != step.outputCount()) return "a branch has other results";
    for (int i = 0; i < step.outputCount(); ++i)
      if (body.outputIsOpen(i) ? step.out(i).elem != body.output(i).elem : !same(step.out(i), body.output(i)))
        return "a branch has other results";
  }
  const auto &yes = step.bodies[0].macs, &no = step.bodies[1].macs;
  step.macs = yes && no ? std::optional(std::max(*yes, *no)) : std::nullopt;
  step.kernel = runIf;
  return nullptr;
}

}  // namespace axle::runtime
