// Signatures of the core operators, read from `stdlib/core.ax`: each declaration is parsed when a program first uses
// it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/ast.h"
#include "frontend/modules.h"

namespace axle {

// A copy shares what is parsed already.
class OperatorTable {
 public:
  // `declared` must outlive the table.
  explicit OperatorTable(std::span<const CoreOp> declared = coreOps()) : declared_(declared) {}

  struct Entry {
    std::string name;  // as declared: "matmul", "+"
    const ast::OpDecl* decl = nullptr;
    const ast::Module* module = nullptr;  // owns the declaration's types
    std::string_view doc;
    std::string_view text;  // the declaration as written
  };

  // Returns the operator of that name; `arity` distinguishes prefix minus (1) from infix minus (2) and is ignored for
  // other names.
  std::optional<std::uint32_t> find(std::string_view name, std::size_t arity = 0);
  const Entry& operator[](std::uint32_t op) const { return *entries_[op]; }
  // Returns the index of an attribute in the declaration's order.
  std::optional<std::size_t> attribute(std::uint32_t op, std::string_view name) const;

 private:
  struct Parsed {
    SourceMap sources;
    ast::Module module;
    Entry entry;
  };
  std::span<const CoreOp> declared_;
  std::vector<std::shared_ptr<const Parsed>> parsed_;
  std::vector<const Entry*> entries_;
  std::unordered_map<std::string, std::optional<std::uint32_t>> byKey_;  // names looked up; none: no such operator
};

}  // namespace axle
