// `:solve`: finds the types of the unknown names in an equation between an expression and a type.
#include <algorithm>
#include <cstdio>
#include <set>

#include "driver/proof_question.h"
#include "frontend/parser.h"
#include "frontend/text_tokens.h"
#include "tools/repl/handlers.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/statements.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/query.h"

namespace axle::repl {

namespace {

const std::string question = "the question";
constexpr const char* openElem = "elem";

// A name in the expression whose type is wanted. The question may state the type in part, or not at all.
struct Unknown {
  std::string name;
  Span at;
  std::optional<Span> type;
};

struct Question {
  Parts expression;  // without the types stated in it
  Span result;
  std::vector<Unknown> unknowns;
};

// A type split at its sizes: `f32 [3, n]` is `f32 `, `3`, `n`. `of` returns nothing if the shape is not a list.
struct SizeList {
  std::string before;
  std::vector<std::string> sizes;

  static std::optional<SizeList> of(std::string_view type) {
    const std::size_t open = type.find('[');
    if (open == type.npos || type.find('[', open + 1) != type.npos || !type.ends_with(']')) return std::nullopt;
    SizeList listed{std::string(type.substr(0, open)), {}};
    for (std::string_view size : splitAtCommas(type.substr(open + 1, type.size() - open - 2)))
      listed.sizes.emplace_back(size);
    return listed;
  }
  std::string text() const {
    std::string list;
    for (const std::string& size : sizes) list += (list.empty() ? "" : ", ") + size;
    return before + "[" + list + "]";
  }
};

bool isNumber(std::string_view size) { return size.find_first_not_of("0123456789") == size.npos; }

class SolveQuery {
 public:
  SolveQuery(Session& session, const InputText& typed)
      : session_(session), program_(session.program()), source_(session.placeInSource(typed).source) {}

  // Contains all typed text.
  SourceId source() const { return source_; }

  bool answer(const Question& asked) {
    std::vector<Unknown> unknowns = asked.unknowns;
    std::optional<Answer> answer = ask(asked, unknowns);
    const bool isRead = isRead_;
    if (!isRead) printDiagnostics(diagnostics_, program_.sources);
    if (!isRead) return false;
    const Diagnostics why = diagnostics_;
    if (!answer) answer = stretchedAnswer(asked, unknowns);
    if (!answer) diagnostics_ = why;
    print(asked, unknowns, answer);
    return true;
  }

 private:
  // Returns the types of the unknowns, or nothing, with diagnostics, if there is no answer. Adds the names of the
  // expression that the session does not define to `unknowns`.
  std::optional<Answer> ask(const Question& asked, std::vector<Unknown>& unknowns) {
    module_ = {};
    module_.source = source_;
    diagnostics_.clear();
    auto value = parseValue(program_.sources, asked.expression, module_, diagnostics_);
    if (value) addFreeNames(unknowns);
    std::optional<ast::ExprId> function = value ? functionOf(asked, unknowns, *value) : std::nullopt;
    isRead_ = function.has_value();
    if (!isRead_) return std::nullopt;
    const std::string name = question + (asked_ == 0 ? "" : " " + std::to_string(asked_));
    ++asked_;
    addBinding(module_, name, *function);
    program_.addModule(std::move(module_));
    checkMore(*program_.checked, session_.checkOptions(), diagnostics_);
    if (hasErrors(diagnostics_)) return std::nullopt;
    return parametersOf(*program_.checked, *rootBinding(*program_.checked, name));
  }

  // Returns further answers, in which a size is 1 and stretches. Inference makes the sizes of a broadcast equal, so
  // each size that it found is tried as 1: if the question names the size, everywhere under that name, otherwise that
  // size alone.
  std::vector<std::vector<std::string>> stretchedAnswers(const Question& asked, const std::vector<Unknown>& unknowns,
                                                         const Answer& answer) {
    constexpr std::size_t most = 16;
    std::set<std::string> tried;
    std::vector<std::vector<std::string>> out;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const auto found = SizeList::of(answer.types[i]);
      const std::string_view text = unknowns[i].type ? program_.sources.text(*unknowns[i].type) : std::string_view();
      const auto written = SizeList::of(text);
      const bool isStated = text.find('[') != text.npos;
      if (!found || (isStated && (!written || written->sizes.size() != found->sizes.size()))) continue;
      for (std::size_t axis = 0; axis < found->sizes.size() && tried.size() < most; ++axis) {
        if (!isNumber(found->sizes[axis]) || found->sizes[axis] == "1") continue;
        const std::string name = isStated ? written->sizes[axis] : std::to_string(i) + "." + std::to_string(axis);
        if ((isStated && isNumber(name)) || !tried.insert(name).second) continue;
        std::vector<std::string> types(unknowns.size());  // empty: as in the question
        for (std::size_t k = 0; k < unknowns.size() && isStated; ++k)
          if (unknowns[k].type) types[k] = withOne(program_.sources.text(*unknowns[k].type), name);
        if (!isStated) types[i] = withOneAt(*found, axis);
        if (auto other = askWith(asked, unknowns, types)) out.push_back(std::move(other->types));
      }
    }
    return out;
  }

  static std::string withOneAt(SizeList type, std::size_t axis) {
    type.sizes[axis] = "1";
    return type.text();
  }

  static std::string withOne(std::string_view type, std::string_view name) {
    std::string out(type);
    const auto tokens = textTokens(type).value_or(std::vector<TextToken>());
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token)
      if (token->text == name && token->begin > type.find('[')) out.replace(token->begin, name.size(), "1");
    return out;
  }

  // Asks the question with other types for its unknowns. An empty type leaves the type of the question.
  std::optional<Answer> askWith(const Question& asked, std::vector<Unknown> unknowns,
                                const std::vector<std::string>& types) {
    const SourceId before = source_;
    std::string text = session_.typed();
    std::vector<Span> places;
    for (const std::string& type : types) {
      places.push_back(
          {{}, static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(text.size() + type.size())});
      text += type + "\n";
    }
    source_ = program_.sources.add(typedPath, std::move(text));
    for (std::size_t i = 0; i < types.size(); ++i)
      if (!types[i].empty()) unknowns[i].type = Span{source_, places[i].begin, places[i].end};
    auto answer = ask(asked, unknowns);
    source_ = before;
    return answer;
  }

  // Returns an answer in which one of the named sizes of the unknowns is 1 and stretches.
  std::optional<Answer> stretchedAnswer(const Question& asked, const std::vector<Unknown>& unknowns) {
    std::set<std::string> names;
    for (const Unknown& unknown : unknowns)
      if (const auto written = unknown.type ? SizeList::of(program_.sources.text(*unknown.type)) : std::nullopt)
        names.insert(written->sizes.begin(), written->sizes.end());
    for (const std::string& name : names) {
      if (name.empty() || isNumber(name)) continue;
      std::vector<std::string> types(unknowns.size());
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        if (unknowns[i].type) types[i] = withOne(program_.sources.text(*unknowns[i].type), name);
      if (auto answer = askWith(asked, unknowns, types)) return answer;
    }
    return std::nullopt;
  }

  // Adds the names of the expression that neither the session nor the expression defines.
  void addFreeNames(std::vector<Unknown>& unknowns) const {
    std::set<std::string> known, own;
    for (const auto& [name, type] : program_.types) known.insert(name);
    for (const CoreOp& op : coreOps()) known.insert(std::string(op.name));
    for (const Unknown& unknown : unknowns) known.insert(unknown.name);
    for (const ast::Expr& expr : module_.exprs)
      if (const auto* fn = std::get_if<ast::ExprFn>(&expr.node))
        for (const ast::Parameter& parameter : fn->parameters) own.insert(parameter.name.text);
    for (const ast::Pattern& pattern : module_.patterns)
      if (const auto* name = std::get_if<ast::PatternName>(&pattern.node)) own.insert(name->name);
    for (const ast::Expr& expr : module_.exprs) {
      const auto* name = std::get_if<ast::ExprName>(&expr.node);
      if (!name || own.count(name->name) || name->name.find('.') != std::string::npos) continue;
      if (known.insert(name->name).second) unknowns.push_back({name->name, expr.span, std::nullopt});
    }
  }

  // Makes `fn (unknowns) : result { value }` of the typed pieces.
  std::optional<ast::ExprId> functionOf(const Question& asked, const std::vector<Unknown>& unknowns,
                                        ast::ExprId value) {
    ast::ExprFn fn;
    for (const Unknown& unknown : unknowns) {
      ast::TypeId type;
      if (unknown.type) {
        auto written = parseType(program_.sources, {*unknown.type}, module_, diagnostics_);
        if (!written) return std::nullopt;
        type = *written;
      }
      fn.parameters.push_back({{unknown.name, unknown.at}, type, unknown.at});
    }
    auto result = resultType(asked.result);
    if (!result) return std::nullopt;
    fn.resultType = *result;
    Span whole = module_[value].span;
    fn.signature = whole;
    fn.body = add(whole, ast::ExprBlock{{}, value});
    return add(whole, std::move(fn));
  }

  // Reads the type of the result. A shape alone leaves the element type open.
  std::optional<ast::TypeId> resultType(Span at) {
    if (!program_.sources.text(at).starts_with('[')) return parseType(program_.sources, {at}, module_, diagnostics_);
    auto shape = parseShape(program_.sources, {at}, module_, diagnostics_);
    if (!shape) return std::nullopt;
    ast::Type& type = module_.types.emplace_back();
    type.span = at;
    type.node = ast::TypeTensor{openElem, at, *shape, false};
    return ast::TypeId{static_cast<std::uint32_t>(module_.types.size() - 1)};
  }

  template <class Node>
  ast::ExprId add(Span span, Node node) {
    module_.exprs.push_back({span, std::move(node)});
    return {static_cast<std::uint32_t>(module_.exprs.size() - 1)};
  }

  void print(const Question& asked, const std::vector<Unknown>& unknowns, const std::optional<Answer>& answer) {
    if (!answer) {
      // Only errors about sizes show that there is no answer; any other error only means that the question was not
      // solved.
      constexpr const DiagnosticCode* sizeErrors[] = {&codes::dimMismatch, &codes::rankMismatch, &codes::factRefuted,
                                                      &codes::reshapeTotal};
      const bool isNone = std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& d) {
        return std::find(std::begin(sizeErrors), std::end(sizeErrors), d.code) != std::end(sizeErrors);
      });
      std::printf(isNone ? "none: no sizes satisfy it\n" : "no answer: this cannot be solved\n");
      std::erase_if(diagnostics_, [](const Diagnostic& d) { return d.code->severity != Severity::error; });
      for (const Diagnostic& d : diagnostics_) std::printf("%s", render(d, program_.sources).c_str());
      return;
    }
    const auto stretched = stretchedAnswers(asked, unknowns, *answer);
    std::printf(answer->isClosed && stretched.empty() ? "unique\n" : "a family\n");
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      std::printf("  %s : %s\n", unknowns[i].name.c_str(), answer->types[i].c_str());
    for (std::size_t i = 0; i < answer->facts.size(); ++i)
      std::printf("%s%s%s", i > 0 ? ", " : "  where ", answer->facts[i].c_str(),
                  i + 1 == answer->facts.size() ? "\n" : "");
    for (const std::vector<std::string>& types : stretched) {
      const char* mark = "  or ";
      for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i] == answer->types[i]) continue;
        std::printf("%s%s : %s", mark, unknowns[i].name.c_str(), types[i].c_str());
        mark = ", ";
      }
      std::printf(", which stretches\n");
    }
  }

  Session& session_;
  Program& program_;
  SourceId source_;
  ast::Module module_;
  Diagnostics diagnostics_;
  std::size_t asked_ = 0;
  bool isRead_ = false;
};

Span spanAt(const InputText& typed, SourceId source) {
  return {source, static_cast<std::uint32_t>(typed.begin), static_cast<std::uint32_t>(typed.end())};
}

// Reads `x : f32 [n]`. Returns nothing if there is no colon.
std::optional<Unknown> unknownOf(const InputText& typed, SourceId source) {
  const std::size_t colon = findOutside(typed.text, ":");
  if (colon == std::string_view::npos) return std::nullopt;
  const InputText name = typed.part(trimmed(typed.text.substr(0, colon)));
  return Unknown{std::string(name.text), spanAt(name, source),
                 spanAt(typed.part(trimmed(typed.text.substr(colon + 1))), source)};
}

// Separates the stated types from an expression such as `conv(x, f : f32 [8, 8, 8, 8])`.
Question questionOf(const InputText& expression, const std::vector<InputText>& rest, SourceId source) {
  Question asked;
  std::size_t from = 0;
  for (const Annotation& annotation : annotationsIn(expression.text)) {
    const InputText name = expression.part(annotation.name), type = expression.part(annotation.type);
    asked.unknowns.push_back({std::string(name.text), spanAt(name, source), spanAt(type, source)});
    const std::size_t colon = expression.text.find(':', name.end() - expression.begin);
    asked.expression.push_back(spanAt(expression.part(expression.text.substr(from, colon - from)), source));
    from = type.end() - expression.begin;
  }
  asked.expression.push_back(spanAt(expression.part(expression.text.substr(from)), source));
  asked.result = spanAt(rest.front(), source);
  for (std::size_t i = 1; i < rest.size(); ++i)
    if (auto unknown = unknownOf(rest[i], source)) asked.unknowns.push_back(std::move(*unknown));
  return asked;
}

}  // namespace

namespace {

// Prints the values of the one name in an equation such as `10 == (w + 1) / 4`.
bool solveEquation(Session& session, const InputText& typed) {
  SourceMap sources;
  Diagnostics diagnostics;
  const SourceId source = factSource(sources, typed, session.typed());
  driver::ProofQuestion question;
  if (!question.claim(sources, source, diagnostics)) {
    sources.show(source, session.typed());
    printDiagnostics(diagnostics, sources);
    return false;
  }
  const auto values = question.values();
  if (!values) return printError("an equation between sizes is solved for one name, as in `:solve 10 == (w + 1) / 4`");
  std::printf("%s\n", values->text().c_str());
  return true;
}

}  // namespace

bool askSolve(Session& session, const InputText& typed) {
  if (findOutside(typed.text, "==") != typed.text.npos && findOutside(typed.text, "=") == typed.text.npos)
    return runInChild([&] { return solveEquation(session, typed); });
  const std::size_t equals = findOutside(typed.text, "=");
  if (equals == std::string_view::npos)
    return printError("`:solve` takes an expression and its type, as in `:solve matmul(x, y : f32 [3, 4]) = [2, 4]`");
  const InputText expression = typed.part(trimmed(typed.text.substr(0, equals)));
  std::vector<InputText> rest;
  for (std::string_view part : splitAtCommas(typed.text.substr(equals + 1))) rest.push_back(typed.part(part));
  for (std::size_t i = 1; i < rest.size(); ++i)
    if (findOutside(rest[i].text, ":") == std::string_view::npos)
      return printError("`" + std::string(rest[i].text) + "` states no type: `x : f32 [n, 4]`");
  return session.answer([&] {
    session.importModulesOf(expression);
    SolveQuery asker(session, typed);
    return asker.answer(questionOf(expression, rest, asker.source()));
  });
}

}  // namespace axle::repl
