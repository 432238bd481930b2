// Queries about facts: whether they hold, how the facts that a program needs were settled, where sizes come from.
#include <charconv>
#include <cstdio>

#include "driver/compile.h"
#include "driver/proof_question.h"
#include "driver/stream_report.h"
#include "frontend/spans.h"
#include "tools/repl/graph.h"
#include "tools/repl/handlers.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/statements.h"
#include "typecheck/report/derivation.h"
#include "typecheck/report/query.h"

namespace axle::repl {

SourceId factSource(SourceMap& sources, const InputText& fact, const std::string& typed) {
  std::string text = typed.substr(0, fact.end());
  for (std::size_t i = 0; i < fact.begin; ++i)
    if (text[i] != '\n') text[i] = ' ';
  return sources.add(typedPath, std::move(text));
}

namespace {

// ---- :prove

bool prove(Session& session, const InputText& claim, const std::vector<InputText>& assumptions) {
  SourceMap sources;
  driver::ProofQuestion question;
  const auto read = [&](const InputText& typed, auto add) {
    Diagnostics diagnostics;
    const SourceId source = factSource(sources, typed, session.typed());
    const bool isRead = (question.*add)(sources, source, diagnostics);
    sources.show(source, session.typed());
    printDiagnostics(diagnostics, sources);
    return isRead;
  };
  for (const InputText& assumption : assumptions)
    if (!read(assumption, &driver::ProofQuestion::assume)) return false;
  if (!read(claim, &driver::ProofQuestion::claim)) return false;
  const decide::Answer answer = question.decide();
  const auto sizesText = [&](const decide::Assignment& sizes) {
    const std::string text = question.print(sizes, " = ");
    return text.empty() ? "any sizes" : text;
  };
  std::printf("%s (%s)\n", spelling(answer.verdict), spelling(answer.tier));
  if (!answer.why.empty()) std::printf("  by %s\n", answer.why.c_str());
  if (answer.holdsFor && answer.verdict == decide::Verdict::contingent)
    std::printf("  holds for %s\n", sizesText(*answer.holdsFor).c_str());
  if (answer.failsFor && answer.verdict != decide::Verdict::proved)
    std::printf("  fails for %s\n", sizesText(*answer.failsFor).c_str());
  return true;
}

// ---- :where, :stream

void printFact(const SourceMap& sources, const char* fate, const std::string& text, const DimFact& fact,
               const std::string& behind = {}) {
  std::printf("%s: %s%s\n", fate, text.c_str(), behind.c_str());
  if (!fact.reason.empty()) std::printf("  %s\n", fact.reason.c_str());
  for (Span place : fact.places) std::printf("  at %s\n", placeText(sources, place).c_str());
}

void printFacts(const SourceMap& sources, const FunctionFacts& facts) {
  for (const auto& [text, proved] : facts.proved)
    printFact(sources, "proved", text, proved.fact, std::string(" (") + spelling(proved.tier) + ")");
  for (const auto& [text, fact] : facts.assumed) printFact(sources, "assumed", text, fact);
  for (const LeftFact& left : facts.left) {
    printFact(sources, "left to callers", left.text, left.fact);
    if (left.proposal && left.proposal->where != left.text)
      std::printf("  it may state: where %s\n", left.proposal->where.c_str());
  }
  for (const auto& [text, fact] : facts.leftToRun) printFact(sources, "left to the run", text, fact);
  for (const auto& [text, fact] : facts.delays) printFact(sources, "delay", text, fact);
}

void printRate(const StreamRate& rate) {
  if (rate.of == 0)
    std::printf("rate: how many of `%s` one of `%s` gives is not fixed\n", rate.output.c_str(), rate.input.c_str());
  else if (rate.of == 1)
    std::printf("rate: each of `%s` gives %lld of `%s`\n", rate.input.c_str(), static_cast<long long>(rate.gives),
                rate.output.c_str());
  else
    std::printf("rate: each %lld of `%s` give %lld of `%s`\n", static_cast<long long>(rate.of), rate.input.c_str(),
                static_cast<long long>(rate.gives), rate.output.c_str());
}

// Prints the delay of each result of a streamed function, or the operators that cannot stream.
void printDelays(const Session::Subject& subject, WeightBytes weights) {
  driver::CompileOptions options;
  options.path = typedPath;
  options.entry = subject.name;
  driver::Compilation compilation(options, {*subject.program->checked, subject.program->sources, std::move(weights)});
  const std::optional<driver::StreamReport> report = driver::streamReport(compilation);
  if (!report) {
    std::printf("delay: not known, as the function cannot be an entry\n");
    printDiagnostics(compilation.diagnostics(), subject.program->sources);
    return;
  }
  for (const auto& output : report->outputs)
    std::printf("delay: %lld, of dimension %zu of `%s`\n", static_cast<long long>(output.stream.delay),
                static_cast<std::size_t>(output.stream.axis), output.name.c_str());
  for (const auto& blocker : report->blockers) {
    std::printf("does not stream: `%s` (line %u): %s\n", blocker.op.c_str(), blocker.line, blocker.why.c_str());
    if (!blocker.help.empty()) std::printf("  %s\n", std::string(blocker.help).c_str());
  }
}

std::optional<FunctionFacts> factsOf(const Session::Subject& subject) {
  for (FunctionFacts& facts : functionFacts(*subject.program->checked))
    if (facts.name == subject.name) return std::move(facts);
  return std::nullopt;
}

// ---- :why

// A name or one of its sizes: `x`, `x[1]`, `x[-1]`.
struct Place {
  std::string name;
  std::optional<std::int64_t> axis;
};

std::optional<Place> placeOf(std::string_view text) {
  const std::size_t open = text.find('[');
  Place place{std::string(trimmed(text.substr(0, open))), std::nullopt};
  if (open == std::string_view::npos) return place;
  std::string_view inner = text.substr(open + 1);
  if (inner.empty() || inner.back() != ']') return std::nullopt;
  inner = trimmed(inner.substr(0, inner.size() - 1));
  std::int64_t axis = 0;
  auto [end, error] = std::from_chars(inner.data(), inner.data() + inner.size(), axis);
  if (error != std::errc{} || end != inner.data() + inner.size()) return std::nullopt;
  place.axis = axis;
  return place;
}

std::string excerpt(const SourceMap& sources, Span span) {
  constexpr std::size_t most = 48;
  std::string_view text = sources.text(span);
  std::string line(text.substr(0, std::min(text.find('\n'), most)));
  return line.size() < text.size() ? line + "..." : line;
}

bool printWhy(Session& session, const Place& place) {
  const auto subject = session.subject(place.name);
  if (!subject) return false;
  Program& program = *subject->program;
  auto found = derivation(*program.checked, subject->name, *rootBinding(*program.checked, subject->name), place.axis);
  if (!found)
    return printError(place.axis ? "`" + place.name + "` is no tensor with such an axis"
                                 : "`" + place.name + "` is no tensor: ask `:where " + place.name + "`");
  const std::string axis = place.axis ? "[" + std::to_string(*place.axis) + "] = " : " : ";
  std::printf("%s%s%s\n", place.name.c_str(), axis.c_str(), found->what.c_str());
  for (const DerivationStep& step : found->steps) {
    std::string at = step.file.empty() ? "" : step.file + " \"" + step.node + "\"";
    if (step.place) at = placeText(program.sources, *step.place) + "  " + excerpt(program.sources, *step.place);
    std::printf("  %s\n    %s\n", textOf(step).c_str(), at.c_str());
  }
  return true;
}

}  // namespace

std::string textOf(const DerivationStep& step) {
  return step.text + (step.tier ? std::string(" (") + spelling(*step.tier) + ")" : "");
}

bool askProve(Session& session, const InputText& typed) {
  if (typed.text.empty()) return printError("`:prove` takes a fact, as in `:prove n % 2 == 0, assuming n % 4 == 0`");
  constexpr std::string_view assuming = "assuming";
  const std::size_t behind = std::min(findOutside(typed.text, assuming), typed.text.size());
  std::string_view claim = trimmed(typed.text.substr(0, behind));
  if (claim.ends_with(',')) claim = trimmed(claim.substr(0, claim.size() - 1));
  if (claim.empty()) return printError("a fact is missing before `assuming`: `:prove n % 2 == 0, assuming n % 4 == 0`");
  std::vector<InputText> assumptions;
  for (std::string_view part : splitAtCommas(typed.text.substr(behind))) {
    auto [word, rest] = firstWord(part);
    const std::string_view fact = word == assuming ? rest : part;
    if (fact.empty() && behind < typed.text.size())
      return printError("a fact is missing behind `assuming`: `:prove n % 2 == 0, assuming n % 4 == 0`");
    if (!fact.empty()) assumptions.push_back(typed.part(fact));
  }
  return runInChild([&] { return prove(session, typed.part(claim), assumptions); });
}

bool askWhere(Session& session, const InputText& typed) {
  const std::string name(typed.text);
  if (name.empty()) return printError("`:where` takes the name of a binding");
  return session.answer([&] {
    const auto subject = session.subject(name);
    if (!subject) return false;
    auto facts = factsOf(*subject);
    if (!facts) std::printf("`%s` asks for nothing beyond its type\n", name.c_str());
    if (facts) printFacts(subject->program->sources, *facts);
    return true;
  });
}

bool askStream(Session& session, const InputText& typed) {
  const std::string name(typed.text);
  if (name.empty()) return printError("`:stream` takes the name of a function");
  return session.answer([&] {
    const auto subject = session.subject(name);
    if (!subject) return false;
    Checked& checked = *subject->program->checked;
    const auto streams = streamsOf(checked, *rootBinding(checked, subject->name));
    if (streams.inputs.empty()) {
      std::printf("`%s` streams nothing: no dimension of its parameters is written `~T`\n", name.c_str());
      return true;
    }
    for (const std::string& input : streams.inputs) std::printf("in: %s\n", input.c_str());
    for (const std::string& output : streams.outputs) std::printf("out: %s\n", output.c_str());
    for (const StreamRate& rate : streams.rates) printRate(rate);
    printDelays(*subject, session.weightBytes());
    return true;
  });
}

bool askWhy(Session& session, const InputText& typed) {
  auto place = placeOf(typed.text);
  if (!place || place->name.empty())
    return printError("`:why` takes a name, or one of its sizes: `:why x`, `:why x[1]`");
  if (session.graph() && !session.program().types.count(place->name) && session.graph()->hasNode(place->name))
    return session.graph()->printWhy(place->name, place->axis);
  if (namesUnknownNode(session, place->name)) return session.graph()->printUnknown(place->name);
  return session.answer([&] { return printWhy(session, *place); });
}

}  // namespace axle::repl
