#include "tools/repl/commands.h"

#include <cstdio>

#include "frontend/diagnostic.h"
#include "tools/repl/handlers.h"
#include "tools/repl/text.h"

namespace axle::repl {

bool wrong(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  return false;
}

namespace {

const Command* find(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

// By its first letters, where no other begins so.
const Command* findShort(std::string_view name) {
  if (const Command* exact = find(name)) return exact;
  const Command* found = nullptr;
  for (const Command& command : commands()) {
    if (name.empty() || !command.name.starts_with(name)) continue;
    if (found) return nullptr;
    found = &command;
  }
  return found;
}

bool unknownCommand(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) known.push_back(command.name);
  std::string text = "unknown command `:" + std::string(name) + "`";
  std::vector<std::string> meant;
  for (const Command& command : commands())
    if (!name.empty() && command.name.starts_with(name)) meant.emplace_back(command.name);
  if (meant.empty()) meant = closestNames(name, known);
  for (std::size_t i = 0; i < meant.size(); ++i)
    text += (i == 0 ? "; did you mean `:" : i + 1 < meant.size() ? "`, `:" : "` or `:") + meant[i];
  if (!meant.empty()) text += "`?";
  return wrong(text + "\n`:help` lists what there is");
}

bool help(Session&, const Typed& typed) {
  std::string_view name = trimmed(typed.text);
  if (name.starts_with(':')) name.remove_prefix(1);
  if (!name.empty()) {
    const Command* command = findShort(name);
    if (!command) return unknownCommand(name);
    std::printf(":%s%s%s\n  %s\n%s", std::string(command->name).c_str(), command->arguments.empty() ? "" : " ",
                std::string(command->arguments).c_str(), std::string(command->help).c_str(),
                std::string(command->details).c_str());
    return true;
  }
  std::printf("An expression is evaluated, `name = expression;` defines a name, and these are commands:\n");
  for (const Command& command : commands()) {
    std::string use = ":" + std::string(command.name) + (command.arguments.empty() ? "" : " ");
    use += command.arguments;
    std::printf("  %-42s %s\n", use.c_str(), std::string(command.help).c_str());
  }
  std::printf(
      "What is open at the end of a line goes on in the next one; an empty line gives it up, within brackets two of "
      "them, and\nCtrl-C at once. What is pasted may have empty lines.\n");
  return true;
}

bool quit(Session& session, const Typed&) {
  session.end();
  return true;
}

constexpr Command table[] = {
    {"type", "EXPRESSION", "the type of an expression, which is not evaluated",
     "  Modules of the standard library need no import here, nor in the other questions.\n"
     "  :type nn.dense\n",
     askType},
    {"shape", "F with x=[3, 4], n=7", "the type of a function's result for shapes of its parameters, or sizes",
     "  What is given are shapes of parameters and of shapes in its type, and numbers for its sizes.\n"
     "  :shape nn.dense with x=[8, 64], k=10\n",
     askShape},
    {"solve", "EXPRESSION = TYPE [, x : TYPE]", "what the free names of an expression must be for it to have a type",
     "  Names that mean nothing in the session are unknowns; a type may stand beside one, there or behind. The answer "
     "is unique, a\n"
     "  family with what must hold of it, or none. A shape alone leaves the elements open.\n"
     "  :solve conv(x, f : f32 [8, 8, 8, 8]) = [4, 8, 1024, 256]\n",
     askSolve},
    {"unify", "TYPE with TYPE", "the type that two written ones both are, and what their names are then",
     "  A name is the same in both.\n"
     "  :unify f32 [n, 3] with t [4, k]\n",
     askUnify},
    {"prove", "FACT [, assuming FACT]...", "what the solver says of a fact about sizes, and which tier of it",
     "  :prove n % 2 == 0, assuming n % 4 == 0\n", askProve},
    {"why", "x[AXIS]", "what gave a size its value: one place after the other; without an axis, all sizes",
     "  :why x[1]\n", askWhy},
    {"where", "F", "what a function asks for: assumed, proved, left to callers, left to the run",
     "  :where nn.channel_shuffle\n", askWhere},
    {"stream", "F", "what a function takes and gives as streams, its rate and its delay",
     "  Dimensions that arrive over time are written `~T` in its parameters.\n"
     "  :stream main\n",
     askStream},
    {"load", "FILE.ax [--weights W]", "begin anew with what a file defines",
     "  Weights are safetensors or npz, or random[:SEED]; without them parameters are drawn from the seed.\n",
     loadFile},
    {"reload", "", "read the file again; what was typed stays",
     "  Nothing changes where it has errors now. Where nothing is loaded, it is the file that could not be.\n", reload},
    {"let", "NAME = FILE.npy|.wav", "a tensor from a file; samples are f32 [n, channels]", "  :let x = input.npy\n",
     holdTensor},
    {"forget", "NAME", "drop a definition, a parameter, a tensor or an import that was made here",
     "  What uses it must go first.\n"
     "  :forget x\n",
     forgetName},
    {"seed", "N", "draw parameters without weights from another seed", "  :seed 7\n", setSeed},
    {"time", "EXPRESSION", "how long an expression takes to compile, and to run",
     "  It is run for a second, or a thousand times.\n"
     "  :time matmul(x, x)\n",
     timeValue},
    {"import", "GRAPH [--tag T] [--signature S]",
     "look around a TensorFlow graph: its nodes have types and reasons too",
     "  A .pb, .pbtxt, SavedModel folder or checkpoint. Then :type NODE, :why NODE[AXIS] and :nodes tell of it.\n",
     importGraph},
    {"nodes", "[PATTERN]", "the nodes of the graph whose names or operators match; `*` is any letters",
     "  :nodes conv*/Relu\n", listNodes},
    {"ops", "[NAME]", "the core operators, a family, a module, or one of them", "  :ops reductions\n", listOps},
    {"doc", "NAME", "the documentation of an operator, a function, or a name of the session", "  :doc nn.dense\n",
     showDoc},
    {"help", "[COMMAND]", "this list, or more of one command", "  :help solve\n", help},
    {"quit", "", "end the session, as the end of the input does", "  Ctrl-D does so too.\n", quit},
};

}  // namespace

std::span<const Command> commands() { return table; }

std::string commandMeant(std::string_view entry) {
  const std::string_view word = trimmed(entry);
  if (word == "exit") return ":quit";
  return word == "?" ? ":help" : find(word) ? ":" + std::string(word) : "";
}

bool isCommandLine(std::string_view line) { return line.starts_with(':') && find(firstWord(line.substr(1)).first); }

bool runCommand(Session& session, const Typed& typed) {
  auto [name, rest] = firstWord(typed.text.substr(1));
  const Command* command = findShort(name);
  if (!command) return unknownCommand(name);
  return command->run(session, typed.part(rest));
}

}  // namespace axle::repl
