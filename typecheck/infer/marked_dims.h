// Reads dimensions that are not plain sizes: `?k`, `?s`, `*l`, `~T`; in signatures also `n : whole` and `s : ragged`.
#pragma once

#include "typecheck/infer/type_reader.h"

namespace axle {

// `?s`
Shape readRuntimeShape(TypeReader& reader, const std::string& name, Span span);
// `?k` or `*l`. A name means what it meant before; without one it is another dimension each time.
Dim readMarkedDim(TypeReader& reader, const std::string& name, DimKind kind, Span span);
// `~T`
Dim readStreamed(TypeReader& reader, ast::DimId inner, Span span);

// Makes each ragged length of a shape a function of the dimensions before it. Reports one that has none before it, or
// that stands twice.
void placeRaggedLengths(TypeReader& reader, const Shape& shape);
// A name behind other dimensions is one size for all of them.
void markRegular(TypeReader& reader, ast::DimId id, Dim dim);
// Reports a name without a mark that has one elsewhere. The names of a `match` need none.
void checkPlainName(TypeReader& reader, ast::DimId id, Dim dim);
// Reports a fact about a ragged length: facts are about sizes.
void rejectRaggedFact(TypeReader& reader, const ast::Fact& fact, const std::vector<Dim>& sides);

// `n : whole` in a signature: the operator needs all of a size, or of a shape, at once. `n : leading` says so of a
// pack's variables but the last; `n : forward` says so unless the attribute `reverse` is false.
void readWholeFact(TypeReader& reader, const ast::FactClass& fact);
// `s : ragged` in a signature: the operator takes ragged lengths there.
void readRaggedFact(TypeReader& reader, const ast::FactClass& fact);

}  // namespace axle
