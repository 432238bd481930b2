// Makes the results of one kernel wrong. wrong_results.py compiles this file into a copy of the runtime, in which every
// step and every use of a table of vector kernels passes through here.
//
// The environment variable AXLE_WRONG names the kernel: `NAME INDEX SET` for the kernel at this place of a table of
// this instruction set, or the printed name of an operator. A program ends with the status `noSuchKernel` where the
// table has no kernel there.
#include "tests/runtime/wrong_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>

#include "runtime/vector/depthwise.h"
#include "runtime/vector/groups.h"
#include "runtime/vector/half.h"
#include "runtime/vector/pointwise.h"
#include "runtime/vector/product.h"
#include "runtime/vector/reduction.h"
#include "runtime/vector/resize.h"
#include "runtime/vector/winograd.h"

namespace axle::runtime {
namespace {

constexpr int noSuchKernel = 77;

struct Wrong {
  std::string name, set;
  std::size_t index = 0;
};

// Read before the tests, which count allocations in a run.
const Wrong wrong = [] {
  Wrong made;
  const char* const text = std::getenv("AXLE_WRONG");
  std::istringstream(text == nullptr ? "" : text) >> made.name >> made.index >> made.set;
  return made;
}();

void spoil(float& x) { x = std::isfinite(x) ? x + 0.01f * (1 + std::abs(x)) : 1.0f; }
void spoil(std::uint16_t& half) { half ^= 0x10; }

// Spoils the last element of rows with `count` columns.
template <class T>
void spoilLast(T* at, std::int64_t rows, std::int64_t pitch, std::int64_t count) {
  if (rows > 0 && count > 0) spoil(at[(rows - 1) * pitch + count - 1]);
}

// The kernel whose result is made wrong; of a product also the number of its rows.
template <class Kernel>
Kernel right = nullptr;
std::int64_t rowsOfKernel = 0;

// Spoils what a call of a kernel computed.
void spoilResult(const ProductBlock& block) {
  spoilLast(block.out, block.blocks * rowsOfKernel, block.outPitch, block.columns);
}
void spoilResult(const DepthwiseBlock& block) { spoilLast(block.out, rowsOfKernel, block.outPitch, block.channels); }
void spoilResult(const Row& row) { spoilLast(static_cast<float*>(row.result), row.rows, row.resultPitch, row.count); }
void spoilResult(const HalfRows& rows) { spoilLast(rows.to, rows.rows, rows.toPitch, rows.columns); }
void spoilResult(const HalfResults& results) {
  spoilLast(results.out, results.rows, results.outPitch, results.columns);
}
void spoilResult(const HalfProduct& product) { spoilLast(product.sums, 1, 0, product.columns); }
void spoilResult(const MixedLine& line) { spoilLast(line.out, line.count, line.channels, line.channels); }
void spoilResult(const WinogradFilter& filter) {
  if (filter.channels > 0) spoil(filter.to[0]);
}
void spoilResult(const WinogradInput& input) {
  if (input.channels > 0) spoil(input.to[0]);
}
void spoilResult(const WinogradOutput& output) {
  if (output.rows > 0)
    spoilLast(output.out + (output.rows - 1) * output.outRowPitch, output.columns, output.outPitch, output.channels);
}

// A kernel that calls this one, the only one of its type, and spoils the result.
template <class Call>
auto wronged(void (*kernel)(const Call&)) -> decltype(kernel) {
  right<decltype(kernel)> = kernel;
  return [](const Call& call) {
    right<decltype(kernel)>(call);
    spoilResult(call);
  };
}

RowKernel wronged(RowKernel kernel) {
  right<RowKernel> = kernel;
  return [](const Row& row) {
    const bool done = right<RowKernel>(row);
    spoilResult(row);
    return done;
  };
}

PackRight* wronged(PackRight* kernel) {
  right<PackRight*> = kernel;
  return [](const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* to) {
    right<PackRight*>(from, pitch, k, columns, to);
    if (k > 0 && columns > 0) spoil(to[0]);
  };
}

CombineRows wronged(CombineRows kernel) {
  right<CombineRows> = kernel;
  return [](const float* const* rows, std::int64_t count, std::int64_t columns, float* out) {
    right<CombineRows>(rows, count, columns, out);
    spoilLast(out, 1, 0, columns);
  };
}

CombineRow wronged(CombineRow kernel) {
  right<CombineRow> = kernel;
  return [](const float* row, std::int64_t count, float start) {
    float result = right<CombineRow>(row, count, start);
    spoil(result);
    return result;
  };
}

// Counts the kernels of a table up to the one at the wrong index.
class Place {
 public:
  // Makes this kernel wrong if it is the one.
  template <class Kernel>
  void visit(Kernel& kernel, std::int64_t rows = 0) {
    if (kernel == nullptr || seen_++ != wrong.index) return;
    rowsOfKernel = rows;
    kernel = wronged(kernel);
  }

  // The same for the kernels of 1 to `count` rows; returns a copy of their table, which lives for ever.
  template <class Kernel>
  const Kernel* visitRows(const Kernel* kernels, std::int64_t count) {
    static std::array<Kernel, 128> copies;
    static std::size_t used = 0;
    Kernel* const made = copies.data() + used;
    used += static_cast<std::size_t>(count);
    if (used > copies.size()) std::abort();
    std::copy_n(kernels, count, made);
    for (std::int64_t i = 0; i < count; ++i) visit(made[i], i + 1);
    return made;
  }

  bool isFound() const { return seen_ > wrong.index; }

 private:
  std::size_t seen_ = 0;
};

template <class Kernel>
void visitTable(Place& place, Kernel& kernel) {
  place.visit(kernel);
}

void visitTable(Place& place, ProductKernels& table) {
  static std::array<ProductShape, 8> shapes;
  if (table.count > static_cast<std::int64_t>(shapes.size())) std::abort();
  std::copy_n(table.shapes, table.count, shapes.data());
  for (std::int64_t i = 0; i < table.count; ++i) {
    ProductShape& shape = shapes[static_cast<std::size_t>(i)];
    shape.kernels = place.visitRows(shape.kernels, shape.rows);
  }
  table.shapes = shapes.data();
  place.visit(table.pack);
}

void visitTable(Place& place, NarrowProductKernels& table) {
  table.shape.kernels = place.visitRows(table.shape.kernels, table.shape.rows);
  place.visit(table.pack);
}

void visitTable(Place& place, DepthwiseKernels& table) {
  table.kernels = place.visitRows(table.kernels, table.pixels);
  for (const DepthwiseKernel*& kernels : table.ofThree) kernels = place.visitRows(kernels, table.pixels);
}

void visitTable(Place& place, GroupKernels& table) {
  static std::array<std::array<DepthwiseKernel, 2>, std::size(groupForms)> copies;
  for (std::size_t form = 0; form < copies.size(); ++form) {
    DepthwiseKernels& kernels = table.forms[form];
    copies[form] = {kernels.kernels[0], kernels.kernels[1]};
    place.visit(copies[form][0], 1);
    if (kernels.pixels > 1) place.visit(copies[form][1], kernels.pixels);  // otherwise it is the same, and not used
    kernels.kernels = copies[form].data();
  }
}

void visitTable(Place& place, WinogradKernels& table) {
  place.visit(table.filter), place.visit(table.input), place.visit(table.output);
}

template <class Table>
Table wrongTable(Table table) {
  Place place;
  visitTable(place, table);
  if (!place.isFound()) std::_Exit(noSuchKernel);
  return table;
}

}  // namespace

template <class Table>
const Table& withWrongResult(const char* name, const Table& table) {
  if (wrong.name != name) return table;
  for (const InstructionSetName& set : instructionSets())
    if (set.set == instructionSet() && set.name != wrong.set) return table;
  static const Table made = wrongTable(table);
  return made;
}

template const ProductKernels& withWrongResult(const char*, const ProductKernels&);
template const NarrowProductKernels& withWrongResult(const char*, const NarrowProductKernels&);
template const DepthwiseKernels& withWrongResult(const char*, const DepthwiseKernels&);
template const GroupKernels& withWrongResult(const char*, const GroupKernels&);
template const WinogradKernels& withWrongResult(const char*, const WinogradKernels&);
template const RowKernel& withWrongResult(const char*, const RowKernel&);
template const CombineRows& withWrongResult(const char*, const CombineRows&);
template const CombineRow& withWrongResult(const char*, const CombineRow&);
template const WidenRows& withWrongResult(const char*, const WidenRows&);
template const StoreHalves& withWrongResult(const char*, const StoreHalves&);
template const MultiplyHalf& withWrongResult(const char*, const MultiplyHalf&);
template const MixLine& withWrongResult(const char*, const MixLine&);

void spoilResult(const char* name, Elem elem, std::int64_t count, void* data) {
  if (count == 0 || wrong.name != name) return;
  if (elem == Elem::f32) return spoil(static_cast<float*>(data)[count - 1]);
  if (elem == Elem::f64) {
    double& x = static_cast<double*>(data)[count - 1];
    x = std::isfinite(x) ? x + 0.01 * (1 + std::abs(x)) : 1.0;
  } else if (elem == Elem::f16 || elem == Elem::bf16) {
    spoil(static_cast<std::uint16_t*>(data)[count - 1]);
  } else {
    static_cast<unsigned char*>(data)[(count - 1) * static_cast<std::int64_t>(info(elem).bytes)] ^= 1;
  }
}

}  // namespace axle::runtime
