#include "driver/run/json.h"

#include <cmath>
#include <cstdio>

#include "driver/run/numbers.h"

namespace axle::run {
namespace {

// Returns the length of the UTF-8 sequence that `text` begins with; 0 if it is invalid.
std::size_t sequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

void JsonWriter::newLine() {
  if (indent_ > 0) text_ += "\n" + std::string(indent_ * closings_.size(), ' ');
}

void JsonWriter::beginItem() {
  if (hasKey_) {
    hasKey_ = false;
    return;
  }
  if (closings_.empty()) return;
  if (!isFirst_) text_ += ',';
  isFirst_ = false;
  newLine();
}

void JsonWriter::open(char bracket, char closing) {
  beginItem();
  text_ += bracket;
  closings_ += closing;
  isFirst_ = true;
}

void JsonWriter::close() {
  const char closing = closings_.back();
  closings_.pop_back();
  if (!isFirst_) newLine();
  text_ += closing;
  isFirst_ = false;
}

void JsonWriter::key(std::string_view name) {
  beginItem();
  quote(name);
  text_ += indent_ > 0 ? ": " : ":";
  hasKey_ = true;
}

void JsonWriter::add(std::string_view text) {
  beginItem();
  quote(text);
}

void JsonWriter::add(double number) {
  if (!std::isfinite(number)) return addJson("null");
  const std::string text = numberText(Elem::f64, {false, false, 0, number});
  addJson(text.find_first_of(".e") == std::string::npos ? text + ".0" : text);
}

void JsonWriter::addJson(std::string_view json) {
  beginItem();
  text_ += json;
}

void JsonWriter::quote(std::string_view text) {
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  text_ += '"';
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    const std::size_t escape = escaped.find(text[0]);
    if (length == 0) {
      text_ += "\xEF\xBF\xBD";
    } else if (escape != std::string_view::npos) {
      text_ += '\\';
      text_ += letters[escape];
    } else if (static_cast<unsigned char>(text[0]) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(text[0]));
      text_ += code;
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace axle::run
