// Places of guards and errors as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "runtime/error.h"

namespace axle::run {

// Places as JSON objects: spans of sources and nodes of graphs; other places are left out. The first has `label`, the
// others an empty label.
nlohmann::ordered_json placesJson(std::span<const runtime::Place> places, const std::string& label = {});

}  // namespace axle::run
