#include "driver/run/places.h"

#include "driver/run/json.h"

namespace axle::run {

std::vector<std::string> placesJson(std::span<const runtime::Place> places, const std::string& label) {
  std::vector<std::string> list;
  for (const runtime::Place& place : places) {
    if (place.node.empty() && place.line == 0) continue;
    JsonWriter json;
    json.openObject();
    json.add("file", place.file);
    if (!place.node.empty()) {
      json.add("node", place.node);
    } else {
      json.add("line", place.line);
      json.add("column", place.column);
      json.add("end_line", place.endLine);
      json.add("end_column", place.endColumn);
    }
    json.add("label", list.empty() ? label : std::string());
    json.close();
    list.push_back(json.text());
  }
  return list;
}

}  // namespace axle::run
