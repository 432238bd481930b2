// Guesses of other streamed sizes.
#include <fmt/format.h>

#include "typecheck/report/guesses.h"

namespace axle::guess {

// Makes the length of a stream a multiple, so that frames which are joined and divided again have its length.
void multipleOfStream(Guesser& g, const Application& at) {
  if (at.arguments.empty() || !(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  constexpr std::int64_t steps[] = {2, 3, 4, 8, 16, 32};
  for (const ast::Dim& dim : g.module.dims) {
    const auto* stream = std::get_if<ast::DimStreamed>(&dim.node);
    const auto* name = stream ? std::get_if<ast::DimName>(&g.module[stream->inner].node) : nullptr;
    if (!name) continue;
    const std::string length = g.text(g.module[stream->inner].span);
    for (const std::int64_t step : steps) {
      g.guess({dim.span, {}, nullptr}, fmt::format("say that its length is a multiple of {}", step),
              {{dim.span, fmt::format("~({}*{})", step, length)}});
      g.found.back().isSure = true;
    }
  }
}

}  // namespace axle::guess
