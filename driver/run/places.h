// Writes the places of guards and errors as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace axle::run {

// Returns places as JSON objects: spans of sources and nodes of graphs; leaves out other places. The first has `label`,
// the others an empty label.
std::vector<std::string> placesJson(std::span<const runtime::Place> places, const std::string& label = {});

}  // namespace axle::run
