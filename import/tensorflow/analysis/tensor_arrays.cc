#include "import/tensorflow/analysis/tensor_arrays.h"

#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/tensor_lists.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

Type arrayElementType(const StructuralNode& n) { return n.type("dtype").value_or(Type::f32); }

OutletFact flowFact(StructuralNode& n, std::shared_ptr<const ListFact> list) {
  OutletFact flow = scalarFact(n.t, n.name, Type::f32, std::nullopt, n.places.name);
  flow.list = std::move(list);
  return withContent(n.t, std::move(flow), n.node.name, n.places.name);
}

// Returns the flow after a write. If the array grows, each flow has its own length.
OutletFact writtenFlow(StructuralNode& n, Dim length) {
  std::shared_ptr<const ListFact> list = n.fact(0).list;
  if (list->grows) list = makeList(list->element, length, true, writtenArray(n)->isShort);
  return flowFact(n, std::move(list));
}

Outcome newArray(StructuralNode& n) {
  const PartialShape* declared = n.shape("element_shape");
  const Shape shape = declaredShape(n.t, declared ? *declared : PartialShape{});
  OutletFact handle;
  handle.type = Type::resource;
  handle.list =
      makeList(tensorType(n.t, arrayElementType(n), shape, n.places.name), sizeOfScalar(n, 0), n.flag("dynamic_size"));
  n.facts = {handle, flowFact(n, handle.list)};
  return Outcome::done;
}

Outcome writeArray(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {writtenFlow(n, lengthAfterWrite(n, *writtenArray(n), 1))};
  return unifyElement(n, *list, 2);
}

// Types a write of several elements: TensorArrayUnpack writes all in order, a scatter at given indices.
Outcome scatterIntoArray(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const bool isWhole = n.node.op == "TensorArrayUnpack";
  const Dim count = n.t.unknownSize("k");
  n.facts = {writtenFlow(n, isWhole ? count : lengthAfterWrite(n, *writtenArray(n), 1))};
  return unifyStacked(n, *list, isWhole ? 1 : 2, count);
}

// Types a split along the first axis into elements whose sizes may differ.
Outcome splitIntoArray(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {writtenFlow(n, sizeOfVector(n, 2))};
  auto part = n.dims(1);
  if (!part || part->empty()) return Outcome::done;
  part->front() = n.t.unknownSize("k");
  const TypeId element = tensorType(n.t, n.fact(1).type, n.t.shape(*part), n.places.op);
  return n.equate(list->element, element) ? Outcome::done : Outcome::failed;
}

Outcome readArray(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {typedFact(n.t, n.name, arrayElementType(n), list->element, n.places.name)};
  return Outcome::done;
}

// Types a gather; TensorArrayPack gathers all elements.
Outcome gatherFromArray(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const Dim length = n.node.op == "TensorArrayPack" ? writtenArray(n)->length : sizeOfVector(n, 1);
  n.facts = {typedFact(n.t, n.name, arrayElementType(n), stackedType(n.t, list->element, length, n.places.name),
                       n.places.name)};
  return Outcome::done;
}

}  // namespace

std::span<const StructuralOperator> tensorArrayOperators() {
  static constexpr StructuralOperator rows[] = {
      {"TensorArray", newArray},
      {"TensorArrayConcat", concatList},
      {"TensorArrayConcatV2", concatList},
      {"TensorArrayConcatV3", concatList},
      {"TensorArrayGather", gatherFromArray},
      {"TensorArrayGatherV2", gatherFromArray},
      {"TensorArrayGatherV3", gatherFromArray},
      {"TensorArrayPack", gatherFromArray},
      {"TensorArrayRead", readArray},
      {"TensorArrayReadV2", readArray},
      {"TensorArrayReadV3", readArray},
      {"TensorArrayScatter", scatterIntoArray},
      {"TensorArrayScatterV2", scatterIntoArray},
      {"TensorArrayScatterV3", scatterIntoArray},
      {"TensorArraySize", listLength},
      {"TensorArraySizeV2", listLength},
      {"TensorArraySizeV3", listLength},
      {"TensorArraySplit", splitIntoArray},
      {"TensorArraySplitV2", splitIntoArray},
      {"TensorArraySplitV3", splitIntoArray},
      {"TensorArrayUnpack", scatterIntoArray},
      {"TensorArrayV2", newArray},
      {"TensorArrayV3", newArray},
      {"TensorArrayWrite", writeArray},
      {"TensorArrayWriteV2", writeArray},
      {"TensorArrayWriteV3", writeArray},
  };
  return rows;
}

}  // namespace axle::tensorflow
