#include "tools/axc/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "import/tensorflow/analysis/hints.h"
#include "runtime/threads.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

void addIncludeOption(CLI::App& app, std::vector<std::string>& folders) {
  app.add_option("-I", folders, "search imported modules in DIR; may be given again")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
}

void addSourceOptions(CLI::App& app, driver::CompileOptions& options, const std::string& model) {
  app.add_option("MODEL", options.path, model)->required()->type_name("FILE");
  addProgramOptions(app, options);
}

void addProgramOptions(CLI::App& app, driver::CompileOptions& options) {
  const auto isNotEmpty = [](const std::string& word) { return word.empty() ? "an empty word names nothing" : ""; };
  app.add_option("--weights", options.weights, "a file of tensors (safetensors, npz), or random[:SEED]")
      ->type_name("W")
      ->check(isNotEmpty);
  app.add_option("--entry", options.entry, "the function to compile (main)")->type_name("NAME")->check(isNotEmpty);
  addIncludeOption(app, options.load.includePaths);
}

void addNarrowingOption(CLI::App& app, driver::CompileOptions& options) {
  options.narrowing = Narrowing::refused;
  app.add_flag_callback(
      "--allow-narrowing", [&options] { options.narrowing = Narrowing::allowed; },
      "accept that the program makes a size which an input or a param names a number or another name");
}

void addColourOption(CLI::App& app) {
  static const std::map<std::string, Colour> words{
      {"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
  app.add_option_function<std::string>(
         "--color", [](const std::string& word) { setColour(words.at(word)); },
         "colour (auto: on a terminal, unless NO_COLOR is set)")
      ->type_name("auto|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
}

void addLevelOption(CLI::App& app, driver::CompileOptions& options) {
  app.add_option("-O", options.optimise, "0 leaves constants unfolded; 1 (the default) and 2 fold them")
      ->check(CLI::Range(0, 2))
      ->type_name("LEVEL");
}

void addThreadsOption(CLI::App& app, driver::CompileOptions& options) {
  app.add_option("--threads", options.threads,
                 "the threads that runs of the bundle have, unless they say otherwise (1)")
      ->type_name("N")
      ->check(CLI::Range(1, runtime::maxThreads).description(""));
}

void addSetOption(CLI::App& app, driver::CompileOptions& options) {
  app.add_option("--set", options.sets, "the value of a size or a shape: n=4, s=[2,3]; may be given again")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void addGraphChoice(CLI::App& app, tensorflow::Choice& choice) {
  app.add_option("--tag", choice.tags, "a tag of the SavedModel's graph (`serve`); may be given again")
      ->type_name("T")
      ->allow_extra_args(false);
  app.add_option("--signature", choice.signature, "a signature of the graph (`serving_default`)")->type_name("S");
}

// Reads NAME or NAME=SHAPE.
static tensorflow::Choice::Input graphInput(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return {word, {}};
  tensorflow::Choice::Input input{word.substr(0, equals), word.substr(equals + 1)};
  const auto hint = tensorflow::parseHint("--input " + word, input.name, input.shape);
  if (!hint) throw CLI::ValidationError("`--input " + word + "`", hint.error());
  return input;
}

void addGraphOptions(CLI::App& app, tensorflow::Choice& choice) {
  addGraphChoice(app, choice);
  app.add_option_function<std::vector<std::string>>(
         "--input",
         [&choice](const std::vector<std::string>& values) {
           for (const std::string& value : values) choice.inputs.push_back(graphInput(value));
         },
         "an input tensor, perhaps with its shape; may be given again")
      ->type_name("NAME[=SHAPE]")
      ->allow_extra_args(false);
  app.add_option("--output", choice.outputs, "an output tensor; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace axle::axc
