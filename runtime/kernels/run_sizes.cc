// Operators that compute or check sizes during the run.
#include <cstring>
#include <string>

#include "io/joined.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {
namespace {

bool refuse(Fault& fault, std::string message) {
  fault.code = ErrorCode::badSize;
  fault.message = std::move(message);
  return false;
}

template <class T>
bool runNonzero(Step& step, Fault& fault) {
  const TensorView& x = step.in(0);
  const T* from = x.as<T>();
  const std::int64_t n = x.shape.elements();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += widen(from[i]) != 0 ? 1 : 0;
  if (!step.setSize(0, count, fault)) return false;
  const int rank = x.shape.rank();
  auto* to = step.out(0).as<std::int64_t>();
  for (std::int64_t i = 0; i < n; ++i) {
    if (!(widen(from[i]) != 0)) continue;
    std::int64_t rest = i;
    for (int axis = rank; axis-- > 0; rest /= x.shape[axis]) to[axis] = rest % x.shape[axis];
    to += rank;
  }
  return true;
}

// inputs: rows, and the two ends of the segment
bool runSegment(Step& step, Fault& fault) {
  const TensorView &x = step.in(0), &y = step.out(0);
  const std::int64_t begin = step.in(1).as<std::int64_t>()[0], end = step.in(1).as<std::int64_t>()[1];
  if (begin < 0 || end < begin || end > x.shape[0])
    return refuse(fault, joined({"rows ", begin, " to ", end, " are out of range"}));
  if (!step.setSize(0, end - begin, fault)) return false;
  const std::size_t row = static_cast<std::size_t>(product(x.shape, 1, x.shape.rank())) * info(x.elem).bytes;
  if (y.bytes() != static_cast<std::size_t>(end - begin) * row) return refuse(fault, "rows have other sizes here");
  if (y.bytes() > 0) std::memcpy(y.data, x.as<std::byte>() + static_cast<std::size_t>(begin) * row, y.bytes());
  return true;
}

bool runSize(Step& step, Fault& fault) {
  const std::int64_t size = *step.in(0).as<std::int64_t>();
  *step.out(0).as<std::int64_t>() = size;
  if (step.finds(0) && !step.graph->sizes->set(step.node->finds[0] - 1, size, fault)) return false;
  return true;
}

bool copyOver(const TensorView& from, const TensorView& to, Fault& fault) {
  if (from.bytes() != to.bytes()) return refuse(fault, "sizes that must be equal differ");
  if (to.bytes() > 0) std::memcpy(to.data, from.data, to.bytes());
  return true;
}

bool runGuard(Step& step, Fault& fault) {
  for (const std::int64_t guard : step.ints)
    if (!step.graph->sizes->guardHolds(static_cast<std::uint32_t>(guard), fault)) return false;
  return copyOver(step.in(0), step.out(0), fault);
}

enum Requirement : std::int64_t { equalSplits, lengthsWithin };

bool runRequire(Step& step, Fault& fault) {
  const auto *a = step.in(0).as<std::int64_t>(), *b = step.in(1).as<std::int64_t>();
  const std::int64_t n = step.in(0).shape.elements();
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  for (std::int64_t i = 0; i < n; ++i)
    if (step.integer(0) == equalSplits) {
      if (a[i] == b[i]) continue;
      if (i == 0) return refuse(fault, joined({"row splits begin with ", text(a[0]), " and ", text(b[0])}));
      return refuse(fault, joined({"row ", text(i - 1), " has ", text(a[i] - a[i - 1]),
                                   " elements in one ragged tensor and ", text(b[i] - b[i - 1]), " in the other"}));
    } else if (a[i] < 0 || a[i] > b[i]) {
      return refuse(fault, joined({"the length of row ", text(i), " is ", text(a[i]), ", out of 0 to ", text(b[i])}));
    }
  return copyOver(step.in(2), step.out(0), fault);
}

}  // namespace

const char* prepareNonzero(Step& step) {
  const TensorView &x = step.in(0), &y = step.out(0);
  if (y.elem != Elem::i64 || y.shape.rank() != 2 || y.shape[1] != x.shape.rank())
    return "the result is not a list of positions";
  step.kernel =
      forElem < allElems & ~signedInts > (unsignedOf(x.elem), []<class T>() -> Kernel { return &runNonzero<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

const char* prepareSegment(Step& step) {
  const TensorView &x = step.in(0), &ends = step.in(1), &y = step.out(0);
  if (x.elem != y.elem) return "input and output differ in element type";
  if (x.shape.rank() < 1 || y.shape.rank() != x.shape.rank()) return "the ranks do not fit";
  if (ends.elem != Elem::i64 || ends.shape.elements() != 2) return "the ends are not two i64";
  step.kernel = runSegment;
  return nullptr;
}

const char* prepareSize(Step& step) {
  for (const TensorView* view : {&step.in(0), &step.out(0)})
    if (view->elem != Elem::i64 || view->shape.elements() != 1) return "a size is one i64";
  step.kernel = runSize;
  return nullptr;
}

const char* prepareGuard(Step& step) {
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  step.kernel = runGuard;
  return nullptr;
}

const char* prepareRequire(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1);
  if (a.elem != Elem::i64 || b.elem != Elem::i64 || !(a.shape == b.shape))
    return "what is compared are no like vectors of i64";
  if (step.in(2).elem != step.out(0).elem) return "input and output differ in element type";
  if (step.integer(0) != equalSplits && step.integer(0) != lengthsWithin) return "an unknown requirement";
  step.kernel = runRequire;
  return nullptr;
}

}  // namespace axle::runtime
