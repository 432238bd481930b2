// Positions, ranges, and locations of the protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/lsp/state.h"

namespace axle::lsp {

// Of a `position`; refused where it is none.
Place placeOf(const Json& position);
std::uint32_t offsetOf(const State& state, const Document& document, const Json& position);
// The offset of the request's `position`.
std::uint32_t positionOf(const State& state, const Document& document, const Json& params);
// Both ends of the request's `range`.
std::pair<std::uint32_t, std::uint32_t> rangeOf(const State& state, const Document& document, const Json& params);

Json rangeJson(const State& state, const Text& text, std::uint32_t begin, std::uint32_t end);
// None where the text of that place has changed, or no file holds it.
std::optional<Json> location(const State& state, Document& document, Span span);
// The declaration of a core operator; null where no file can hold it.
Json operatorLocation(const State& state, const CoreOp& op);

// `file:///a%20b.ax` and `/a b.ax`. Other URIs and paths stay as they are.
std::string pathOf(const std::string& uri);
std::string uriOf(const std::string& path);

}  // namespace axle::lsp
