// Converts positions, ranges, and locations of the protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/lsp/state.h"

namespace axle::lsp {

// Reads a `position`; throws a Refusal if it is malformed.
Place placeOf(const Json& position);
std::uint32_t offsetOf(const State& state, const Document& document, const Json& position);
// Returns the offset of the request's `position`.
std::uint32_t positionOf(const State& state, const Document& document, const Json& params);
// Returns both ends of the request's `range`.
std::pair<std::uint32_t, std::uint32_t> rangeOf(const State& state, const Document& document, const Json& params);

Json rangeJson(const State& state, const Text& text, std::uint32_t begin, std::uint32_t end);
// Returns nothing if the text of the place has changed, or no file contains it.
std::optional<Json> location(const State& state, Document& document, Span span);
// Returns the declaration of a core operator; null if no file can be written for it.
Json operatorLocation(const State& state, const CoreOp& op);

// Convert between `file:///a%20b.ax` and `/a b.ax`. Other URIs and paths stay unchanged.
std::string pathOf(const std::string& uri);
std::string uriOf(const std::string& path);

}  // namespace axle::lsp
