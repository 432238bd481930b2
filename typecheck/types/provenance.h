// Origins of types and reasons of constraints, for errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/message.h"
#include "frontend/source.h"
#include "typecheck/types/trailed.h"
#include "typecheck/types/type.h"

namespace axle {

// A place that gave a part of a type its value: an annotation, an application, a tensor of a weights file.
struct Origin {
  Span span;
  bool written = false;  // written by the user as a type; shown before inferred origins
  bool makes = false;    // the application that makes a run-time size
  std::string file;      // of a tensor outside source texts; `span` is then unused
  std::string node;
  ReasonId within = {};  // the followed call in which it was made; 0 for none
};

enum class ReasonKind : std::uint8_t {
  application,
  call,
  annotation,
  result,
  condition,
  branches,
  pattern,
  match,
  index,
  where,
  literal,
  weight,
  list
};

// An argument, for notes: its type, and its name if the argument is just a name.
struct Given {
  TypeId type;
  std::string name = {};
};

// Why a constraint must hold.
struct Reason {
  ReasonKind kind = ReasonKind::application;
  Span span;                                  // the expression or declaration that requires it
  std::string subject;                        // "`matmul`", "`dense`", "`if`"
  std::string axis;                           // the given axis, as printed
  std::string signature;                      // of an operator, for the note
  std::vector<Given> given;                   // the arguments; of a call, the required and the given type
  std::size_t argument = 0;                   // of a call, the index of that argument
  std::vector<std::pair<Span, Phrase>> also;  // further places to show, with their labels
  ReasonId within;                            // the call that instantiated the constraint; 0 for none
  std::string sizeName;                       // the signature's name of the differing size, once known
  bool isFollowed = false;                    // a call into whose function the inference went
};

class Provenance {
 public:
  Provenance() {
    origins_.push_back({});
    reasons_.push_back({});
  }
  OriginId add(Origin origin) {
    origin.within = within;
    origins_.push_back(std::move(origin));
    return OriginId{static_cast<std::uint32_t>(origins_.size() - 1)};
  }
  ReasonId add(Reason reason) {
    if (!reason.within.index) reason.within = within;
    reasons_.push_back(std::move(reason));
    return ReasonId{static_cast<std::uint32_t>(reasons_.size() - 1)};
  }
  const Origin& operator[](OriginId id) const { return origins_[id.index]; }
  const Reason& operator[](ReasonId id) const { return reasons_[id.index]; }
  std::size_t reasons() const { return reasons_.size(); }
  // Returns the reason for modification. Valid until one is added.
  Reason& edit(ReasonId id) { return reasons_.edit(id.index); }

  ReasonId within;  // the call that the inference follows; stored in added origins and reasons

  struct Mark {
    Trailed<Origin>::Mark origins;
    Trailed<Reason>::Mark reasons;
    ReasonId within;
  };
  Mark mark() { return {origins_.mark(), reasons_.mark(), within}; }
  void rollback(const Mark& to) noexcept {
    origins_.rollback(to.origins);
    reasons_.rollback(to.reasons);
    within = to.within;
  }
  void release() noexcept {
    origins_.release();
    reasons_.release();
  }

 private:
  Trailed<Origin> origins_;
  Trailed<Reason> reasons_;
};

}  // namespace axle
