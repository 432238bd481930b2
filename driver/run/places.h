// Places of guards and errors as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "runtime/error.h"

namespace axle::run {

// Places as JSON objects: a span of a source, or a node of a graph. The first has `label`, the others an empty one.
// Places that are neither are left out.
nlohmann::ordered_json placesJson(std::span<const runtime::Place> places, const std::string& label = {});

}  // namespace axle::run
