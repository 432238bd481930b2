// Writes the debug section of a bundle, in the format of runtime/debug.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/source.h"

namespace axle {

// Numbers strings in the order in which they are added. Add guards first, because loading reads only their strings.
class DebugSection {
 public:
  DebugSection(const SourceMap& sources, std::size_t programs) : sources_(sources), programs_(programs) {}

  void addGuard(std::size_t program, std::string_view text, std::string_view reason, std::span<const Span> spans);
  void addConstant(std::string_view name);
  // Call in the order of the bundle: for the graph's nodes, then for the nodes of the bodies.
  void addNode(std::size_t program, std::span<const std::string> names, std::span<const Span> spans);

  std::string bytes() const;

 private:
  // The encoded guards or nodes; numbers are relative to the previous ones.
  struct Part {
    std::string bytes;
    std::uint32_t lastString = 0, lastFile = 0, lastLine = 0;
  };
  struct Program {
    Part guards, nodes;
  };

  std::uint32_t number(std::string_view text);
  void addString(Part& part, std::string_view text);
  void addPlaces(Part& part, std::span<const Span> spans);

  const SourceMap& sources_;
  std::unordered_map<std::string, std::uint32_t> numbers_{{"", 0}};
  std::string strings_, lastText_;
  Part constants_;
  std::vector<Program> programs_;
};

}  // namespace axle
