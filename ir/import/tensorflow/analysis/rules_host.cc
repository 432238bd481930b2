// Strings, tables, examples of a data set, what trains and what is written for people: types only.
#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

// No outlet is a tensor.
Outcome noTensor(RuleNode&, std::string_view) { return Outcome::done; }

// What a node gives to others has the first input's shape.
Outcome likeFirst(RuleNode& n, std::string_view) {
  n.giveTypesOnly();
  return n.give(n.in(0));
}

Outcome scalar(RuleNode& n, std::string_view) { return n.giveShape({}); }

// Strings of one shape and single ones.
Outcome stringJoin(RuleNode& n, std::string_view) {
  if (n.count() == 0) return Outcome::unknown;
  ElemTerm elem = ElemTerm::of(Elem::f32);
  std::optional<TypedId> joined = n.twin(n.in(0), elem);
  for (std::size_t i = 1; i < n.count() && joined; ++i) joined = n.op("+", {*joined, n.twin(n.in(i), elem)});
  n.giveTypesOnly();
  return n.give(joined);
}

// No axes are all of them.
Outcome reduceJoin(RuleNode& n, std::string_view) {
  auto axes = n.numbers(1);
  if (!axes) return Outcome::waits;
  Statics statics{{"keep", n.t.boolean(n.flag("keep_dims"))}};
  if (!axes->empty()) statics["axis"] = n.t.list(*axes);
  n.giveTypesOnly();
  return n.give(n.op("sum", {n.twin(n.in(0), ElemTerm::of(Elem::f32))}, std::move(statics)));
}

// A text for each row of the sizes.
Outcome encodeProto(RuleNode& n, std::string_view) {
  Shape rows = n.t.unknownShape("s"), all = rows;
  all.push_back(ShapePart::of(n.t.unknownSize("k")));
  TypeId wanted = n.t.tensor(n.t.unknownElem(), std::move(all), n.places.op);
  if (!n.t.unify(wanted, n.t.typeOf(n.in(0)), n.places.op, "`EncodeProto`")) return Outcome::failed;
  return n.giveShape(std::move(rows));
}

// Of so many serialized examples: for each sparse feature three tensors (k features in all), for each dense one a
// tensor of the declared shape.
Outcome parseExample(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  bool ragged = n.node.op == "ParseExampleV2";
  auto sparse = n.integer(ragged ? "num_sparse" : "Nsparse");
  auto size = [&] { return t.unknownSize("k"); };
  auto batch = n.dims(0);
  if (!batch) return Outcome::waits;
  auto rank = t.constant(static_cast<std::int64_t>(batch->size()) + 1);
  std::size_t port = 0;
  for (std::int64_t i = 0; i < sparse; ++i) n.giveShape(t.shape({size(), rank}), port++);
  for (std::int64_t i = 0; i < sparse; ++i) n.giveShape(t.shape({size()}), port++);
  for (std::int64_t i = 0; i < sparse; ++i) n.giveShape(t.shape({rank}), port++);
  const Value* shapes = n.attribute("dense_shapes");
  const auto* list = shapes ? std::get_if<Values>(shapes) : nullptr;
  if (!list) return Outcome::done;
  for (const Value& item : *list) {
    const auto* declared = std::get_if<PartialShape>(&item);
    Shape shape = t.shape(*batch);
    if (!declared || !declared->knownRank) shape.push_back(t.unknownShape("s").front());
    if (declared)
      for (std::int64_t d : declared->sizes) shape.push_back(ShapePart::of(d < 0 ? size() : t.constant(d)));
    n.giveShape(std::move(shape), port++);
  }
  return Outcome::done;
}

constexpr std::string_view each = "(t s) -> u s";
constexpr std::string_view split = "(t [n], t d) -> (i [k, 2], t [k], i [2])";

constexpr Rule rows[] = {
    // Strings.
    {"AsString", bySignature, each},
    {"DecodeBase64", bySignature, each},
    {"EncodeBase64", bySignature, each},
    {"RegexFullMatch", bySignature, "(t s, t []) -> bool s"},
    {"RegexReplace", bySignature, "(t s, t [], t []) -> t s"},
    {"StaticRegexFullMatch", bySignature, each},
    {"StaticRegexReplace", bySignature, each},
    {"StringLength", bySignature, each},
    {"StringLower", bySignature, each},
    {"StringUpper", bySignature, each},
    {"StringStrip", bySignature, each},
    {"StringToHashBucket", bySignature, each},
    {"StringToHashBucketFast", bySignature, each},
    {"StringToHashBucketStrong", bySignature, each},
    {"StringToNumber", bySignature, each},
    {"StringSplit", bySignature, split},
    {"StringSplitV2", bySignature, split},
    {"StringJoin", stringJoin},
    {"StringFormat", scalar},
    {"ReduceJoin", reduceJoin},
    {"Substr", bySignature, "(t s, i p, i q) -> t s"},
    {"UnicodeDecode", bySignature, "(t s) -> (i [m], j [k])"},
    {"UnicodeEncode", bySignature, "(i [k], j [m + 1]) -> t [m]"},
    {"EncodeProto", encodeProto},
    {"DecodeRaw", bySignature, "(t s) -> u s @ [k]"},
    // Tables.
    {"HashTable", noTensor},
    {"HashTableV2", noTensor},
    {"MutableHashTableV2", noTensor},
    {"InitializeTableV2", noTensor},
    {"InitializeTableFromTextFileV2", noTensor},
    {"LookupTableFindV2", bySignature, "(t s, u d) -> u s @ d"},
    {"LookupTableSizeV2", scalar},
    {"LookupTableExportV2", bySignature, "() -> (t [k], u [k] @ s)"},
    {"LookupTableImportV2", noTensor},
    {"LookupTableInsertV2", noTensor},
    // Examples and files.
    {"ParseExample", parseExample},
    {"ParseExampleV2", parseExample},
    {"ReadFile", bySignature, "(t []) -> t []"},
    {"MatchingFiles", bySignature, "(t p) -> t [k]"},
    {"ShardedFilename", bySignature, "(t [], i [], i []) -> t []"},
    {"ShardedFilespec", bySignature, "(t [], i []) -> t []"},
    {"MergeV2Checkpoints", noTensor},
    {"SaveSlices", noTensor},
    {"SaveV2", noTensor},
    {"RestoreV2", noTensor},
    {"RestoreSlice", noTensor},
    {"OptionalFromValue", noTensor},
    {"OptionalNone", noTensor},
    {"OptionalGetValue", noTensor},
    // Summaries.
    {"HistogramSummary", bySignature, "(t [], u s) -> v []"},
    {"ScalarSummary", bySignature, "(t s, u s) -> v []"},
    {"MergeSummary", scalar},
    // Training.
    {"ApplyAdagrad", likeFirst},
    {"ApplyAdam", likeFirst},
    {"ApplyGradientDescent", likeFirst},
    {"ApplyMomentum", likeFirst},
    {"ResourceApplyAdagradV2", noTensor},
    {"ResourceApplyAdam", noTensor},
    {"ResourceApplyFtrl", noTensor},
    {"ResourceApplyGradientDescent", noTensor},
    {"ResourceApplyMomentum", noTensor},
    {"ResourceSparseApplyFtrl", noTensor},
};

}  // namespace

std::span<const Rule> hostRules() { return rows; }

}  // namespace axle::tensorflow
