// A session: its program, its tensors, and what it is asked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/weights.h"
#include "io/tensor_file.h"
#include "tools/repl/program.h"

namespace axle::repl {

struct SessionOptions {
  std::string file;  // to load first; empty: none
  std::string weights;
  std::vector<std::string> includes;
  std::uint64_t seed = 0;
};

// A tensor of a file that has a name in the session.
struct HeldTensor {
  std::string file;
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  TensorBytes bytes;
};

// A piece of what was typed, which begins at that offset of all of it.
struct Typed {
  std::string_view text;
  std::size_t begin = 0;

  std::size_t end() const { return begin + text.size(); }
  // A part of the same text.
  Typed part(std::string_view of) const { return {of, begin + static_cast<std::size_t>(of.data() - text.data())}; }
};

class LookedAt;

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();

  // One entry, of one or more lines with their ends. False where something failed, which is told.
  bool enter(const std::string& text);
  bool hasEnded() const { return ended_; }

  // ---- what commands do
  void end() { ended_ = true; }
  Program& program() { return *program_; }
  const Program& program() const { return *program_; }
  const CheckOptions& checkOptions() const { return checkOptions_; }
  const SessionOptions& options() const { return options_; }
  // Adds a definition; tells what it defines, and whose type it changed.
  bool define(const Typed& typed);
  // Begins anew, with what a file defines.
  bool load(const std::string& file, const std::string& weights);
  // Reads it again; what was typed stays.
  bool reload();
  // Nothing has that name any more.
  bool drop(const std::string& name);
  // The tensor has that name from now on.
  bool hold(const std::string& name, HeldTensor tensor);
  // The graph that was imported last; none before.
  void lookAt(std::unique_ptr<LookedAt> graph);
  LookedAt* graph() const { return graph_.get(); }
  const std::string& typed() const { return recipe_.typed; }
  void setSeed(std::uint64_t seed) { options_.seed = seed; }
  WeightBytes weightBytes() const;

  // The program that knows a name, and what it calls it: `nn.dense` is `dense` of a module. None where there is none of
  // that name, which is told.
  struct Subject {
    Program* program = nullptr;
    std::string name;
    std::unique_ptr<Program> own = nullptr;  // of a module
  };
  std::optional<Subject> subject(const std::string& name);

  // ---- in a child only: they change what was checked
  // Imports the modules of the standard library that a piece speaks of.
  void bringIn(const Typed& typed);
  // Where a piece stands in a source of all that was typed.
  Span sourceOf(const Typed& typed);
  // Checks `name = EXPRESSION` as a further definition, and gives its binding.
  std::optional<BindingId> checkValue(const std::string& name, Span expression);

 private:
  using Types = std::map<std::string, std::string>;

  bool ask(const Typed& typed);
  bool refuse(const std::string& text);
  // The program that the recipe makes takes the place of what there was, if it is good.
  // Tells the types that are others than `before`.
  // With `extends` only the entry that was added is checked, if that can be.
  bool take(Recipe recipe, const std::optional<Entry>& added, const Types& before, bool extends = false);
  bool tried(const Recipe& recipe, const std::optional<Entry>& added) const;
  bool takeFile(Recipe recipe, const std::string& weights, const Types& before);
  void useWeights();
  std::optional<bool> forget(Recipe& recipe, const std::string& name) const;
  std::string declarations() const;  // of the tensors
  void tellTypes(const Types& before, const std::optional<Entry>& added) const;

  SessionOptions options_;
  Recipe recipe_;
  CheckOptions checkOptions_;
  std::optional<driver::Weights> weights_;
  WeightSource weightSource_;
  std::string weightsWord_;
  std::optional<std::pair<std::string, std::string>> failed_;  // the file and its weights that could not be loaded last
  std::map<std::string, HeldTensor> held_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<LookedAt> graph_;
  bool ended_ = false;
};

// On stderr, coloured on a terminal.
void tell(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace axle::repl
