// A fact about sizes: a relation between two dimensions.
#pragma once

#include "dims/dim.h"
#include "dims/relation.h"

namespace axle {

struct DimComparison {
  Dim left;
  FactRelation relation = FactRelation::ge;
  Dim right;
};

}  // namespace axle
