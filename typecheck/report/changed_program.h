// A program with edits of its root module's text: only the items that the edits touch are parsed again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/modules.h"

namespace axle {

struct ChangedProgram {
  // Where a place in the source of the changed items was in the root module's text.
  std::uint32_t before(std::uint32_t place) const;

  ast::Module module;              // the changed items, to be put behind the program's modules
  std::vector<ProgramItem> items;  // the whole program
  std::size_t same = 0;            // how many of its items are before the first one that is changed

  struct Copied {
    std::uint32_t from, to, size;  // places in the root module's text and in the changed source
  };
  std::vector<Copied> copied;  // in the order of the source
};

// The items of a program, in their order; `root`: the index of its root module, behind which changed items may be.
std::vector<ProgramItem> itemsOf(const Modules& modules, std::size_t root);

// Nothing where the changed text has syntax errors. Edits are in the order of the text, which is the root module's.
std::optional<ChangedProgram> changeProgram(const Modules& modules, std::size_t root, SourceMap& sources,
                                            const std::vector<Edit>& edits);

}  // namespace axle
