// The facts that the analysis knows about an outlet of a node.
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
  TypedId value;  // none for a resource or a variant; the parts of a complex tensor are a last axis [2]
  std::optional<Known> known;
  std::optional<VariableId> variable;  // of a resource or a reference
  std::shared_ptr<const Tensor> constant;
  std::optional<std::int64_t> sampleRate;  // of text that is a WAV file, represented by its samples
  std::shared_ptr<const ListFact> list;    // which a variant, a handle or a flow stands for
  TypedId rankOf, axesOf;                  // the value of which this is the rank, or all axes in order
  TypedId content;                         // of a list, but not a handle: its elements along a first axis
};

inline bool isComplex(Type type) { return type == Type::c64 || type == Type::c128; }

// Returns the element type in the typed program: of a complex type that of its parts, of a quantised type that of its
// codes. None if the type is not a tensor's.
std::optional<Elem> elementOf(Type type);

// Returns a tensor type with the program's element for `type`; the parts of a complex one are a last axis.
TypeId tensorType(GraphTyper& t, Type type, Shape shape, Span at);

}  // namespace axle::tensorflow
