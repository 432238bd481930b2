// What the analysis knows of an outlet of a node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "import/builder/graph_typer.h"
#include "import/builder/known_value.h"
#include "import/builder/tensor_list.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct OutletFact {
  Type type = Type::invalid;
  TypedId value;  // none where it is no tensor: a resource, a variant. Of a complex one the parts are a last axis [2].
  std::optional<Known> known;
  std::optional<VariableId> variable;  // of a resource or a reference
  std::shared_ptr<const Tensor> constant;
  std::optional<std::int64_t> sampleRate;  // of text that is a WAV file: its samples stand for it
  std::shared_ptr<const ListFact> list;    // that a variant, a handle or a flow stands for
  TypedId rankOf, axesOf;                  // the value whose rank, or all of whose axes in order, this is
  TypedId content;                         // of a list, but for a handle: its elements along a first axis
};

inline bool isComplex(Type type) { return type == Type::c64 || type == Type::c128; }

// The element that the typed program has for a type: of a complex one that of its parts, of a quantised one that of its
// codes. None for what is no tensor.
std::optional<Elem> elementOf(Type type);

// A tensor type of that element; a complex one has its parts as a last axis.
TypeId tensorType(GraphTyper& t, Type type, Shape shape, Span at);

}  // namespace axle::tensorflow
