#include "typecheck/infer/annotation_mistakes.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "frontend/lower_case.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/conflict_messages.h"

namespace axle {

namespace codes {
const DiagnosticCode unknownElem{"E0319", Severity::error, "an unknown element type"};
}

namespace {

constexpr Message<Phrase> notCheckedYet{codes::unsupported, "{} cannot be checked yet",
                                        "this is part of the language, but not of this version's checker"};
constexpr Message<arg::Subject, Phrase> resultNotCheckedYet{
    codes::unsupported, "{} makes {}, which cannot be checked yet",
    "this is part of the language, but not of this version's checker"};
constexpr Message<arg::Name> notASizeInSignature{codes::unknownName, "{} is no size in this signature",
                                                 "not named by a parameter or the result"};
constexpr Message<arg::Name> notAnElemInSignature{codes::unknownName, "{} is no element type in this signature",
                                                  "not named by a parameter or the result"};
constexpr Message<arg::Name, Phrase> notAnElem{codes::unknownElem, "{} is no element type", "{1}"};
constexpr Message<arg::Name> wordAsSize{codes::overflow, "{} is no size", "another language's word"};
constexpr Message<arg::Name> elemAsSize{codes::overflow, "{} is no size", "an element type"};

// Other frameworks' names of element types, in lower case.
struct ForeignElem {
  std::string_view theirs, ours;
};
constexpr ForeignElem foreignElems[] = {
    {"float", "f32"},     {"double", "f64"}, {"half", "f16"},    {"bfloat", "bf16"}, {"int", "i32"},
    {"long", "i64"},      {"short", "i16"},  {"byte", "u8"},     {"char", "i8"},     {"uint", "u32"},
    {"boolean", "bool"},  {"str", "string"}, {"float16", "f16"}, {"float32", "f32"}, {"float64", "f64"},
    {"bfloat16", "bf16"}, {"int8", "i8"},    {"int16", "i16"},   {"int32", "i32"},   {"int64", "i64"},
    {"uint8", "u8"},      {"uint16", "u16"}, {"uint32", "u32"},  {"uint64", "u64"},
};
constexpr std::string_view foreignTensors[] = {"tensor", "ndarray", "array"};
constexpr std::string_view foreignSizes[] = {"None", "Any", "nil", "null"};

struct Mistake {
  Phrase label, help;
};

// Describes the mistake in a name of an element type; none if the name may be a variable's.
std::optional<Mistake> mistakeOf(const std::string& name) {
  const std::string last = lowerCase(name.substr(name.rfind('.') + 1));
  for (const ForeignElem& row : foreignElems)
    if (row.theirs == last) return Mistake{"another language's name", Phrase("write {}", arg::Code{row.ours})};
  if (elemNamed(last)) return Mistake{"not written so", Phrase("write {}", arg::Code{last})};
  if (std::find(std::begin(foreignTensors), std::end(foreignTensors), last) != std::end(foreignTensors))
    return Mistake{"another language's name", "a tensor's type is its element type and its sizes, as in `f32 [n, 28]`"};
  const std::size_t digits = name.find_first_of("0123456789");
  const bool ofDigits =
      digits != std::string::npos && name.find_first_not_of("0123456789", digits) == std::string::npos;
  const std::string stem = name.substr(0, digits);
  if (ofDigits && name.size() - digits > 1 && (stem == "f" || stem == "i" || stem == "u" || stem == "bf"))
    return Mistake{"no element type has that width",
                   "the element types are f16 bf16 f32 f64, i8 i16 i32 i64, u8 u16 u32 u64, bool and string"};
  return std::nullopt;
}

}  // namespace

void reportUnsupported(TypeReader& reader, Span span, const Phrase& what) {
  if (reader.failed) return;
  const Reason& application = reader.provenance[reader.reason];
  if (reader.use)
    report(reader, resultNotCheckedYet, application.span, arg::Subject{application.subject}, what);
  else
    report(reader, notCheckedYet, span, what);
}

void reportUnknownInFact(TypeReader& reader, const std::string& name, Span span, bool isElem) {
  if (!reader.failed) report(reader, isElem ? notAnElemInSignature : notASizeInSignature, span, arg::Name{name});
}

void rejectMistakenElem(TypeReader& reader, const std::string& name, Span span) {
  auto mistake = reader.use || reader.failed ? std::nullopt : mistakeOf(name);
  if (mistake) report(reader, notAnElem, span, arg::Name{name}, mistake->label).addHelp(std::move(mistake->help));
}

void rejectMistakenSize(TypeReader& reader, const std::string& name, Span span) {
  const bool isNothing = std::find(std::begin(foreignSizes), std::end(foreignSizes), name) != std::end(foreignSizes);
  if (reader.use || reader.failed || (!isNothing && !elemNamed(name))) return;
  Diagnostic& d = report(reader, isNothing ? wordAsSize : elemAsSize, span, arg::Name{name});
  if (isNothing)
    d.addHelp("write `_` for each size that is open; sizes of one name are equal");
  else
    d.addHelp("an element type stands before the sizes, as in `f32 [n, 28]`");
}

}  // namespace axle
