// Tries changes of a program's text, each against the whole program.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/report/changed_program.h"
#include "typecheck/report/left_facts.h"
#include "typecheck/report/replay.h"

namespace axle {

struct LikelyFix {
  GuessedFix fix;
  bool isTriedAtCall = false;  // it gets past the failure
  bool isPutOff = false;       // it is to be tried there if a likelier one, which is enough so far, does not mend
  bool isLeftOut = false;      // it was to be tried there, but there was no work left for that
};

class Tries {
 public:
  // `before`: what the program reports.
  Tries(const Checked& checked, const CheckOptions& options, const Diagnostics& before);
  ~Tries();
  Tries(const Tries&) = delete;

  // The guesses with which a replay gets past the failure, or may: each is tried where the calls first differ. There
  // the types of the arguments are known, so this costs little beside a whole try. Where `isOneEnough`, those behind
  // the first that gets past it are left out, as are those for which there is no work left of `most`.
  std::vector<LikelyFix> likely(std::vector<GuessedFix> fixes, const Replayed& replayed, bool isOneEnough,
                                std::uint64_t most = UINT64_MAX);
  // Whether the error goes away and everything else stays. Notes count: a change that refines another name is no fix.
  // `replayed`: where the error was found by following calls; where the fix was not tried there, that comes first.
  bool mends(const Diagnostic& error, const LikelyFix& likely, const std::optional<Replayed>& replayed);
  // Which others of `before`, by their indices, the last change that mends made go away too.
  const std::set<std::size_t>& alsoMended() const { return alsoMended_; }
  // Whether the tries have cost as much as they may.
  bool areSpent() const;
  // What they have cost so far, and what they still may, in terms of the arithmetic of sizes.
  std::uint64_t work() const;
  std::uint64_t left() const { return limit_ - std::min(limit_, work()); }

 private:
  struct Prefix;
  struct Added;
  struct Guess;

  bool inferBefore(std::size_t items);
  bool failsAgain(const Replayed& before, const ChangedProgram& changed);
  std::vector<Guess> addGuesses(std::vector<GuessedFix> fixes, const Replayed& replayed);
  bool tryAtCalls(std::vector<Guess>& guesses, const Replayed& replayed, bool isOneEnough, std::uint64_t most);
  bool addChanged(Guess& guess);
  void putInPlace(Inference& in, const Added& added);
  std::optional<FollowedCalls::Instead> changedCall(const Added& added, Span call) const;
  void replay(Inference& in, const ReplayPlan& plan, const ChangedProgram& changed);
  bool checksOtherwise(const Diagnostic& error, const LikelyFix& likely, const ChangedProgram& changed, bool mayRelate);
  bool leavesFacts(Dividing allowed, const Fix& fix);
  bool areKnown(Diagnostics found, const Diagnostic& error, const ChangedProgram& changed, bool mayRelate);

  Modules modules_;
  SourceMap sources_;      // with the changed texts
  std::size_t rootIndex_;  // of `modules_`; changed items are behind it for a while
  SourceId root_;
  CheckOptions options_;
  const Diagnostics& before_;
  Checked base_;                    // the imported modules, which no fix changes
  VariableMark mark_{};             // before the first item
  std::vector<ProgramItem> items_;  // of the unchanged program
  std::vector<std::unique_ptr<Prefix>>
      prefixes_;  // the first items, which the last tries had in common; each adds some
  std::uint64_t limit_ = 0, decided_ = 0, workOfTry_ = 0;
  bool statesEquations_ = false;
  bool isOnlyError_ = false;
  std::set<std::string> asValues_;         // names of the unchanged text that are used otherwise than to be called
  std::set<std::string> used_;             // names that the unchanged text uses
  std::map<std::string, Span> functions_;  // of the unchanged text
  std::map<std::string, std::set<std::string>> mentions_;  // the names in the body of a function
  std::set<std::string> good_;                             // bindings without errors
  std::set<std::size_t> alsoMended_;
};

}  // namespace axle
