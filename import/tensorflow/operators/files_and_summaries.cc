// Examples of a data set, files, and summaries for people: types only.
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::files_and_summaries {
namespace {

// Gives three tensors for each sparse feature, a tensor of the declared shape for each dense one, and two tensors for
// each ragged one, of a batch of serialized examples.
Outcome parseExampleType(RuleNode& n, std::string_view) {
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
  // Ragged features: the values, and the start of each row in them.
  const Value* types = n.attribute("ragged_value_types");
  const auto* ragged = types ? std::get_if<Values>(types) : nullptr;
  for (std::size_t i = 0; ragged && i < 2 * ragged->size(); ++i) n.giveShape(t.shape({size()}), port++);
  return Outcome::done;
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                     type
    // examples and files
    {"ParseExample",            parseExampleType},
    {"ParseExampleV2",          parseExampleType},
    {"ParseSingleExample",      parseExampleType},
    {"ReadFile",                "(t []) -> t []"},
    {"MatchingFiles",           "(t p) -> t [k]"},
    {"ShardedFilename",         "(t [], i [], i []) -> t []"},
    {"ShardedFilespec",         "(t [], i []) -> t []"},
    {"RestoreV2",               anyShapeType},
    {"RestoreSlice",            anyShapeType},
    {"Restore",                 anyShapeType},
    {"LoadAndRemapMatrix",      "(s [], s [], i a, i b, f c; num_rows : int, num_cols : int) -> f [num_rows, "
                                "num_cols]"},
    {"GenerateVocabRemapping",  "(s [], s []; num_new_vocab : int) -> (i [num_new_vocab], i [])"},
    // summaries
    {"HistogramSummary",        "(t [], u s) -> v []"},
    {"ScalarSummary",           "(t s, u s) -> v []"},
    {"MergeSummary",            scalarType},
    {"AudioSummary",            "(t [], f s) -> v []"},
    {"AudioSummaryV2",          "(t [], f s, f []) -> v []"},
    {"TensorSummary",           "(t s) -> v []"},
    {"TensorSummaryV2",         "(t [], u s, t []) -> v []"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::files_and_summaries
