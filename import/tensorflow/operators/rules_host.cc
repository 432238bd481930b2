// Strings, tables, queues, examples of a data set, and what is written for people: types only.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

// Nothing is known of what it gives but the elements.
Outcome anyShape(RuleNode&, std::string_view) { return Outcome::done; }

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
// tensor of the declared shape, for each ragged one two tensors.
Outcome parseExample(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  auto sparse = n.integer(n.node.op == "ParseExample" ? "Nsparse" : "num_sparse");
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
  for (const Value& item : list ? *list : Values()) {
    const auto* declared = std::get_if<PartialShape>(&item);
    Shape shape = t.shape(*batch);
    if (!declared || !declared->knownRank) shape.push_back(t.unknownShape("s").front());
    if (declared)
      for (std::int64_t d : declared->sizes) shape.push_back(ShapePart::of(d < 0 ? size() : t.constant(d)));
    n.giveShape(std::move(shape), port++);
  }
  // Ragged features: values, and where the rows begin in them.
  const Value* types = n.attribute("ragged_value_types");
  const auto* ragged = types ? std::get_if<Values>(types) : nullptr;
  for (std::size_t i = 0; ragged && i < 2 * ragged->size(); ++i) n.giveShape(t.shape({size()}), port++);
  return Outcome::done;
}

// A field's values for each message, and how many there are.
Outcome decodeProto(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  const Value* names = n.attribute("field_names");
  const auto* fields = names ? std::get_if<Values>(names) : nullptr;
  if (!fields) return Outcome::unknown;
  auto with = [&](Dim last) {
    std::vector<Dim> sizes = *dims;
    sizes.push_back(last);
    return t.shape(sizes);
  };
  n.giveShape(with(t.constant(std::ssize(*fields))));
  for (std::size_t port = 1; port <= fields->size(); ++port) n.giveShape(with(t.unknownSize("k")), port);
  return Outcome::done;
}

// A column each.
Outcome decodeCsv(RuleNode& n, std::string_view) {
  const Value* types = n.attribute("OUT_TYPE");
  const auto* columns = types ? std::get_if<Values>(types) : nullptr;
  if (!columns) return Outcome::unknown;
  const TypeTerm rows = n.t.solution().types[n.t.typeOf(n.in(0))];
  for (std::size_t port = 0; port < columns->size(); ++port) n.giveShape(rows.shape, port);
  return Outcome::done;
}

constexpr std::string_view each = "(t s) -> u s";
constexpr std::string_view single = "() -> t []";
constexpr std::string_view ofReference = "(string h) -> t []";
constexpr std::string_view reference = "() -> string [2]";
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
    {"Substr", bySignature, "(t a, i b, i b) -> t (a # b)"},
    {"UnicodeDecode", bySignature, "(t s) -> (i [size(s) + 1], j [k])"},
    {"UnicodeEncode", bySignature, "(i [k], j [m]) -> t [m - 1]"},
    {"EncodeProto", encodeProto},
    {"DecodeProtoV2", decodeProto},
    {"DecodeCSV", decodeCsv},
    {"UnicodeScript", bySignature, each},
    {"UnicodeTranscode", bySignature, each},
    {"DecodeCompressed", bySignature, each},
    {"DecodeJSONExample", bySignature, each},
    {"DecodePaddedRaw", bySignature, "(t s, i []) -> u s @ [k]"},
    {"StringNGrams", bySignature, "(t [n], i [m]) -> (t [k], i [m])"},
    {"UnicodeDecodeWithOffsets", bySignature, "(t s) -> (i [size(s) + 1], j [k], l [k])"},
    {"SerializeTensor", bySignature, "(t s) -> string []"},
    {"ParseTensor", bySignature, "(string []) -> t s"},
    {"DecodeRaw", bySignature, "(t s) -> u s @ [k]"},
    // Tables.
    {"HashTable", bySignature, "() -> string [2]"},
    {"LookupTableFindV2", bySignature, "(t s, u d) -> u s @ d"},
    {"LookupTableSizeV2", bySignature, single},
    {"LookupTableExportV2", bySignature, "() -> (t [k], u [k] @ s)"},
    {"LookupTableFind", bySignature, "(string h, t s, u d) -> u s @ d"},
    {"LookupTableExport", bySignature, "(string h) -> (t [k], u [k] @ s)"},
    {"LookupTableSize", bySignature, ofReference},
    {"MutableHashTable", bySignature, reference},
    {"MutableHashTableOfTensors", bySignature, reference},
    {"MutableDenseHashTable", bySignature, "(t s) -> string [2]"},
    {"TensorMapSize", bySignature, single},
    {"TensorMapHasKey", bySignature, "(k s) -> bool []"},
    // Queues, readers, stages: by handle, or by reference.
    {"Barrier", bySignature, reference},
    {"ConditionalAccumulator", bySignature, reference},
    {"SparseConditionalAccumulator", bySignature, reference},
    {"FIFOQueue", bySignature, reference},
    {"PaddingFIFOQueue", bySignature, reference},
    {"PriorityQueue", bySignature, reference},
    {"RandomShuffleQueue", bySignature, reference},
    {"FakeQueue", bySignature, reference},
    {"TextLineReader", bySignature, reference},
    {"WholeFileReader", bySignature, reference},
    {"TFRecordReader", bySignature, reference},
    {"FixedLengthRecordReader", bySignature, reference},
    {"LMDBReader", bySignature, reference},
    {"IdentityReader", bySignature, reference},
    {"Stack", bySignature, reference},
    {"QueueSize", bySignature, ofReference},
    {"QueueIsClosed", bySignature, ofReference},
    {"ReaderNumRecordsProduced", bySignature, ofReference},
    {"ReaderNumWorkUnitsCompleted", bySignature, ofReference},
    {"ReaderSerializeState", bySignature, ofReference},
    {"AccumulatorNumAccumulated", bySignature, ofReference},
    {"BarrierIncompleteSize", bySignature, ofReference},
    {"BarrierReadySize", bySignature, ofReference},
    {"QueueSizeV2", bySignature, single},
    {"QueueIsClosedV2", bySignature, single},
    {"ReaderNumRecordsProducedV2", bySignature, single},
    {"ReaderNumWorkUnitsCompletedV2", bySignature, single},
    {"ReaderSerializeStateV2", bySignature, single},
    {"ResourceAccumulatorNumAccumulated", bySignature, single},
    {"MapSize", bySignature, single},
    {"MapIncompleteSize", bySignature, single},
    {"OrderedMapSize", bySignature, single},
    {"OrderedMapIncompleteSize", bySignature, single},
    {"StageSize", bySignature, single},
    {"OptionalHasValue", bySignature, single},
    {"IsResourceHandleRefCounting", bySignature, single},
    {"ResourceInitializedOp", bySignature, single},
    {"ResourceCountUpTo", bySignature, single},
    {"Timestamp", bySignature, single},
    {"DeviceIndex", bySignature, single},
    {"GetDeadline", bySignature, single},
    {"GlobalIterId", bySignature, single},
    {"GraphDefVersion", bySignature, single},
    {"IsTensorFloat32Enabled", bySignature, single},
    {"ComputeBatchSize", bySignature, single},
    {"GetOptions", bySignature, single},
    {"DatasetCardinality", bySignature, single},
    {"DatasetFingerprint", bySignature, single},
    {"DatasetToGraph", bySignature, single},
    {"DatasetToGraphV2", bySignature, single},
    {"IteratorToStringHandle", bySignature, single},
    {"IteratorGetDevice", bySignature, single},
    {"CountUpTo", bySignature, "(t []) -> t []"},
    {"ReaderRead", bySignature, "(string a, string b) -> (string [], string [])"},
    {"ReaderReadV2", bySignature, "() -> (string [], string [])"},
    {"ReaderReadUpTo", bySignature, "(string a, string b, i []) -> (string [k], string [k])"},
    {"ReaderReadUpToV2", bySignature, "(i []) -> (string [k], string [k])"},
    {"StackPush", bySignature, "(string h, t s) -> t s"},
    {"StackPushV2", bySignature, "(t s) -> t s"},
    {"StackPop", bySignature, "(string h) -> t s"},
    {"StackPopV2", bySignature, "() -> t s"},
    {"RecordInput", bySignature, "(batch_size : int) -> string [batch_size]"},
    {"GetSessionHandle", bySignature, "(t s) -> string []"},
    {"GetSessionTensor", bySignature, "(string []) -> t s"},
    {"Skipgram", bySignature, "() -> (s [n], i [n], l [], i [], l [], i [m], i [m])"},
    {"PyFunc", anyShape},
    {"PyFuncStateless", anyShape},
    {"EagerPyFunc", anyShape},
    // Examples and files.
    {"ParseExample", parseExample},
    {"ParseExampleV2", parseExample},
    {"ParseSingleExample", parseExample},
    {"ReadFile", bySignature, "(t []) -> t []"},
    {"MatchingFiles", bySignature, "(t p) -> t [k]"},
    {"ShardedFilename", bySignature, "(t [], i [], i []) -> t []"},
    {"ShardedFilespec", bySignature, "(t [], i []) -> t []"},
    {"RestoreV2", anyShape},
    {"RestoreSlice", anyShape},
    {"Restore", anyShape},
    {"LoadAndRemapMatrix", bySignature,
     "(s [], s [], i a, i b, f c; num_rows : int, num_cols : int) -> f [num_rows, num_cols]"},
    {"GenerateVocabRemapping", bySignature, "(s [], s []; num_new_vocab : int) -> (i [num_new_vocab], i [])"},
    // Summaries.
    {"HistogramSummary", bySignature, "(t [], u s) -> v []"},
    {"ScalarSummary", bySignature, "(t s, u s) -> v []"},
    {"MergeSummary", scalar},
    {"AudioSummary", bySignature, "(t [], f s) -> v []"},
    {"AudioSummaryV2", bySignature, "(t [], f s, f []) -> v []"},
    {"TensorSummary", bySignature, "(t s) -> v []"},
    {"TensorSummaryV2", bySignature, "(t [], u s, t []) -> v []"},
};

}  // namespace

std::span<const Rule> hostRules() { return rows; }

}  // namespace axle::tensorflow
