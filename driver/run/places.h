// Places of guards and errors as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace axle::run {

// Places as JSON objects: spans of sources and nodes of graphs; other places are left out. The first has `label`, the
// others an empty label.
std::vector<std::string> placesJson(std::span<const runtime::Place> places, const std::string& label = {});

}  // namespace axle::run
