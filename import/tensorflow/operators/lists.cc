// Lists and arrays of tensors, represented by a tensor of their elements along a first axis. The analysis types them.
#include <algorithm>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::lists {
namespace {

// Returns a list of zeros.
template <std::size_t port>
FormulaResults emptyListFormula(NodeFormula& f) {
  auto sizes = f.contentDims(port);
  auto type = f.n.type(port ? "dtype" : "element_dtype");
  if (!sizes || !type || !elementOf(*type) || *type == Type::string) return {};
  FormulaResults results(port + 1);
  results[port] = f.filled(*sizes, f.number(0, f.elemOf(*type)));
  return results;
}

FormulaResults listFromTensorFormula(NodeFormula& f) { return {f.in(0)}; }
FormulaResults stackListFormula(NodeFormula& f) { return {f.content(0)}; }

// Returns the number of elements, if it is known; their own sizes may be open.
std::optional<std::int64_t> lengthOf(NodeFormula& f, const std::optional<Dims>& content) {
  if (!content || content->empty()) return std::nullopt;
  return f.n.t.solution().dims.asConstant(content->front());
}

// Returns the elements of a list, with zeros appended if the node writes past the end.
Expr widened(NodeFormula& f, std::size_t list) {
  auto dims = f.dims(f.content(list));
  auto before = lengthOf(f, dims), after = lengthOf(f, f.contentDims(0));
  if (!before || !after || *before >= *after) return f.content(list);
  Sizes pads(2 * dims->size(), 0);
  pads[1] = *after - *before;
  return f.pad(f.content(list), pads);
}

// Writes one element. The template's parameters are the numbers of the inputs.
template <std::size_t list, std::size_t index, std::size_t item>
FormulaResults writeItemFormula(NodeFormula& f) {
  auto all = f.sizes(f.content(list)), its = f.sizes(f.in(item));
  if (all && its && (all->empty() || !std::equal(all->begin() + 1, all->end(), its->begin(), its->end()))) return {};
  return {f.op("scatter_update", {widened(f, list), f.reshape(f.in(index), {1, 1}), f.expand(f.in(item), 0)})};
}

FormulaResults pushBackFormula(NodeFormula& f) { return {f.concat({f.content(0), f.expand(f.in(1), 0)}, 0)}; }

FormulaResults popBackFormula(NodeFormula& f) {
  auto count = lengthOf(f, f.dims(f.content(0)));
  if (!count || *count == 0) return {};
  return {f.slice(f.content(0), 0, 0, *count - 1), f.at(f.content(0), 0, *count - 1)};
}

FormulaResults resizeListFormula(NodeFormula& f) {
  auto before = lengthOf(f, f.dims(f.content(0))), after = lengthOf(f, f.contentDims(0));
  if (!before || !after) return {};
  return {*after < *before ? f.slice(f.content(0), 0, 0, *after) : widened(f, 0)};
}

FormulaResults concatListsFormula(NodeFormula& f) { return {f.concat({f.content(0), f.content(1)}, 0)}; }

template <std::size_t list, std::size_t indices>
FormulaResults readItemsFormula(NodeFormula& f) {
  return {f.gather(f.content(list), f.in(indices), 0)};
}

template <std::size_t list, std::size_t indices, std::size_t items>
FormulaResults scatterItemsFormula(NodeFormula& f) {
  return {f.op("scatter_update", {widened(f, list), f.expand(f.in(indices), -1), f.in(items)})};
}

// Splits a tensor into elements of one size, if all lengths are that size.
template <std::size_t items, std::size_t lengths>
FormulaResults splitIntoListFormula(NodeFormula& f) {
  auto sizes = f.contentSizes(0);
  auto parts = f.n.numbers(lengths);
  if (!sizes || !parts || sizes->size() < 2) return {};
  for (std::int64_t part : *parts)
    if (part != (*sizes)[1]) return {};
  return {f.reshape(f.in(items), *sizes)};
}

// Joins elements of one size along their first axis.
template <std::size_t list>
FormulaResults concatItemsFormula(NodeFormula& f) {
  auto sizes = f.sizes(f.content(list));
  if (!sizes || sizes->size() < 2) return {};
  Sizes joined(sizes->begin() + 1, sizes->end());
  joined[0] *= sizes->front();
  Expr lengths = f.integers(Elem::i64, {sizes->front()}, Sizes(static_cast<std::size_t>(sizes->front()), (*sizes)[1]));
  return {f.reshape(f.content(list), joined), lengths};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                type         value  formula
    {"TensorListReserve",                  byAnalysis,  {},    emptyListFormula<0>},
    {"EmptyTensorList",                    byAnalysis,  {},    emptyListFormula<0>},
    {"TensorListPushBack",                 byAnalysis,  {},    pushBackFormula},
    {"TensorListPopBack",                  byAnalysis,  {},    popBackFormula},
    {"TensorListResize",                   byAnalysis,  {},    resizeListFormula},
    {"TensorListConcatLists",              byAnalysis,  {},    concatListsFormula},
    {"TensorListFromTensor",               byAnalysis,  {},    listFromTensorFormula},
    {"TensorListSetItem",                  byAnalysis,  {},    writeItemFormula<0, 1, 2>},
    {"TensorListGetItem",                  byAnalysis,  {},    readItemsFormula<0, 1>},
    {"TensorListStack",                    byAnalysis,  {},    stackListFormula},
    {"TensorListGather",                   byAnalysis,  {},    readItemsFormula<0, 1>},
    {"TensorListScatterIntoExistingList",  byAnalysis,  {},    scatterItemsFormula<0, 2, 1>},
    {"TensorListConcatV2",                 byAnalysis,  {},    concatItemsFormula<0>},
    {"TensorListSplit",                    byAnalysis,  {},    splitIntoListFormula<0, 2>},
    {"TensorArrayV3",                      byAnalysis,  {},    emptyListFormula<1>},
    {"TensorArrayWriteV3",                 byAnalysis,  {},    writeItemFormula<3, 1, 2>},
    {"TensorArrayReadV3",                  byAnalysis,  {},    readItemsFormula<2, 1>},
    {"TensorArrayGatherV3",                byAnalysis,  {},    readItemsFormula<2, 1>},
    {"TensorArrayScatterV3",               byAnalysis,  {},    scatterItemsFormula<3, 1, 2>},
    {"TensorArraySplitV3",                 byAnalysis,  {},    splitIntoListFormula<1, 2>},
    {"TensorArrayConcatV3",                byAnalysis,  {},    concatItemsFormula<1>},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::lists
