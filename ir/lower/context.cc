#include "ir/lower/context.h"

#include "typecheck/checked.h"

namespace axle::ir::lowering {

Context::Context(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits)
    : entry(entry),
      program(axle::program(checked)),
      solution(axle::solution(checked)),
      operators(axle::operators(checked)),
      sources(checked.sources),
      limits(limits),
      diagnostics(diagnostics) {}

std::nullopt_t fail(Context& c, Diagnostic diagnostic) {
  if (c.failed) return std::nullopt;
  c.failed = true;
  const Span* span = std::get_if<Span>(&diagnostic.primary.place);
  if (c.calls.size() > 1 && span && c.calls.back() != *span)
    diagnostic.addLabel(c.calls.back(), "inlined by this call");
  c.diagnostics.push_back(std::move(diagnostic));
  return std::nullopt;
}

std::nullopt_t reportBug(Context& c, const std::string& what, Span span) {
  if (c.failed) return std::nullopt;
  c.failed = true;
  c.bug = "lowering `" + c.entry.name + "`: " + what + ", at byte " + std::to_string(span.begin) + " of source " +
          std::to_string(span.source.index);
  return std::nullopt;
}

}  // namespace axle::ir::lowering
