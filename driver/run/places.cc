#include "driver/run/places.h"

#include <nlohmann/json.hpp>

namespace axle::run {

nlohmann::ordered_json placesJson(std::span<const runtime::Place> places, const std::string& label) {
  const std::string none;
  auto list = nlohmann::ordered_json::array();
  for (const runtime::Place& place : places) {
    const std::string& own = list.empty() ? label : none;
    if (!place.node.empty())
      list.push_back({{"file", place.file}, {"node", place.node}, {"label", own}});
    else if (place.line > 0)
      list.push_back({{"file", place.file},
                      {"line", place.line},
                      {"column", place.column},
                      {"end_line", place.endLine},
                      {"end_column", place.endColumn},
                      {"label", own}});
  }
  return list;
}

}  // namespace axle::run
