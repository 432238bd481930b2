// Lists (TF2) and arrays (TF1) of tensors, which loops write and read. A list is passed on as a value; an array has a
// handle, and a flow that orders writes and reads. All elements of one have one type.
#include "ir/import/tensorflow/analysis/analysis.h"

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

std::shared_ptr<const ListFact> listOf(TypeId element, Dim length) {
  return std::make_shared<const ListFact>(ListFact{element, length});
}

const ListFact* listAt(const RuleNode& n, std::size_t input) {
  return input < n.count() ? n.fact(input).list.get() : nullptr;
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
OutletFact Analysis::variantOf(const RuleNode& n, TypeId element, Dim length) {
  OutletFact fact;
  fact.type = Type::variant;
  fact.list = listOf(element, length);
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

// The tensor of an input is an element of the list.
Outcome Analysis::putElement(RuleNode& n, const ListFact& list, std::size_t input) {
  if (!n.isTensor(input)) return Outcome::done;
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
  std::optional<Dim> length;
  if (auto value = n.known(1); value && value->count() == 1 && n.node.op == "TensorListReserve")
    length = value->elements[0];
  TypeId element = typeFor(type, givenShape(n, 0), n.places.name);
  made = {variantOf(n, element, length ? *length : typer_.unknownSize("k"))};
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
  made = {withContent(n.fact(0), n.node.name, n.places.name)};
  return putElement(n, *list, 2);
}

Outcome Analysis::listPushBack(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {variantOf(n, list->element, typer_.unknownSize("k"))};
  return putElement(n, *list, 1);
}

Outcome Analysis::listPopBack(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("element_dtype").value_or(Type::f32);
  made = {variantOf(n, list->element, typer_.unknownSize("k")),
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
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  Type type = n.type("element_dtype").value_or(Type::f32);
  Shape shape{ShapePart::of(typer_.unknownSize("k"))};
  Shape element = typer_.solution().flatten(typer_.solution().types[typer_.solution().resolve(list->element)].shape);
  if (element.empty()) return Outcome::unknown;
  if (element[0].isVar)
    shape = typer_.unknownShape("s");
  else
    shape.insert(shape.end(), element.begin() + 1, element.end());
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
  const ListFact* list = listAt(n, 0);
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

OutletFact Analysis::flowOf(Frame& frame, const RuleNode& n) {
  OutletFact flow = scalar(frame.prefix + n.node.name, Type::f32, std::nullopt, n.places.name);
  if (n.count() > 0) flow.list = n.fact(0).list;
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
  std::optional<Dim> length;
  if (auto value = n.known(0); value && value->count() == 1 && !n.flag("dynamic_size")) length = value->elements[0];
  OutletFact handle;
  handle.type = Type::resource;
  handle.list = listOf(typeFor(type, std::move(shape), n.places.name), length ? *length : typer_.unknownSize("k"));
  OutletFact flow = scalar(frame.prefix + n.node.name, Type::f32, std::nullopt, n.places.name);
  flow.list = handle.list;
  made = {handle, withContent(std::move(flow), n.node.name, n.places.name)};
  return Outcome::done;
}

Outcome Analysis::arrayWrite(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {flowOf(frame, n)};
  return putElement(n, *list, 2);
}

Outcome Analysis::arrayScatter(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {flowOf(frame, n)};
  return putStacked(n, *list, n.node.op == "TensorArrayUnpack" ? 1 : 2, typer_.unknownSize("k"));
}

Outcome Analysis::arraySplit(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const ListFact* list = listAt(n, 0);
  if (!list) return Outcome::unknown;
  made = {flowOf(frame, n)};
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
  if (n.node.op == "TensorArrayPack") length = list->length;
  Type type = n.type("dtype").value_or(Type::f32);
  made = {typed(frame.prefix + n.node.name, type, stacked(list->element, length, n.places.name), n.places.name)};
  return Outcome::done;
}

}  // namespace axle::tensorflow
