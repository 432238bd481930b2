#include "ir/lower/context.h"

namespace axle::ir::lowering {

Context::Context(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits)
    : entry(entry),
      program(axle::program(checked)),
      solution(axle::solution(checked)),
      operators(axle::operators(checked)),
      limits(limits),
      diagnostics(diagnostics) {}

std::nullopt_t fail(Context& c, const DiagnosticCode& code, std::string message, Span span, std::string label,
                    std::string help) {
  if (c.failed) return std::nullopt;
  c.failed = true;
  Diagnostic d;
  d.code = &code;
  d.message = std::move(message);
  d.primary = {span, std::move(label)};
  if (c.calls.size() > 1 && c.calls.back() != span) d.secondary.push_back({c.calls.back(), "inlined by this call"});
  if (!help.empty()) d.help.push_back(std::move(help));
  c.diagnostics.push_back(std::move(d));
  return std::nullopt;
}

std::nullopt_t unexpected(Context& c, const std::string& what, Span span) {
  if (c.failed) return std::nullopt;
  c.failed = true;
  c.bug = "lowering `" + c.entry.name + "`: " + what + ", at byte " + std::to_string(span.begin) + " of source " +
          std::to_string(span.source.index);
  return std::nullopt;
}

}  // namespace axle::ir::lowering
