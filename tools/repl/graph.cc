#include "tools/repl/graph.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

#include "driver/foreign_file.h"
#include "import/emit/node_names.h"
#include "import/tensorflow/dump.h"
#include "tools/repl/handlers.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/statements.h"
#include "typecheck/report/derivation.h"

namespace axle::repl {

namespace {

// Whether the text matches the pattern, in which `*` stands for any letters.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  for (std::size_t at = star; at <= text.size(); ++at)
    if (matches(pattern.substr(star + 1), text.substr(at))) return true;
  return false;
}

// Splits `conv/Relu:1` into the node and the port.
std::pair<std::string, std::optional<std::uint32_t>> outletOf(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, std::nullopt};
  std::uint32_t port = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc{} || stop != end) return {text, std::nullopt};
  return {text.substr(0, colon), port};
}

std::string textOf(const tensorflow::FactLine& line) {
  return line.node + ":" + std::to_string(line.port) + " : " + line.elem + " " + line.shape +
         (line.value.empty() ? "" : " = " + line.value);
}

// Returns how alike two parts of paths are: 2 if equal, 1 if equal but for a number at the end of one, `dense_1`.
std::size_t likeness(std::string_view a, std::string_view b) {
  const auto isNumbered = [](std::string_view numbered, std::string_view part) {
    const std::string_view number = emit::callNumber(numbered);
    return !number.empty() && numbered.substr(0, numbered.size() - number.size()) == part;
  };
  return a == b ? 2 : isNumbered(a, b) || isNumbered(b, a) ? 1 : 0;
}

// Returns how well a path contains the typed parts, in order; 0 if it lacks one.
std::size_t fitOf(const emit::Words& typed, const emit::Words& path) {
  std::size_t fit = 0, open = typed.size();
  for (std::size_t i = path.size(); i-- > 0 && open > 0;)
    if (const std::size_t alike = likeness(path[i], typed[open - 1]); alike > 0) {
      fit += alike;
      --open;
    }
  return open == 0 ? fit : 0;
}

}  // namespace

bool namesUnknownNode(const Session& session, std::string_view text) {
  if (!session.graph() || session.graph()->hasNode(std::string(text)) || text.find('/') == std::string_view::npos)
    return false;
  const auto isPathLetter = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ':';
  };
  if (!std::all_of(text.begin(), text.end(), isPathLetter)) return false;
  const emit::Words parts = emit::partsOf(text);
  return std::none_of(parts.begin(), parts.end(), [&](const std::string& part) {  // as in `x/2`
    return part.empty() || std::isdigit(static_cast<unsigned char>(part.front())) ||
           session.program().types.count(part) > 0;
  });
}

std::unique_ptr<InspectedGraph> InspectedGraph::open(const std::string& path, const tensorflow::Choice& choice,
                                                     bool printsErrors) {
  auto made = std::make_unique<InspectedGraph>();
  made->graph_ = driver::readGraph(path, choice);
  driver::ReadGraph& graph = made->graph_;
  if (graph.model) {
    tensorflow::analyse(made->analysis_, *graph.model, graph.sources, graph.diagnostics, {});
    made->nodes_ = tensorflow::listNodes(*made->analysis_, true);
    made->lines_ = tensorflow::factLines(*made->analysis_, true);
  }
  if (printsErrors) printDiagnostics(graph.diagnostics, graph.sources);
  if (!graph.model) return nullptr;
  return made;
}

void InspectedGraph::printSummary() const {
  std::fputs(tensorflow::summary(*graph_.model).c_str(), stdout);
  for (const auto& guard : analysis_->guards) std::printf("checked in the run: %s\n", guard.text.c_str());
  for (const auto& [op, count] : analysis_->unknownOperators)
    std::printf("`%s` has no rule: shapes of what its %zu nodes give are unknown\n", op.c_str(), count);
}

bool InspectedGraph::printNodes(const std::string& pattern) const {
  const std::string wanted = pattern.empty()                          ? "*"
                             : pattern.find('*') == std::string::npos ? "*" + pattern + "*"
                                                                      : pattern;
  bool any = false;
  for (const tensorflow::ListedNode& listed : nodes_) {
    const std::string& op = listed.node().op;
    if (!matches(wanted, listed.path) && !matches(pattern, op)) continue;
    any = true;
    std::printf("%s  %s\n", listed.path.c_str(), op.c_str());
  }
  return any || printError("no node's name or operator is like `" + pattern + "`");
}

const tensorflow::ListedNode* InspectedGraph::find(const std::string& outlet) const {
  const std::string name = outletOf(outlet).first;
  for (const tensorflow::ListedNode& listed : nodes_)
    if (listed.path == name) return &listed;
  for (const tensorflow::ListedNode& listed : nodes_)
    if (listed.name() == name) return &listed;
  return nullptr;
}

const tensorflow::FactLine* InspectedGraph::lineOf(const std::string& path, std::uint32_t port) const {
  for (const auto& line : lines_)
    if (line.node == path && line.port == port) return &line;
  return nullptr;
}

bool InspectedGraph::printTypes(const std::string& outlet) const {
  const tensorflow::ListedNode* listed = find(outlet);
  if (!listed) return false;
  const auto port = outletOf(outlet).second;
  for (const auto& line : lines_)
    if (line.node == listed->path && (!port || *port == line.port)) std::printf("%s\n", textOf(line).c_str());
  return true;
}

bool InspectedGraph::printUnknown(const std::string& outlet) const {
  const std::string name = outletOf(outlet).first;
  const emit::Words typed = emit::partsOf(name);
  std::size_t best = 0;
  std::string nearest;
  std::vector<std::string_view> paths;
  for (const tensorflow::ListedNode& listed : nodes_) {
    paths.push_back(listed.path);
    const std::size_t fit = fitOf(typed, emit::partsOf(listed.path));
    if (fit > best || (fit > 0 && fit == best && listed.path.size() < nearest.size())) nearest = listed.path;
    best = std::max(best, fit);
  }
  if (best == 0)
    for (std::string& close : closestNames(name, paths)) nearest = std::move(close);
  return printError("the graph has no node `" + name + "`" +
                    (nearest.empty() ? "" : "; did you mean `" + nearest + "`?"));
}

void InspectedGraph::printMade(const tensorflow::ListedNode& made) const {
  std::printf("  `%s` makes it\n", made.node().op.c_str());
  for (const tensorflow::Outlet& input : made.node().inputs) {
    const auto from = std::find_if(nodes_.begin(), nodes_.end(), [&](const tensorflow::ListedNode& listed) {
      return listed.frame == made.frame && listed.id == input.node;
    });
    if (from == nodes_.end()) continue;
    const auto* line = lineOf(from->path, input.port);
    std::printf("    of %s\n", line ? textOf(*line).c_str() : from->path.c_str());
  }
}

bool InspectedGraph::printWhy(const std::string& outlet, std::optional<std::int64_t> axis) {
  const tensorflow::ListedNode* node = find(outlet);
  const std::uint32_t port = outletOf(outlet).second.value_or(0);
  const std::string name = node->name() + ":" + std::to_string(port);
  const auto* line = lineOf(node->path, port);
  if (!line) return printError("`" + node->path + "` gives no `" + node->path + ":" + std::to_string(port) + "`");
  std::optional<Derivation> found;
  for (const auto& [binding, names] : tensorflow::outletNames(*analysis_))
    if (!found && std::find(names.begin(), names.end(), name) != names.end())
      found = derivation(analysis_->checked(), name, BindingId{binding}, axis);
  if (!found && axis) return printError("`" + textOf(*line) + "` has no known axis " + std::to_string(*axis));
  std::printf("%s\n", textOf(*line).c_str());
  printMade(*node);
  if (!found) return true;
  for (const DerivationStep& step : found->steps) {
    const std::string_view at =
        step.place ? graph_.sources.node(step.place->source, step.place->begin) : std::string_view();
    if (at == node->path || at == node->node().name) continue;  // printed above
    std::printf("  %s\n    at \"%s\"\n", textOf(step).c_str(), std::string(at).c_str());
  }
  return true;
}

std::vector<std::string> InspectedGraph::nodeNames() const {
  std::vector<std::string> names;
  for (const tensorflow::ListedNode& listed : nodes_) names.push_back(listed.path);
  return names;
}

bool importGraph(Session& session, const InputText& typed) {
  std::string path;
  tensorflow::Choice choice;
  std::string option;
  for (std::string_view rest = typed.text; !rest.empty();) {
    auto [word, behind] = firstWord(rest);
    rest = behind;
    if (option == "--tag")
      choice.tags.emplace_back(word);
    else if (option == "--signature")
      choice.signature = word;
    else if (!word.starts_with("--"))
      path = word;
    option = option.empty() && word.starts_with("--") ? std::string(word) : std::string();
  }
  if (path.empty()) return printError("`:import` takes a graph: `:import GRAPH [--tag T] [--signature S]`");
  if (const auto foreign = driver::refuseForeignFile(path)) return run::report(*foreign, stderr), false;
  // Opens it in a child process first: it may take long, and the file is untrusted.
  const bool isGood = runInChild([&] {
    auto tried = InspectedGraph::open(path, choice, true);
    if (tried) tried->printSummary();
    return tried != nullptr;
  });
  if (isGood) session.inspect(InspectedGraph::open(path, choice, false));
  return isGood;
}

bool listNodes(Session& session, const InputText& typed) {
  if (!session.graph()) return printError("no graph is imported: `:import GRAPH`");
  return session.graph()->printNodes(std::string(typed.text));
}

}  // namespace axle::repl
