#include "frontend/codes.h"

namespace axle {

std::span<const DiagnosticCode* const> frontendCodes() {
  static constexpr const DiagnosticCode* rows[] = {
      &codes::cannotRead,
      &codes::tooLarge,
      &codes::notText,
      &codes::syntax,
      &codes::unbalanced,
      &codes::nestedTooDeeply,
      &codes::unknownCharacter,
      &codes::unterminatedString,
      &codes::badEscape,
      &codes::badNumber,
      &codes::notATarget,
      &codes::unusedValue,
      &codes::noResult,
      &codes::badElse,
      &codes::chainedComparison,
      &codes::onlyInOp,
      &codes::misplacedFn,
      &codes::badArgument,
      &codes::misplacedAnnotation,
      &codes::misplacedWhere,
      &codes::badFact,
      &codes::badOp,
      &codes::unknownAnnotation,
      &codes::unknownName,
      &codes::duplicateName,
      &codes::recursive,
      &codes::unknownModule,
      &codes::unknownMember,
      &codes::importCycle,
      &codes::moduleNameTaken,
  };
  return rows;
}

}  // namespace axle
