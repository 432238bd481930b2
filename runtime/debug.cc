#include "runtime/debug.h"

#include <algorithm>

#include "io/sorting.h"

namespace axle::runtime {
namespace {

// Reads LEB128 numbers; 0 after the end.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes) : left_(bytes) {}

  bool ended() const { return left_.empty(); }

  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !left_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(left_.front());
      left_ = left_.subspan(1);
      if (shift < 64) value |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  // Returns `base` plus a signed number, without a check for overflow.
  std::uint64_t nextFrom(std::uint64_t base) { return unzigzag(base, next()); }
  static std::uint64_t unzigzag(std::uint64_t base, std::uint64_t coded) {
    return base + ((coded >> 1) ^ (~(coded & 1) + 1));
  }

  std::string_view take(std::uint64_t count) {
    const auto bytes = left_.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, left_.size())));
    left_ = left_.subspan(bytes.size());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> left_;
};

std::uint32_t littleAt(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}

constexpr std::size_t stringsPart = 0, constantsPart = 1;
constexpr std::size_t guardsPart(std::size_t program) { return 2 + 2 * program; }
constexpr std::size_t nodesPart(std::size_t program) { return 3 + 2 * program; }

// Returns a part of the section; empty if the section does not have it.
std::span<const std::byte> partOf(const DebugView& debug, std::size_t part) {
  const std::span<const std::byte> section = debug.section;
  if (section.size() < 4) return {};
  const std::uint64_t parts = 2 + 2 * std::uint64_t{littleAt(section, 0)};
  if (part >= parts || section.size() / 4 <= parts) return {};
  std::uint64_t offset = 4 * (1 + parts);
  for (std::size_t i = 0; i < part; ++i) offset += littleAt(section, 4 * (1 + i));
  const std::uint64_t bytes = littleAt(section, 4 * (1 + part));
  if (offset > section.size() || bytes > section.size() - offset) return {};
  return section.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
}

// A place with the numbers of its strings.
struct PlaceNumbers {
  std::uint64_t file = 0, node = 0;
  Place place;
};

struct Item {
  std::vector<std::uint64_t> strings;
  std::vector<PlaceNumbers> places;
};

// Reads the items of guards or nodes in order.
class Items {
 public:
  explicit Items(std::span<const std::byte> part) : numbers_(part) {}

  bool ended() const { return numbers_.ended(); }

  Item guard() { return item(2); }
  Item node() { return item(numbers_.next()); }

 private:
  Item item(std::uint64_t strings) {
    Item item;
    for (std::uint64_t i = 0; i < strings && !ended(); ++i) item.strings.push_back(string());
    const std::uint64_t places = numbers_.next();
    for (std::uint64_t i = 0; i < places && !ended(); ++i) item.places.push_back(place());
    return item;
  }

  std::uint64_t string() { return lastString_ = numbers_.nextFrom(lastString_); }

  PlaceNumbers place() {
    PlaceNumbers numbers;
    numbers.file = lastFile_ = numbers_.nextFrom(lastFile_);
    const std::uint64_t line = numbers_.next();
    if (line == 0) {
      numbers.node = string();
      return numbers;
    }
    lastLine_ = Numbers::unzigzag(lastLine_, line - 1);
    Place& place = numbers.place;
    place.line = static_cast<std::uint32_t>(lastLine_);
    place.column = static_cast<std::uint32_t>(numbers_.next());
    place.endLine = static_cast<std::uint32_t>(lastLine_ + numbers_.next());
    place.endColumn = static_cast<std::uint32_t>(numbers_.next());
    return numbers;
  }

  Numbers numbers_;
  std::uint64_t lastString_ = 0, lastFile_ = 0, lastLine_ = 0;
};

// Reads the strings that some items name.
class Strings {
 public:
  void want(const Item& item) {
    for (std::uint64_t string : item.strings) wanted_.push_back(string);
    for (const PlaceNumbers& place : item.places) wanted_.insert(wanted_.end(), {place.file, place.node});
  }

  void read(const DebugView& debug) {
    Numbers numbers(partOf(debug, stringsPart));
    std::string text;
    std::uint64_t number = 0;
    std::size_t left = maxDebugText;
    sortItems(std::span(wanted_));
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    texts_.resize(wanted_.size());
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const std::uint64_t wanted = wanted_[i];
      for (; number < wanted && !numbers.ended(); ++number) {
        text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(numbers.next() & maxSharedPrefix, text.size())));
        text += numbers.take(numbers.next());
      }
      if (number != wanted) return;
      if (text.size() > left) continue;
      left -= text.size();
      texts_[i] = text;
    }
  }

  // Returns a copy of a string, or an empty one once all copies together exceed maxDebugText bytes.
  std::string take(std::uint64_t number) {
    const auto at = std::lower_bound(wanted_.begin(), wanted_.end(), number);
    if (at == wanted_.end() || *at != number) return {};
    const std::string& text = texts_[static_cast<std::size_t>(at - wanted_.begin())];
    if (text.size() > left_) return {};
    left_ -= text.size();
    return text;
  }

  std::vector<Place> take(std::vector<PlaceNumbers> numbers) {
    std::vector<Place> places;
    for (PlaceNumbers& one : numbers) {
      one.place.file = take(one.file);
      one.place.node = take(one.node);
      places.push_back(std::move(one.place));
    }
    return places;
  }

 private:
  std::vector<std::uint64_t> wanted_;  // numbers of strings, sorted by read()
  std::vector<std::string> texts_;     // of each
  std::size_t left_ = maxDebugText;
};

}  // namespace

NodeText describeNode(const DebugView& debug, std::size_t node) {
  Items items(partOf(debug, nodesPart(debug.program)));
  Item item;
  for (std::size_t i = 0; i < node && !items.ended(); ++i) items.node();
  if (!items.ended()) item = items.node();
  Strings strings;
  strings.want(item);
  strings.read(debug);
  NodeText text;
  for (std::uint64_t name : item.strings) text.name += (text.name.empty() ? "" : ", ") + strings.take(name);
  text.places = strings.take(std::move(item.places));
  return text;
}

std::vector<GuardInfo> describeGuards(const DebugView& debug, std::size_t count) {
  Items items(partOf(debug, guardsPart(debug.program)));
  std::vector<Item> all;
  Strings strings;
  while (all.size() < count && !items.ended()) {
    all.push_back(items.guard());
    all.back().strings.resize(2);
    strings.want(all.back());
  }
  strings.read(debug);
  std::vector<GuardInfo> texts;
  for (Item& item : all) {
    std::string text = strings.take(item.strings[0]), reason = strings.take(item.strings[1]);
    texts.push_back({std::move(text), std::move(reason), strings.take(std::move(item.places))});
  }
  return texts;
}

std::string constantName(const DebugView& debug, std::size_t constant) {
  Numbers numbers(partOf(debug, constantsPart));
  std::uint64_t name = 0;
  for (std::size_t i = 0; i <= constant; ++i) {
    if (numbers.ended()) return {};
    name = numbers.nextFrom(name);
  }
  Item item{{name}, {}};
  Strings strings;
  strings.want(item);
  strings.read(debug);
  return strings.take(name);
}

}  // namespace axle::runtime
