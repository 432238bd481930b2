#include "backend/debug.h"

#include <algorithm>

#include "runtime/debug.h"

namespace axle {
namespace {

void addNumber(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

std::uint64_t zigzag(std::uint32_t value, std::uint32_t last) {
  return value >= last ? std::uint64_t{value - last} << 1 : (std::uint64_t{last - value} << 1) - 1;
}

void addLittle(std::string& bytes, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xFF);
}

}  // namespace

std::uint32_t DebugSection::number(std::string_view text) {
  const auto [known, isNew] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(numbers_.size()));
  if (!isNew) return known->second;
  const std::size_t most = std::min({text.size(), lastText_.size(), runtime::maxSharedPrefix});
  std::size_t shared = 0;
  while (shared < most && text[shared] == lastText_[shared]) ++shared;
  addNumber(strings_, shared);
  addNumber(strings_, text.size() - shared);
  strings_ += text.substr(shared);
  lastText_ = text;
  return known->second;
}

void DebugSection::addString(Part& part, std::string_view text) {
  const std::uint32_t string = number(text);
  addNumber(part.bytes, zigzag(string, part.lastString));
  part.lastString = string;
}

void DebugSection::addPlaces(Part& part, std::span<const Span> spans) {
  const auto isPlace = [&](Span span) { return span.source.index < sources_.size(); };
  addNumber(part.bytes, static_cast<std::uint64_t>(std::count_if(spans.begin(), spans.end(), isPlace)));
  for (Span span : spans) {
    if (!isPlace(span)) continue;
    const std::uint32_t file = number(sources_.path(span.source));
    addNumber(part.bytes, zigzag(file, part.lastFile));
    part.lastFile = file;
    if (sources_.isListing(span.source)) {  // an imported graph: users do not know the lines of its listing
      addNumber(part.bytes, 0);
      addString(part, sources_.node(span.source, span.begin));
      continue;
    }
    const Position begin = sources_.position(span.source, span.begin), end = sources_.position(span.source, span.end);
    addNumber(part.bytes, 1 + zigzag(begin.line, part.lastLine));
    addNumber(part.bytes, begin.column);
    addNumber(part.bytes, end.line - begin.line);
    addNumber(part.bytes, end.column);
    part.lastLine = begin.line;
  }
}

void DebugSection::addGuard(std::size_t program, std::string_view text, std::string_view reason,
                            std::span<const Span> spans) {
  Part& part = programs_[program].guards;
  addString(part, text);
  addString(part, reason);
  addPlaces(part, spans);
}

void DebugSection::addConstant(std::string_view name) { addString(constants_, name); }

void DebugSection::addNode(std::size_t program, std::span<const std::string> names, std::span<const Span> spans) {
  Part& part = programs_[program].nodes;
  addNumber(part.bytes, names.size());
  for (const std::string& name : names) addString(part, name);
  addPlaces(part, spans);
}

std::string DebugSection::bytes() const {
  std::string bytes;
  addLittle(bytes, programs_.size());
  addLittle(bytes, strings_.size());
  addLittle(bytes, constants_.bytes.size());
  for (const Program& program : programs_) {
    addLittle(bytes, program.guards.bytes.size());
    addLittle(bytes, program.nodes.bytes.size());
  }
  bytes += strings_ + constants_.bytes;
  for (const Program& program : programs_) bytes += program.guards.bytes + program.nodes.bytes;
  return bytes;
}

}  // namespace axle
