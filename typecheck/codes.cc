#include "typecheck/codes.h"

namespace axle::codes {

const DiagnosticCode nameRefined{"N0301", Severity::note, "a name is inferred to be something"};
const DiagnosticCode elementDefaulted{"N0501", Severity::note, "an open element type"};
const DiagnosticCode typeMismatch{"E0301", Severity::error, "types do not fit"};
const DiagnosticCode dimMismatch{"E0302", Severity::error, "sizes differ"};
const DiagnosticCode rankMismatch{"E0303", Severity::error, "ranks differ"};
const DiagnosticCode elemMismatch{"E0304", Severity::error, "element types differ"};
const DiagnosticCode elemClass{"E0305", Severity::error, "element type of the wrong class"};
const DiagnosticCode infiniteType{"E0306", Severity::error, "a type that contains itself"};
const DiagnosticCode factRefuted{"E0307", Severity::error, "a fact that does not hold"};
const DiagnosticCode reshapeTotal{"E0308", Severity::error, "a reshape that changes the number of elements"};
const DiagnosticCode badAttribute{"E0309", Severity::error, "a static argument of the wrong form"};
const DiagnosticCode arity{"E0310", Severity::error, "wrong arguments"};
const DiagnosticCode unsupported{"E0311", Severity::error, "a form that cannot stand here"};
const DiagnosticCode overflow{"E0312", Severity::error, "a size out of range"};
const DiagnosticCode unknownClass{"E0313", Severity::error, "unknown class of elements"};
const DiagnosticCode notStatic{"E0314", Severity::error, "not a static value"};
const DiagnosticCode typesTooLarge{"E0315", Severity::error, "types grow too large"};
const DiagnosticCode runtimeEscape{"E0316", Severity::error, "a size known only at run time"};
const DiagnosticCode raggedMismatch{"E0317", Severity::error, "ragged lengths"};
const DiagnosticCode streamMismatch{"E0318", Severity::error, "a streamed dimension"};
const DiagnosticCode unknownElem{"E0319", Severity::error, "an unknown element type"};
const DiagnosticCode weightMissing{"E0401", Severity::error, "a tensor is missing in the weights"};
const DiagnosticCode weightType{"E0402", Severity::error, "a tensor of another type"};
const DiagnosticCode weightsNeeded{"E0403", Severity::error, "weights are needed"};
const DiagnosticCode weightUnreadable{"E0404", Severity::error, "a tensor that cannot be read"};
const DiagnosticCode paramType{"E0405", Severity::error, "a parameter that is no tensor"};
const DiagnosticCode noEntry{"E0501", Severity::error, "no such entry"};
const DiagnosticCode entryType{"E0502", Severity::error, "not an entry"};
const DiagnosticCode entryRank{"E0503", Severity::error, "the rank of an input is open"};
const DiagnosticCode openEntry{"E0504", Severity::error, "a result of open shape"};
const DiagnosticCode unknownSet{"E0505", Severity::error, "nothing to set"};
const DiagnosticCode entryText{"E0506", Severity::error, "text cannot be compiled"};
const DiagnosticCode literalOutOfRange{"E0512", Severity::error, "a number that its element type cannot hold"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> typecheckCodes() {
  using namespace codes;
  // clang-format off
  static const DiagnosticCode* const all[] = {  // one a line
      &nameRefined,
      &elementDefaulted,
      &typeMismatch,
      &dimMismatch,
      &rankMismatch,
      &elemMismatch,
      &elemClass,
      &infiniteType,
      &factRefuted,
      &reshapeTotal,
      &badAttribute,
      &arity,
      &unsupported,
      &overflow,
      &unknownClass,
      &notStatic,
      &typesTooLarge,
      &weightMissing,
      &weightType,
      &weightsNeeded,
      &weightUnreadable,
      &paramType,
      &noEntry,
      &entryType,
      &entryRank,
      &codes::openEntry,
      &unknownSet,
      &entryText,
      &literalOutOfRange,
      &runtimeEscape,
      &raggedMismatch,
      &streamMismatch,
      &unknownElem,
  };
  // clang-format on
  return all;
}

}  // namespace axle
