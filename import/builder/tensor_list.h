// Lists and arrays of tensors that loops write and read. All elements have one type.
#pragma once

#include <memory>

#include "import/builder/graph_typer.h"

namespace axle {

struct ListFact {
  TypeId element;
  Dim length;
  bool grows = false;    // a write past its end makes it longer
  bool isShort = false;  // in an iteration of a loop: it had at most one element when the loop started
};

// Returns the type of `length` elements stacked along a new first axis.
TypeId stackedType(GraphTyper& typer, TypeId element, Dim length, Span at);
// Whether the list has at most one element, or had when its loop started.
bool isShort(GraphTyper& typer, const ListFact& list);
// Returns the list with an unknown length, as an iteration of a loop sees it.
std::shared_ptr<const ListFact> withOpenLength(GraphTyper& typer, const ListFact& list);

}  // namespace axle
