// Lists and arrays of tensors that loops write and read: all elements have one type.
#pragma once

#include <memory>

#include "import/builder/graph_typer.h"

namespace axle {

struct ListFact {
  TypeId element;
  Dim length;
  bool grows = false;    // writes past its end make it longer
  bool isShort = false;  // in an iteration of a loop: it started with one element at most
};

// The type of `length` elements stacked along a new first axis.
TypeId stackedType(GraphTyper& typer, TypeId element, Dim length, Span at);
// Whether the list has one element at most, or had when its loop started.
bool isShort(GraphTyper& typer, const ListFact& list);
// The list with an unknown length, as an iteration of a loop sees it.
std::shared_ptr<const ListFact> withOpenLength(GraphTyper& typer, const ListFact& list);

}  // namespace axle
