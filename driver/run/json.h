// Writes JSON text. A device has no library for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace axle::run {

// Writes values one after another into the innermost open object or list. Bytes that are not UTF-8 become U+FFFD.
class JsonWriter {
 public:
  // With `indent`, each item is on its own line; without it, everything is on one line.
  explicit JsonWriter(std::size_t indent = 0) : indent_(indent) {}

  void openObject() { open('{', '}'); }
  void openList() { open('[', ']'); }
  void close();
  void key(std::string_view name);  // of the next value in an object

  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(double number);  // null if it is not finite
  void add(std::integral auto number) { addJson(std::to_string(number)); }
  template <class T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : addJson("null");
  }
  template <class T>
  void add(std::span<const T> values) {
    openList();
    for (const T& value : values) add(value);
    close();
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::span<const T>(values));
  }
  void addJson(std::string_view json);  // a value as JSON

  template <class T>
  void add(std::string_view name, const T& value) {
    key(name);
    add(value);
  }

  // Returns the text. All objects and lists must be closed.
  const std::string& text() const { return text_; }

 private:
  void open(char bracket, char closing);
  void beginItem();
  void newLine();
  void quote(std::string_view text);

  std::size_t indent_;
  std::string text_, closings_;  // the closing brackets that are still missing
  bool isFirst_ = true, hasKey_ = false;
};

}  // namespace axle::run
