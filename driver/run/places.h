// Places of guards and errors as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "runtime/error.h"

namespace axle::run {

// CLI.md's objects: a span of a source, or a node of a graph, each with an empty label. Places of neither are left out.
nlohmann::ordered_json placesJson(std::span<const runtime::Place> places);

}  // namespace axle::run
