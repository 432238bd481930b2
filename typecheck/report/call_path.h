// The functions that a failure passes through, from the operator that fails outwards to where calls began to be
// followed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "frontend/modules.h"

namespace axle {

class CallPath {
 public:
  // `failing`: the operator; `calls`: those that lead to it, innermost first; `reached`: what was inferred last, which
  // may be behind the operator where that waited for a size; `marks`: where values come from. All are in the module,
  // which outlives this.
  CallPath(const ast::Module& module, Span failing, const std::vector<Span>& calls, Span reached,
           const std::vector<Span>& marks);

  // Where the calls must be followed again after a change of the text: the call `calls[level]`, or all from the
  // beginning on where `level` is the number of calls.
  struct Site {
    std::size_t level;
    bool changesCall = false;  // the change is within the text of that call
    // A function on the path may have been called before, too, for what that call is given: where the change fails
    // there, it is to be followed from here.
    std::optional<std::size_t> outer = std::nullopt;
  };
  // Nothing where the change only touches what is evaluated behind the failure.
  std::optional<Site> siteOf(const Fix& change) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  struct Item {
    Span span;
    std::string name;  // empty: of several names, or none
    Names mentioned;
  };
  struct Level {
    const Item* item;   // that has the place
    Span place;         // the operator, or the call that leads to it
    std::uint32_t end;  // of what is evaluated before it fails
    Names before;       // the top-level names that are evaluated before the place
    Names within;       // and those of the arguments there
    Names marked;       // those of the marked places before it
  };

  const Item* itemAround(Span place) const;
  // The innermost level at which what an edit changes is evaluated before the failure.
  std::optional<std::size_t> levelOf(const Edit& edit) const;
  std::size_t outsideOf(std::size_t level) const;
  std::optional<std::size_t> calledBefore(std::size_t level) const;
  Names reachedFrom(Names names) const;

  std::vector<Item> items_;
  std::vector<Level> levels_;  // innermost first
};

}  // namespace axle
