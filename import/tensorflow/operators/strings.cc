// Strings, and messages in strings: types only.
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::strings {
namespace {

// Joins strings of one shape and scalars.
Outcome stringJoinType(RuleNode& n, std::string_view) {
  if (n.count() == 0) return Outcome::unknown;
  ElemTerm elem = ElemTerm::of(Elem::f32);
  std::optional<TypedId> joined = n.opaqueLike(n.in(0), elem);
  for (std::size_t i = 1; i < n.count() && joined; ++i) joined = n.op("+", {*joined, n.opaqueLike(n.in(i), elem)});
  n.giveTypesOnly();
  return n.give(joined);
}

// An empty list of axes means all of them.
Outcome reduceJoinType(RuleNode& n, std::string_view) {
  auto axes = n.numbers(1);
  if (!axes) return Outcome::waits;
  Statics statics{{"keep", n.t.boolean(n.flag("keep_dims"))}};
  if (!axes->empty()) statics["axis"] = n.t.list(*axes);
  n.giveTypesOnly();
  return n.give(n.op("sum", {n.opaqueLike(n.in(0), ElemTerm::of(Elem::f32))}, std::move(statics)));
}

// Gives a string for each row of sizes.
Outcome encodeProtoType(RuleNode& n, std::string_view) {
  Shape rows = n.t.unknownShape("s"), all = rows;
  all.push_back(ShapePart::of(n.t.unknownSize("k")));
  if (!requireShape(n, 0, std::move(all))) return Outcome::failed;
  return n.giveShape(std::move(rows));
}

// Gives the values of each field for each message, and their number.
Outcome decodeProtoType(RuleNode& n, std::string_view) {
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

// Gives a column for each field.
Outcome decodeCsvType(RuleNode& n, std::string_view) {
  const Value* types = n.attribute("OUT_TYPE");
  const auto* columns = types ? std::get_if<Values>(types) : nullptr;
  if (!columns) return Outcome::unknown;
  const TypeTerm rows = n.t.solution().types[n.t.typeOf(n.in(0))];
  for (std::size_t port = 0; port < columns->size(); ++port) n.giveShape(rows.shape, port);
  return Outcome::done;
}

constexpr std::string_view each = "(t s) -> u s";
constexpr std::string_view split = "(t [n], t d) -> (i [k, 2], t [k], i [2])";

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                       type
    {"AsString",                  each},
    {"DecodeBase64",              each},
    {"EncodeBase64",              each},
    {"RegexFullMatch",            "(t s, t []) -> bool s"},
    {"RegexReplace",              "(t s, t [], t []) -> t s"},
    {"StaticRegexFullMatch",      each},
    {"StaticRegexReplace",        each},
    {"StringLength",              each},
    {"StringLower",               each},
    {"StringUpper",               each},
    {"StringStrip",               each},
    {"StringToHashBucket",        each},
    {"StringToHashBucketFast",    each},
    {"StringToHashBucketStrong",  each},
    {"StringToNumber",            each},
    {"StringSplit",               split},
    {"StringSplitV2",             split},
    {"StringJoin",                stringJoinType},
    {"StringFormat",              scalarType},
    {"ReduceJoin",                reduceJoinType},
    {"Substr",                    "(t a, i b, i b) -> t (a # b)"},
    {"UnicodeDecode",             "(t s) -> (i [size(s) + 1], j [k])"},
    {"UnicodeEncode",             "(i [k], j [m]) -> t [m - 1]"},
    {"EncodeProto",               encodeProtoType},
    {"DecodeProtoV2",             decodeProtoType},
    {"DecodeCSV",                 decodeCsvType},
    {"UnicodeScript",             each},
    {"UnicodeTranscode",          each},
    {"DecodeCompressed",          each},
    {"DecodeJSONExample",         each},
    {"DecodePaddedRaw",           "(t s, i []) -> u s @ [k]"},
    {"StringNGrams",              "(t [n], i [m]) -> (t [k], i [m])"},
    {"UnicodeDecodeWithOffsets",  "(t s) -> (i [size(s) + 1], j [k], l [k])"},
    {"SerializeTensor",           "(t s) -> string []"},
    {"ParseTensor",               "(string []) -> t s"},
    {"DecodeRaw",                 "(t s) -> u s @ [k]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::strings
