// Lists (TF2) and arrays (TF1) of tensors, which loops write and read. A list is passed on as a value; an array has a
// handle, and a flow that orders writes and reads. All elements of one have one type.
#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

// A shape that is given as a value: -1, or a size of -1, is unknown.
Shape givenShape(RuleNode& n, std::size_t input) {
  auto value = n.known(input);
  if (!value || value->shape.size() != 1) return n.t.unknownShape("s");
  std::vector<Dim> dims;
  for (Dim d : value->elements) {
    auto size = n.t.solution().dims.asConstant(d);
    dims.push_back(size && *size >= 0 ? d : n.t.unknownSize("d"));
  }
  return n.t.shape(dims);
}

std::shared_ptr<const ListFact> listOf(TypeId element, Dim length, bool grows = false, bool isShort = false) {
  return std::make_shared<const ListFact>(ListFact{element, length, grows, isShort});
}

const ListFact* listAt(const RuleNode& n, std::size_t input) {
  return input < n.count() ? n.fact(input).list.get() : nullptr;
}

bool isShort(Solution& solution, const ListFact& list) {
  auto count = solution.dims.asConstant(solution.resolve(list.length));
  return list.isShort || (count && *count <= 1);
}

// Of a list behind a write where an input says. Where nobody knows where that is, elements that stand there are written
// over, unless there is one at most.
Dim lengthWith(RuleNode& n, const ListFact& list, std::size_t input) {
  auto count = n.t.solution().dims.asConstant(n.t.solution().resolve(list.length));
  auto places = n.numbers(input);
  if (!count || !places) return isShort(n.t.solution(), list) ? n.t.unknownSize("k") : list.length;
  for (std::int64_t place : *places) count = std::max(*count, place + 1);
  return n.t.constant(*count);
}

// Of an array that grows the length is its flow's, which is the last input.
const ListFact* arrayAt(const RuleNode& n) {
  const ListFact* array = listAt(n, 0);
  const ListFact* flow = array ? listAt(n, n.count() - 1) : nullptr;
  return array && array->grows && flow ? flow : array;
}

std::string quoted(const RuleNode& n) { return "`" + n.node.op + "`"; }

}  // namespace

// The element with another dimension before it.
TypeId Analysis::stacked(TypeId element, Dim length, Span at) {
  const TypeTerm term = typer_.solution().types[typer_.solution().resolve(element)];
  Shape shape{ShapePart::of(length)};
  shape.insert(shape.end(), term.shape.begin(), term.shape.end());
  return typer_.tensor(term.elem, std::move(shape), at);
}

// Each makes a content of its own.
OutletFact Analysis::variantOf(const RuleNode& n, TypeId element, Dim length, bool isShort) {
  OutletFact fact;
  fact.type = Type::variant;
  fact.list = listOf(element, length, false, isShort);
  return withContent(std::move(fact), n.node.name, n.places.name);
}

OutletFact Analysis::withContent(OutletFact fact, const std::string& name, Span at) {
  if (fact.list) fact.content = typer_.opaque(name, stacked(fact.list->element, fact.list->length, at), at);
  return fact;
}

OutletFact Analysis::typed(const std::string& name, Type type, TypeId is, Span at) {
  OutletFact fact;
  fact.type = type;
  fact.value = typer_.opaque(name, is, at);
  return fact;
}

// The tensor of an input is an element of the list. Turns of a loop may each write another size: such a list has a
// type, but no content.
Outcome Analysis::putElement(RuleNode& n, const ListFact& list, std::size_t input) {
  if (!n.isTensor(input)) return Outcome::done;
  if (isOneTurn_) {
    const TypedId element = typer_.opaque(n.node.name, list.element, n.places.name);
    auto sizes = shapeBehind(element), its = shapeBehind(n.in(input));
    if (sizes && its && sizes->size() != its->size()) return Outcome::done;
    const DimStore& dims = typer_.solution().dims;
    for (std::size_t i = 0; sizes && its && i < its->size(); ++i)
      if ((*sizes)[i] != (*its)[i] && !dims.asVariable((*sizes)[i]) && !dims.asVariable((*its)[i]))
        return Outcome::done;
  }
  return typer_.unify(list.element, typer_.typeOf(n.in(input)), n.places.op, quoted(n)) ? Outcome::done
                                                                                        : Outcome::failed;
}

// The tensor of an input is elements one behind the other, along its first dimension.
Outcome Analysis::putStacked(RuleNode& n, const ListFact& list, std::size_t input, Dim length) {
  if (!n.isTensor(input)) return Outcome::done;
  TypeId wanted = stacked(list.element, length, n.places.op);
  return typer_.unify(wanted, typer_.typeOf(n.in(input)), n.places.op, quoted(n)) ? Outcome::done : Outcome::failed;
}

// ---- lists

Outcome Analysis::listReserve(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  Type type = n.type("element_dtype").value_or(Type::f32);
  Dim length = typer_.constant(0);
  if (n.node.op == "TensorListReserve") {
    auto value = n.known(1);
    length = value && value->count() == 1 ? value->elements[0] : typer_.unknownSize("k");
  }
  TypeId element = typeFor(type, givenShape(n, 0), n.places.name);
  made = {variantOf(n, element, length)};
  return Outcome::done;
}

Outcome Analysis::listFromTensor(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  if (dims->empty()) return Outcome::unknown;
  std::vector<Dim> rest(dims->begin() + 1, dims->end());
  Dim length = n.node.op == "TensorListFromTensor" ? dims->front() : typer_.unknownSize("k");
  made = {variantOf(n, typeFor(n.fact(0).type, typer_.shape(rest), n.places.name), length)};
  return Outcome::done;
}

Outcome Analysis::listSetItem(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  if (n.flag("resize_if_index_out_of_bounds"))
    made = {variantOf(n, list->element, lengthWith(n, *list, 1), list->isShort)};
  else
    made = {withContent(n.fact(0), n.node.name, n.places.name)};
  return putElement(n, *list, 2);
}

Outcome Analysis::listPushBack(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {variantOf(n, list->element, typer_.solution().dims.add(list->length, typer_.constant(1)))};
  return putElement(n, *list, 1);
}

Outcome Analysis::listPopBack(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("element_dtype").value_or(Type::f32);
  made = {variantOf(n, list->element, typer_.solution().dims.add(list->length, typer_.constant(-1))),
          typed(frame.prefix + n.node.name, type, list->element, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::listGetItem(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("element_dtype").value_or(Type::f32);
  made = {typed(frame.prefix + n.node.name, type, list->element, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::listStack(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("element_dtype").value_or(Type::f32);
  TypeId asked = typeFor(type, givenShape(n, 1), n.places.name);
  if (!typer_.unify(list->element, asked, n.places.op, quoted(n))) return Outcome::failed;
  std::int64_t count = n.integer("num_elements", -1);
  Dim length = count >= 0 ? typer_.constant(count) : list->length;
  made = {typed(frame.prefix + n.node.name, type, stacked(list->element, length, n.places.name), n.places.name)};
  return Outcome::done;
}

Outcome Analysis::listConcatLists(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact *a = listAt(n, 0), *b = listAt(n, 1);
  if (!a || !b) return Outcome::unknown;
  made = {variantOf(n, a->element, typer_.solution().dims.add(a->length, b->length))};
  return typer_.unify(a->element, b->element, n.places.op, quoted(n)) ? Outcome::done : Outcome::failed;
}

Outcome Analysis::listResize(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  auto length = n.sizes(1);
  made = {variantOf(n, list->element, length && length->size() == 1 ? length->front() : typer_.unknownSize("k"))};
  return Outcome::done;
}

// The elements, whose first sizes may differ, one behind the other; and those sizes.
Outcome Analysis::listConcat(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = arrayAt(n);
  if (!list) return Outcome::unknown;
  const Type type = outletTypes(frame, n.node)[0];
  Solution& solution = typer_.solution();
  Shape element = typer_.solution().flatten(typer_.solution().types[typer_.solution().resolve(list->element)].shape);
  if (element.empty()) return Outcome::unknown;
  Shape shape = typer_.unknownShape("s");
  if (!element[0].isVar) {
    const Dim each = solution.resolve(element[0].dim);
    const bool isKnown = solution.dims.asConstant(each).has_value();
    shape = {ShapePart::of(isKnown ? solution.dims.mul(list->length, each) : typer_.unknownSize("k"))};
    shape.insert(shape.end(), element.begin() + 1, element.end());
  }
  std::string name = frame.prefix + n.node.name;
  made = {opaque(name, type, std::move(shape), n.places.name),
          opaque(name, Type::i64, typer_.shape({list->length}), n.places.name)};
  return Outcome::done;
}

// Elements are parts of the first dimension, of sizes that may differ.
Outcome Analysis::listSplit(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  if (dims->empty()) return Outcome::unknown;
  std::vector<Dim> part = *dims;
  part[0] = typer_.unknownSize("k");
  std::size_t lengths = n.node.op == "TensorListSplit" ? 2 : 1;
  auto count = n.dims(lengths);
  Dim length = count && count->size() == 1 ? count->front() : typer_.unknownSize("k");
  made = {variantOf(n, typeFor(n.fact(0).type, typer_.shape(part), n.places.name), length)};
  return Outcome::done;
}

// With a length of its own, for the turns of a loop.
std::shared_ptr<const ListFact> Analysis::openList(const ListFact& list) {
  return listOf(list.element, typer_.unknownSize("k"), list.grows, isShort(typer_.solution(), list));
}

Outcome Analysis::listGather(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  auto indices = n.dims(1);
  Dim length = indices && indices->size() == 1 ? indices->front() : typer_.unknownSize("k");
  Type type = n.type("element_dtype").value_or(Type::f32);
  made = {typed(frame.prefix + n.node.name, type, stacked(list->element, length, n.places.name), n.places.name)};
  return Outcome::done;
}

Outcome Analysis::listScatterInto(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {withContent(n.fact(0), n.node.name, n.places.name)};
  return putStacked(n, *list, 1, typer_.unknownSize("k"));
}

Outcome Analysis::listLength(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = arrayAt(n);
  if (!list) return Outcome::unknown;
  made = {scalar(frame.prefix + n.node.name, Type::i32, list->length, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::listElementShape(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  OutletFact element;
  element.type = Type::f32;
  element.value = typer_.opaque(frame.prefix + n.node.name, list->element, n.places.name);
  Type type = n.type("shape_type").value_or(Type::i32);
  auto shape = resolvedShape(element);
  OutletFact fact = opaque(frame.prefix + n.node.name, type, typer_.shape({typer_.unknownSize("k")}), n.places.name);
  if (shape) {
    std::vector<Dim> sizes;
    for (const ShapePart& part : *shape) sizes.push_back(part.dim);
    fact.known = Known::vector(std::move(sizes));
  }
  made = {fact};
  return Outcome::done;
}

// ---- arrays

// Behind a write. Of an array that grows, each flow has a length of its own.
OutletFact Analysis::flowOf(Frame& frame, const RuleNode& n, Dim length) {
  OutletFact flow = scalar(frame.prefix + n.node.name, Type::f32, std::nullopt, n.places.name);
  flow.list = n.fact(0).list;
  if (flow.list->grows) flow.list = listOf(flow.list->element, length, true, arrayAt(n)->isShort);
  return withContent(std::move(flow), n.node.name, n.places.name);
}

Outcome Analysis::arrayNew(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  Type type = n.type("dtype").value_or(Type::f32);
  const PartialShape* declared = n.shape("element_shape");
  Shape shape = typer_.unknownShape("s");
  if (declared && declared->knownRank) {
    std::vector<Dim> dims;
    for (std::int64_t size : declared->sizes)
      dims.push_back(size >= 0 ? typer_.constant(size) : typer_.unknownSize("d"));
    shape = typer_.shape(dims);
  }
  auto value = n.known(0);
  const Dim length = value && value->count() == 1 ? value->elements[0] : typer_.unknownSize("k");
  OutletFact handle;
  handle.type = Type::resource;
  handle.list = listOf(typeFor(type, std::move(shape), n.places.name), length, n.flag("dynamic_size"));
  OutletFact flow = scalar(frame.prefix + n.node.name, Type::f32, std::nullopt, n.places.name);
  flow.list = handle.list;
  made = {handle, withContent(std::move(flow), n.node.name, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::arrayWrite(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {flowOf(frame, n, lengthWith(n, *arrayAt(n), 1))};
  return putElement(n, *list, 2);
}

Outcome Analysis::arrayScatter(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  const bool isWhole = n.node.op == "TensorArrayUnpack";
  const Dim count = typer_.unknownSize("k");
  made = {flowOf(frame, n, isWhole ? count : lengthWith(n, *arrayAt(n), 1))};
  return putStacked(n, *list, isWhole ? 1 : 2, count);
}

Outcome Analysis::arraySplit(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  auto count = n.dims(2);
  made = {flowOf(frame, n, count && count->size() == 1 ? count->front() : typer_.unknownSize("k"))};
  auto dims = n.dims(1);
  if (!dims || dims->empty()) return Outcome::done;
  std::vector<Dim> part = *dims;
  part[0] = typer_.unknownSize("k");
  TypeId element = typeFor(n.fact(1).type, typer_.shape(part), n.places.op);
  return typer_.unify(list->element, element, n.places.op, quoted(n)) ? Outcome::done : Outcome::failed;
}

Outcome Analysis::arrayRead(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("dtype").value_or(Type::f32);
  made = {typed(frame.prefix + n.node.name, type, list->element, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::arrayGather(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  auto indices = n.dims(1);
  Dim length = indices && indices->size() == 1 ? indices->front() : typer_.unknownSize("k");
  if (n.node.op == "TensorArrayPack") length = arrayAt(n)->length;
  Type type = n.type("dtype").value_or(Type::f32);
  made = {typed(frame.prefix + n.node.name, type, stacked(list->element, length, n.places.name), n.places.name)};
  return Outcome::done;
}

}  // namespace axle::tensorflow
