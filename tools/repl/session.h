// A session: its program, its tensors, and an imported graph.
#pragma once

#include <functional>
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
  std::string file;  // to load first; empty if there is none
  std::string weights;
  std::vector<std::string> includes;
  std::uint64_t seed = 0;
};

// A tensor from a file that has a name in the session (`:let`).
struct NamedTensor {
  std::string file;
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  TensorBytes bytes;
};

// A piece of typed text, with its offset in the text of the whole session.
struct InputText {
  std::string_view text;
  std::size_t begin = 0;

  std::size_t end() const { return begin + text.size(); }
  // Returns a part of the same text.
  InputText part(std::string_view of) const { return {of, begin + static_cast<std::size_t>(of.data() - text.data())}; }
};

class InspectedGraph;

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();

  // Runs one entry, which is one or more lines with their ends. On an error, prints it and returns false.
  bool enter(const std::string& text);
  bool hasEnded() const { return ended_; }

  // ---- for commands
  void end() { ended_ = true; }
  Program& program() { return *program_; }
  const Program& program() const { return *program_; }
  const CheckOptions& checkOptions() const { return checkOptions_; }
  const SessionOptions& options() const { return options_; }
  // Adds a definition. Prints its type and the changed types of others.
  bool define(const InputText& typed);
  // Starts again with the definitions of a file.
  bool load(const std::string& file, const std::string& weights);
  // Reads the file again and keeps the typed definitions.
  bool reload();
  // Removes the definition, parameter, tensor or import of that name.
  bool drop(const std::string& name);
  // Gives a tensor a name, which may have had another meaning.
  bool nameTensor(const std::string& name, NamedTensor tensor);
  // Keeps an imported graph in place of the previous one.
  void inspect(std::unique_ptr<InspectedGraph> graph);
  InspectedGraph* graph() const { return graph_.get(); }
  const std::string& typed() const { return recipe_.typed; }
  void setSeed(std::uint64_t seed) { options_.seed = seed; }
  WeightBytes weightBytes() const;

  // The program that defines a name, and the name there: `nn.dense` is `dense` of a module. `subject` prints an error
  // and returns nothing if there is no such name.
  struct Subject {
    Program* program = nullptr;
    std::string name;
    std::unique_ptr<Program> module = nullptr;  // owns `program` if it is a module
  };
  std::optional<Subject> subject(const std::string& name);

  // Runs a question, which may change the program with the functions below, rolls back its changes, and returns its
  // result. If an interrupt or an exception ends it, prints that and returns false.
  bool answer(const std::function<bool()>& question);

  // ---- only within `answer`, or in a child process, since they change the checked program
  // Imports the modules of the standard library that a piece names. Call once; the session then has another program.
  void importModulesOf(const InputText& typed);
  // Returns the place of a piece in a new source with all typed text.
  Span placeInSource(const InputText& typed);
  // Checks `name = EXPRESSION` as one more definition. Returns its binding, or nothing after printing diagnostics.
  std::optional<BindingId> defineValue(const std::string& name, Span expression);

 private:
  using Types = std::map<std::string, std::string>;
  class QuestionScope;

  bool evaluateExpression(const InputText& typed);
  bool refuse(const std::string& text);
  // Makes the recipe's program the session's, if it has no errors, and prints the types that differ from `before`. With
  // `extends` checks only the added entry, if possible.
  bool replaceProgram(Recipe recipe, const std::optional<Entry>& added, const Types& before, bool extends = false);
  std::unique_ptr<Program> makeGoodProgram(const Recipe& recipe, const std::optional<Entry>& added) const;
  // Makes `made`, or the present program if it is null, the program of the recipe. Prints the types that changed.
  void useProgram(std::unique_ptr<Program> made, Recipe recipe, const std::optional<Entry>& added, const Types& before);
  bool loadProgram(Recipe recipe, const std::string& weights, const Types& before);
  void useWeights();
  std::optional<bool> forget(Recipe& recipe, const std::string& name) const;
  std::string declarations() const;  // of the tensors
  void printChangedTypes(const Types& before, const std::optional<Entry>& added) const;

  SessionOptions options_;
  Recipe recipe_;
  CheckOptions checkOptions_;
  std::optional<driver::Weights> weights_;
  WeightSource weightSource_;
  std::string weightsWord_;
  // The file, and its weights, of the last load that failed.
  std::optional<std::pair<std::string, std::string>> lastFailed_;
  std::map<std::string, NamedTensor> tensors_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Program> beforeImports_;  // the session's program, while a question has one with more imports
  std::unique_ptr<InspectedGraph> graph_;
  bool ended_ = false;
};

// Prints on stderr, coloured on a terminal.
void printDiagnostics(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace axle::repl
