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
  std::string file;  // to load first; empty: none
  std::string weights;
  std::vector<std::string> includes;
  std::uint64_t seed = 0;
};

// A tensor of a file that has a name in the session (`:let`).
struct NamedTensor {
  std::string file;
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  TensorBytes bytes;
};

// A piece of the text that was typed, with its offset in the text of the whole session.
struct InputText {
  std::string_view text;
  std::size_t begin = 0;

  std::size_t end() const { return begin + text.size(); }
  // A part of the same text.
  InputText part(std::string_view of) const { return {of, begin + static_cast<std::size_t>(of.data() - text.data())}; }
};

class InspectedGraph;

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();

  // Runs one entry, which is one or more lines with their ends. False where something failed, which is printed.
  bool enter(const std::string& text);
  bool hasEnded() const { return ended_; }

  // ---- for commands
  void end() { ended_ = true; }
  Program& program() { return *program_; }
  const Program& program() const { return *program_; }
  const CheckOptions& checkOptions() const { return checkOptions_; }
  const SessionOptions& options() const { return options_; }
  // Adds a definition; prints its type, and the types of others that it changed.
  bool define(const InputText& typed);
  // Starts again with the definitions of a file.
  bool load(const std::string& file, const std::string& weights);
  // Reads the file again; what was typed stays.
  bool reload();
  // Removes the definition, parameter, tensor or import of that name.
  bool drop(const std::string& name);
  // Gives a tensor a name, which may have meant something else.
  bool nameTensor(const std::string& name, NamedTensor tensor);
  // Keeps a graph that was imported, in place of the one before.
  void inspect(std::unique_ptr<InspectedGraph> graph);
  InspectedGraph* graph() const { return graph_.get(); }
  const std::string& typed() const { return recipe_.typed; }
  void setSeed(std::uint64_t seed) { options_.seed = seed; }
  WeightBytes weightBytes() const;

  // The program that defines a name, and the name there: `nn.dense` is `dense` of a module. None where nothing has that
  // name, which is printed.
  struct Subject {
    Program* program = nullptr;
    std::string name;
    std::unique_ptr<Program> module = nullptr;  // which `program` is, of a module
  };
  std::optional<Subject> subject(const std::string& name);

  // The result of a question, which may change the program by what follows below. What it changed is taken back, also
  // where an interrupt or an error ends it, which is printed and gives false.
  bool answer(const std::function<bool()>& question);

  // ---- only within `answer`, or in a child process, since they change the checked program
  // Imports the modules of the standard library that a piece names, once: the session has another program then.
  void importModulesOf(const InputText& typed);
  // The place of a piece in a source that holds everything that was typed.
  Span placeInSource(const InputText& typed);
  // Checks `name = EXPRESSION` as one more definition; its binding, or none with printed diagnostics.
  std::optional<BindingId> defineValue(const std::string& name, Span expression);

 private:
  using Types = std::map<std::string, std::string>;
  class QuestionScope;

  bool evaluateExpression(const InputText& typed);
  bool refuse(const std::string& text);
  // Makes the recipe's program the session's, if it has no errors, and prints the types that differ from `before`. With
  // `extends` only the entry that was added is checked, if possible.
  bool replaceProgram(Recipe recipe, const std::optional<Entry>& added, const Types& before, bool extends = false);
  std::unique_ptr<Program> makeGoodProgram(const Recipe& recipe, const std::optional<Entry>& added) const;
  // Makes `made`, or the present program where it is null, the one of the recipe; prints the types that changed.
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
  // The file, and its weights, that could not be loaded last.
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
