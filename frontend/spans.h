// Relations of spans, and their text.
#pragma once

#include <string>

#include "frontend/source.h"

namespace axle {

// Whether `inner` lies within `outer`.
inline bool isWithin(Span inner, Span outer) {
  return inner.source == outer.source && outer.begin <= inner.begin && inner.end <= outer.end;
}

// Returns `path:line:column` of the span's start.
inline std::string placeText(const SourceMap& sources, Span span) {
  const Position at = sources.position(span.source, span.begin);
  return std::string(sources.path(span.source)) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace axle
