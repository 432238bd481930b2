#include "import/tensorflow/analysis/tensor_lists.h"

#include <algorithm>

#include "import/builder/control_shapes.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

// Returns a shape that is given as a value: a size of -1 is unknown, and a scalar -1 is an unknown shape.
Shape givenShape(RuleNode& n, std::size_t input) {
  const auto value = n.known(input);
  if (!value || value->shape.size() != 1) return n.t.unknownShape("s");
  std::vector<Dim> dims;
  for (Dim d : value->elements) {
    const auto size = n.t.solution().dims.asConstant(d);
    dims.push_back(size && *size >= 0 ? d : n.t.unknownSize("d"));
  }
  return n.t.shape(dims);
}

Type listElementType(const StructuralNode& n) { return n.type("element_dtype").value_or(Type::f32); }

// Returns a list with a new content.
OutletFact listFact(StructuralNode& n, TypeId element, Dim length, bool isShort = false) {
  OutletFact fact;
  fact.type = Type::variant;
  fact.list = makeList(element, length, false, isShort);
  return withContent(n.t, std::move(fact), n.node.name, n.places.name);
}

// Returns the same list after a write.
OutletFact writtenList(StructuralNode& n) { return withContent(n.t, n.fact(0), n.node.name, n.places.name); }

OutletFact elementFact(StructuralNode& n, const ListFact& list) {
  return typedFact(n.t, n.name, listElementType(n), list.element, n.places.name);
}

OutletFact stackedFact(StructuralNode& n, const ListFact& list, Dim length) {
  return typedFact(n.t, n.name, listElementType(n), stackedType(n.t, list.element, length, n.places.name),
                   n.places.name);
}

Outcome reserveList(StructuralNode& n) {
  const Dim length = n.node.op == "TensorListReserve" ? sizeOfScalar(n, 1) : n.t.constant(0);
  const TypeId element = tensorType(n.t, listElementType(n), givenShape(n, 0), n.places.name);
  n.facts = {listFact(n, element, length)};
  return Outcome::done;
}

// Types a list of a tensor's slices along its first axis: all in order, or scattered.
Outcome listFromTensor(StructuralNode& n) {
  const auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  if (dims->empty()) return Outcome::unknown;
  const std::vector<Dim> rest(dims->begin() + 1, dims->end());
  const Dim length = n.node.op == "TensorListFromTensor" ? dims->front() : n.t.unknownSize("k");
  n.facts = {listFact(n, tensorType(n.t, n.fact(0).type, n.t.shape(rest), n.places.name), length)};
  return Outcome::done;
}

// Types a split along the first axis into elements whose sizes may differ.
Outcome splitIntoList(StructuralNode& n) {
  auto part = n.dims(0);
  if (!part) return Outcome::waits;
  if (part->empty()) return Outcome::unknown;
  part->front() = n.t.unknownSize("k");
  const Dim length = sizeOfVector(n, n.node.op == "TensorListSplit" ? 2 : 1);
  n.facts = {listFact(n, tensorType(n.t, n.fact(0).type, n.t.shape(*part), n.places.name), length)};
  return Outcome::done;
}

Outcome setListItem(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  if (n.flag("resize_if_index_out_of_bounds"))
    n.facts = {listFact(n, list->element, lengthAfterWrite(n, *list, 1), list->isShort)};
  else
    n.facts = {writtenList(n)};
  return unifyElement(n, *list, 2);
}

Outcome pushToList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {listFact(n, list->element, n.t.solution().dims.add(list->length, n.t.constant(1)))};
  return unifyElement(n, *list, 1);
}

Outcome popFromList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {listFact(n, list->element, n.t.solution().dims.add(list->length, n.t.constant(-1))),
             elementFact(n, *list)};
  return Outcome::done;
}

Outcome listItem(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {elementFact(n, *list)};
  return Outcome::done;
}

Outcome stackList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const TypeId asked = tensorType(n.t, listElementType(n), givenShape(n, 1), n.places.name);
  if (!n.equate(list->element, asked)) return Outcome::failed;
  const std::int64_t count = n.integer("num_elements", -1);
  n.facts = {stackedFact(n, *list, count >= 0 ? n.t.constant(count) : list->length)};
  return Outcome::done;
}

Outcome concatTwoLists(StructuralNode& n) {
  const ListFact *a = listAt(n, 0), *b = listAt(n, 1);
  if (!a || !b) return Outcome::unknown;
  n.facts = {listFact(n, a->element, n.t.solution().dims.add(a->length, b->length))};
  return n.equate(a->element, b->element) ? Outcome::done : Outcome::failed;
}

Outcome resizeList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const auto length = n.sizes(1);
  n.facts = {listFact(n, list->element, length && length->size() == 1 ? length->front() : n.t.unknownSize("k"))};
  return Outcome::done;
}

Outcome gatherFromList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {stackedFact(n, *list, sizeOfVector(n, 1))};
  return Outcome::done;
}

Outcome scatterIntoList(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  n.facts = {writtenList(n)};
  return unifyStacked(n, *list, 1, n.t.unknownSize("k"));
}

Outcome listElementShape(StructuralNode& n) {
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const OutletFact element = typedFact(n.t, n.name, Type::f32, list->element, n.places.name);
  OutletFact fact = opaqueFact(n.t, n.name, n.type("shape_type").value_or(Type::i32), n.t.shape({n.t.unknownSize("k")}),
                               n.places.name);
  if (const auto shape = resolvedShape(n.t, element)) {
    std::vector<Dim> sizes;
    for (const ShapePart& part : *shape) sizes.push_back(part.dim);
    fact.known = Known::vector(std::move(sizes));
  }
  n.facts = {std::move(fact)};
  return Outcome::done;
}

// Whether an input's tensor is known to differ from the list's element in rank or in a size.
bool differsFromElement(StructuralNode& n, const ListFact& list, std::size_t input) {
  const auto element = resolvedDims(n.t, n.t.opaque(n.node.name, list.element, n.places.name));
  const auto given = resolvedDims(n.t, n.in(input));
  if (!element || !given) return false;
  if (element->size() != given->size()) return true;
  const DimStore& dims = n.t.solution().dims;
  for (std::size_t i = 0; i < given->size(); ++i)
    if ((*element)[i] != (*given)[i] && !dims.asVariable((*element)[i]) && !dims.asVariable((*given)[i])) return true;
  return false;
}

}  // namespace

const ListFact* listAt(const RuleNode& n, std::size_t input) {
  return input < n.count() ? n.fact(input).list.get() : nullptr;
}

const ListFact* writtenArray(const RuleNode& n) {
  const ListFact* array = listAt(n, 0);
  const ListFact* flow = array ? listAt(n, n.count() - 1) : nullptr;
  return array && array->grows && flow ? flow : array;
}

std::shared_ptr<const ListFact> makeList(TypeId element, Dim length, bool grows, bool isShort) {
  return std::make_shared<const ListFact>(ListFact{element, length, grows, isShort});
}

Dim lengthAfterWrite(RuleNode& n, const ListFact& list, std::size_t input) {
  auto count = n.t.solution().dims.asConstant(n.t.solution().resolve(list.length));
  const auto places = n.numbers(input);
  if (!count || !places) return isShort(n.t, list) ? n.t.unknownSize("k") : list.length;
  for (std::int64_t place : *places) count = std::max(*count, place + 1);
  return n.t.constant(*count);
}

// Each iteration of a loop may write another size: such a list has a type, but no content.
Outcome unifyElement(StructuralNode& n, const ListFact& list, std::size_t input) {
  if (!n.isTensor(input)) return Outcome::done;
  if (n.analysis.loops.isFollowingIteration && differsFromElement(n, list, input)) return Outcome::done;
  const bool fits = n.requireInput(input, list.element);
  return fits ? Outcome::done : Outcome::failed;
}

Outcome unifyStacked(StructuralNode& n, const ListFact& list, std::size_t input, Dim length) {
  if (!n.isTensor(input)) return Outcome::done;
  const TypeId wanted = stackedType(n.t, list.element, length, n.places.op);
  const bool fits = n.requireInput(input, wanted);
  return fits ? Outcome::done : Outcome::failed;
}

Outcome concatList(StructuralNode& n) {
  const ListFact* list = writtenArray(n);
  if (!list) return Outcome::unknown;
  Solution& solution = n.t.solution();
  const Shape element = solution.flatten(solution.types[solution.resolve(list->element)].shape);
  if (element.empty()) return Outcome::unknown;
  Shape shape = n.t.unknownShape("s");
  if (!element[0].isVar) {
    const Dim each = solution.resolve(element[0].dim);
    const bool isKnown = solution.dims.asConstant(each).has_value();
    shape = {ShapePart::of(isKnown ? solution.dims.mul(list->length, each) : n.t.unknownSize("k"))};
    shape.insert(shape.end(), element.begin() + 1, element.end());
  }
  n.facts = {opaqueFact(n.t, n.name, n.outletTypes()[0], std::move(shape), n.places.name),
             opaqueFact(n.t, n.name, Type::i64, n.t.shape({list->length}), n.places.name)};
  return Outcome::done;
}

Outcome listLength(StructuralNode& n) {
  const ListFact* list = writtenArray(n);
  if (!list) return Outcome::unknown;
  n.facts = {scalarFact(n.t, n.name, Type::i32, list->length, n.places.name)};
  return Outcome::done;
}

Dim sizeOfVector(RuleNode& n, std::size_t input) {
  const auto dims = n.dims(input);
  return dims && dims->size() == 1 ? dims->front() : n.t.unknownSize("k");
}

Dim sizeOfScalar(RuleNode& n, std::size_t input) {
  const auto value = n.known(input);
  return value && value->count() == 1 ? value->elements[0] : n.t.unknownSize("k");
}

std::span<const StructuralOperator> tensorListOperators() {
  static constexpr StructuralOperator rows[] = {
      {"EmptyTensorList", reserveList},
      {"TensorListConcat", concatList},
      {"TensorListConcatLists", concatTwoLists},
      {"TensorListConcatV2", concatList},
      {"TensorListElementShape", listElementShape},
      {"TensorListFromTensor", listFromTensor},
      {"TensorListGather", gatherFromList},
      {"TensorListGetItem", listItem},
      {"TensorListLength", listLength},
      {"TensorListPopBack", popFromList},
      {"TensorListPushBack", pushToList},
      {"TensorListReserve", reserveList},
      {"TensorListResize", resizeList},
      {"TensorListScatter", listFromTensor},
      {"TensorListScatterIntoExistingList", scatterIntoList},
      {"TensorListScatterV2", listFromTensor},
      {"TensorListSetItem", setListItem},
      {"TensorListSplit", splitIntoList},
      {"TensorListStack", stackList},
  };
  return rows;
}

}  // namespace axle::tensorflow
