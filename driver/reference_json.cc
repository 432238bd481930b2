// `axc ops` as JSON, and its list of primitives.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "backend/primitive_rows.h"
#include "driver/operator_streams.h"
#include "driver/reference.h"
#include "driver/reference_parts.h"
#include "frontend/families.h"

namespace axle::driver {
namespace {

using Json = nlohmann::ordered_json;

// What a name of `axc ops` stands for: an operator, a family, a module or a function; any other word is searched.
bool isKnownName(const std::string& name) {
  const auto isNamed = [&](const CoreOp& op) { return op.name == name || familyOf(op) == name; };
  return !stdlibModule(name.substr(0, name.find('.'))).empty() || !stdlibModulesWith(name).empty() ||
         std::ranges::any_of(coreOps(), isNamed);
}

Json operatorJson(const CoreOp& op) {
  return {{"name", op.name},
          {"declaration", oneLine(op.text)},
          {"doc", oneLine(op.doc)},
          {"family", familyOf(op)},
          {"stream", oneLine(streamSentence(op))}};
}

// Adds the functions of a module that `isShown` accepts.
template <class IsShown>
void addFunctions(Json& json, const std::string& module, IsShown isShown) {
  for (const LibraryFunction& function : functionsOf(module))
    if (isShown(function))
      json.push_back({{"name", function.name}, {"type", function.type}, {"doc", oneLine(function.doc)}});
}

Json functionsNamed(const std::string& name) {
  Json json = Json::array();
  const std::string module = name.substr(0, name.find('.'));
  if (!stdlibModule(module).empty())
    addFunctions(json, module, [&](const LibraryFunction& f) { return name == module || f.name == name; });
  for (std::string_view each : stdlibModulesWith(name))
    addFunctions(json, std::string(each),
                 [&](const LibraryFunction& f) { return f.name == std::string(each) + "." + name; });
  return json;
}

Json functionsWith(const std::string& word) {
  Json json = Json::array();
  for (std::string_view module : stdlibModuleNames())
    addFunctions(json, std::string(module), [&](const LibraryFunction& f) { return mentions(f.name, f.doc, word); });
  return json;
}

Json modulesJson() {
  Json json = Json::array();
  for (std::string_view module : stdlibModuleNames())
    json.push_back({{"name", module}, {"doc", oneLine(headComment(stdlibModule(module)))}});
  return json;
}

std::string textOf(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Returns the primitives whose names or operators contain the word; an error if there are none.
tl::expected<std::vector<PrimitiveRow>, std::string> primitivesWith(const std::string& word) {
  std::vector<PrimitiveRow> rows = primitiveRows();
  std::erase_if(rows, [&](const PrimitiveRow& row) { return !mentions(row.name, row.computes, word); });
  if (rows.empty())
    return tl::unexpected("there is no primitive like `" + word + "`; `axc ops --primitives` lists them");
  return rows;
}

}  // namespace

Page operatorJson(const std::string& name) {
  if (const Page page = operatorPage(name); !page) return page;
  const bool isWord = !name.empty() && !isKnownName(name);
  Json functions = isWord ? functionsWith(name) : functionsNamed(name), operators = Json::array();
  // `nn.conv2d` is the core operator, unless the module has a function of this name.
  const std::string core = name.starts_with("nn.") && functions.empty() ? name.substr(3) : name;
  for (const CoreOp& op : coreOps()) {
    const bool isNamed = name.empty() || op.name == core || familyOf(op) == name;
    if (isWord ? mentions(op.name, op.doc, name) : isNamed) operators.push_back(operatorJson(op));
  }
  Json json{{"operators", std::move(operators)}, {"functions", std::move(functions)}};
  if (name.empty()) json["modules"] = modulesJson();
  return textOf(json);
}

Page primitivePage(const std::string& word) {
  const auto rows = primitivesWith(word);
  if (!rows) return tl::unexpected(rows.error());
  std::size_t nameWidth = 0, operatorWidth = 0;
  for (const PrimitiveRow& row : *rows) {
    nameWidth = std::max(nameWidth, row.name.size() + 2);
    operatorWidth = std::max(operatorWidth, row.computes.size() + 2);
  }
  std::string page;
  for (const PrimitiveRow& row : *rows) {
    std::string line(row.name);
    line.resize(nameWidth, ' ');
    line += row.computes;
    line.resize(nameWidth + operatorWidth, ' ');
    page += line + std::string(row.when) + "\n";
  }
  return page;
}

Page primitiveJson(const std::string& word) {
  const auto rows = primitivesWith(word);
  if (!rows) return tl::unexpected(rows.error());
  Json primitives = Json::array();
  for (const PrimitiveRow& row : *rows)
    primitives.push_back({{"name", row.name}, {"computes", row.computes}, {"when", row.when}});
  return textOf(Json{{"primitives", std::move(primitives)}});
}

}  // namespace axle::driver
