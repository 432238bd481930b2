#include "import/tensorflow/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace axle::tensorflow {

const Value* Node::find(std::string_view attribute) const {
  const auto found = std::lower_bound(attributes.begin(), attributes.end(), attribute,
                                      [](const Attribute& a, std::string_view name) { return a.name < name; });
  return found != attributes.end() && found->name == attribute ? &found->value : nullptr;
}

std::string outletName(const Graph& graph, Outlet outlet) {
  return fmt::format("{}:{}", graph[outlet.node].name, outlet.port);
}

std::string toText(const PartialShape& shape) {
  if (!shape.knownRank) return "..";
  std::string text;
  for (std::int64_t size : shape.sizes) text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : std::to_string(size));
  return "[" + text + "]";
}

namespace {

// Makes names from files printable and short.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 60;
  std::string plain = "\"";
  for (unsigned char c : text.substr(0, shown)) {
    if (c == '"' || c == '\\') plain += '\\';
    plain += c >= 0x20 && c < 0x7f ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  }
  return plain + (text.size() > shown ? fmt::format("\"... ({} bytes)", text.size()) : "\"");
}

std::string tensorText(const Tensor& tensor) {
  const bool integers =
      tensor.type == Type::boolean || (info(tensor.type).element && axle::info(*info(tensor.type).element).isInt);
  std::string text = fmt::format("{} [{}]", spelling(tensor.type), fmt::join(tensor.shape, ", "));
  if (tensor.count > 8 || (!integers && tensor.type != Type::string)) return text;
  std::string values;
  for (std::int64_t i = 0; i < tensor.count; ++i)
    values += (i ? ", " : "") + (integers ? std::to_string(tensor.integer(i)) : quoted(tensor.element(i)));
  return text + " (" + values + ")";
}

struct Spell {
  std::string operator()(std::monostate) const { return "nothing"; }
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(float number) const { return fmt::format("{}", number); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(Type type) const { return spelling(type); }
  std::string operator()(const PartialShape& shape) const { return toText(shape); }
  std::string operator()(const std::shared_ptr<const Tensor>& tensor) const { return tensorText(*tensor); }
  std::string operator()(const FunctionName& function) const { return "@" + function.name; }
  std::string operator()(const FromCall& from) const { return "$" + from.attribute; }
  std::string operator()(const Values& values) const {
    constexpr std::size_t shown = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(values.size(), shown); ++i) text += (i ? ", " : "") + toText(values[i]);
    return "(" + text + (values.size() > shown ? fmt::format(", ... {} in all)", values.size()) : ")");
  }
};

}  // namespace

std::string toText(const Value& value) { return std::visit(Spell{}, static_cast<const Value::variant&>(value)); }

}  // namespace axle::tensorflow
