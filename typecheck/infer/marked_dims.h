// Reads dimensions that are not plain sizes: `?k`, `?s`, `*l`, `~T`; in signatures also `n : whole` and `s : ragged`.
#pragma once

#include "typecheck/infer/type_reader.h"

namespace axle {

// `?s`
Shape readRuntimeShape(TypeReader& reader, const std::string& name, Span span);
// Reads `?k` or `*l`. A name that is known means the same dimension; without a name, each is another dimension.
Dim readMarkedDim(TypeReader& reader, const std::string& name, DimKind kind, Span span);
// `~T`
Dim readStreamed(TypeReader& reader, ast::DimId inner, Span span);

// Makes each ragged length of a shape a function of the dimensions before it. Reports one that has none before it, or
// that occurs twice.
void placeRaggedLengths(TypeReader& reader, const Shape& shape);
// Records that a name after other dimensions is one size for all of them.
void markRegular(TypeReader& reader, ast::DimId id, Dim dim);
// Reports a name without a mark that has one elsewhere. Names of a `match` need none.
void checkPlainName(TypeReader& reader, ast::DimId id, Dim dim);
// Reports a fact about a ragged length: facts are about sizes.
void rejectRaggedFact(TypeReader& reader, const ast::Fact& fact, const std::vector<Dim>& sides);

// Reads `n : whole` in a signature: the operator needs all of a size, or of a shape, at once. `n : leading` says this
// for all but the last variable of a pack; `n : forward` says it unless the attribute `reverse` is false.
void readWholeFact(TypeReader& reader, const ast::FactClass& fact);
// Reads `s : ragged` in a signature: the operator accepts ragged lengths there.
void readRaggedFact(TypeReader& reader, const ast::FactClass& fact);

}  // namespace axle
