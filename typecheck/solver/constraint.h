// Constraints: what must hold between shapes, sizes, types and static values, each with its reason.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/ast.h"
#include "typecheck/types/provenance.h"
#include "typecheck/types/type.h"
#include "typecheck/types/typed.h"

namespace axle {

enum class ConstraintKind : std::uint8_t {
  // kind          operands
  shapeEqual,    // shapes 0 = 1
  dimEqual,      // dims 0 = 1
  fact,          // dims 0 relation 1; of `n : 1 or m` also n and m
  broadcast,     // shape 0 = shape 1 # shape 2
  broadcastDim,  // dim 0 = dim 1 # dim 2: only a literal 1 stretches
  axisSplit,     // statics 0 is an axis between the end of shape 0 and the start of shape 1
  permute,       // shape 0 = shape 1 permuted by static 0
  reshape,       // shape 0 = shape 1 reshaped to static 0
  pad,           // shape 0 = shape 1 padded by static 0; static 1: the mode, "constant" where there is none
  convOut,  // dim 0 = window count of dim 1 by dim 2; statics: stride, padding (a word or pairs), dilation; dim 3 the
            // axis among the pairs
  sizeOf,   // dim 0 = number of elements of shape 0
  rankOf,   // dim 0 = rank of shape 0
  when,     // shape 0 = shape 1 if static 0, else []
  collect,  // type 0 = type 1 stacked along a new leading dim 0
  repeat,   // type 0 = tuple of static 0 times type 1
  reduce,   // shape 0 = shape 1 without the axes of static 0, or with 1 for each of them if static 1
  tile,     // shape 0 = shape 1, each size times its item of static 0
  stretch,  // shape 0 = static 0 = static 0 # shape 1
  sized,    // shape 0 = static 0
  swap,     // shape 0 = shape 1 with axes static 0 and static 1 exchanged
  move,     // shape 0 = shape 1 with axis static 0 taken out and put in at static 1
  width,    // dim 0 = bytes of an element of the tensor type 0
  ofSort,   // static 0 has the form that `attribute` asks for
  element,  // shape 0 = shape 1 of one element of a leading dim 0: a ragged length over that is one length
  convTransposeOut,  // as convOut, but dim 1 is the window count of dim 0; static 3: the sizes that are given, or `_`
  einsum,            // shape 0 = what static 0 says of shapes 1, 2, ...
};

struct Constraint {
  ConstraintKind kind = ConstraintKind::fact;
  ReasonId reason;
  FactRelation relation = FactRelation::eq;
  bool isReshape = false;  // a fact that a reshape asks for: of shape 0 to static 0
  std::vector<Shape> shapes;
  std::vector<Dim> dims;
  std::vector<TypeId> types;
  std::vector<StaticId> statics;
  const ast::OpAttribute* attribute = nullptr;
};

// How far the rule of a constraint came.
enum class Progress : std::uint8_t { done, failed, waiting };

// The relation between sizes that a `fact` or `dimEqual` states.
DimFact asFact(const Constraint& constraint);

}  // namespace axle
