// axc prove: decides whether a fact about sizes holds under assumptions.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "driver/proof_question.h"
#include "driver/run/options.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

struct ProveArguments {
  std::string claim;
  std::vector<std::string> assumptions;
  std::string batch;  // a file; empty: none
};

// A question whose facts are words of a command line or of a file. Prints errors of the words.
struct AskedProof {
  SourceMap sources;
  driver::ProofQuestion question;

  bool assume(const std::string& where, const std::string& text) {
    Diagnostics diagnostics;
    const bool isRead = question.assume(sources, sources.add(where, text), diagnostics);
    printDiagnostics(stderr, diagnostics, sources);
    return isRead;
  }

  bool claim(const std::string& where, const std::string& text) {
    Diagnostics diagnostics;
    const bool isRead = question.claim(sources, sources.add(where, text), diagnostics);
    printDiagnostics(stderr, diagnostics, sources);
    return isRead;
  }

  std::string print(const decide::Assignment& sizes) const {
    const std::string text = question.print(sizes, "=");
    return text.empty() ? "any" : text;
  }
};

int proveOne(const ProveArguments& arguments) {
  AskedProof asked;
  for (const std::string& assumption : arguments.assumptions)
    if (!asked.assume("--assume", assumption)) return exitUsage;
  if (!asked.claim("CLAIM", arguments.claim)) return exitUsage;
  const decide::Answer answer = asked.question.decide();
  std::printf("%s\ntier: %s\n", spelling(answer.verdict), spelling(answer.tier));
  if (!answer.why.empty()) std::printf("why: %s\n", answer.why.c_str());
  if (answer.holdsFor && answer.verdict == decide::Verdict::contingent)
    std::printf("witness: holds for %s\n", asked.print(*answer.holdsFor).c_str());
  if (answer.failsFor && answer.verdict != decide::Verdict::proved)
    std::printf("witness: fails for %s\n", asked.print(*answer.failsFor).c_str());
  return exitDone;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

bool proveLine(const std::string& line, const std::string& where) {
  std::vector<std::string> columns = split(line, '\t');
  if (columns.size() != 3) {
    std::fprintf(stderr, "error: %s: a line is ID, assumptions and claim with tabs between them\n", where.c_str());
    return false;
  }
  AskedProof asked;
  if (columns[1] != "-")
    for (const std::string& assumption : split(columns[1], ';'))
      if (!asked.assume(where, assumption)) return false;
  if (!asked.claim(where, columns[2])) return false;
  const decide::Answer answer = asked.question.decide();
  std::printf("%s\t%s\t%s\n", columns[0].c_str(), spelling(answer.verdict), spelling(answer.tier));
  std::fflush(stdout);
  return true;
}

// Answers the lines of a file. Reports each line that cannot be read, and answers the others.
int proveBatch(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "error: cannot read %s\n", path.c_str());
    return exitUsage;
  }
  bool good = true;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    good &= proveLine(line, path + " line " + std::to_string(number));
  }
  if (file.bad()) {
    std::fprintf(stderr, "error: cannot read %s\n", path.c_str());
    return exitUsage;
  }
  return good ? exitDone : exitUsage;
}

int proveCommand(const ProveArguments& arguments) {
  bool batch = !arguments.batch.empty();
  if (batch == !arguments.claim.empty() || (batch && !arguments.assumptions.empty())) {
    std::fputs(batch ? "error: --batch FILE brings its own claims and assumptions\n"
                     : "error: CLAIM or --batch FILE is required\n",
               stderr);
    std::fputs("run `axc prove --help` for what it takes\n", stderr);
    return exitUsage;
  }
  return batch ? proveBatch(arguments.batch) : proveOne(arguments);
}

}  // namespace

Action addProve(CLI::App& app) {
  auto arguments = std::make_shared<ProveArguments>();
  app.add_option("CLAIM", arguments->claim, "a relation between sizes, as `d % h == 0`; names are integers >= 0")
      ->type_name("");
  app.add_option("--batch", arguments->batch,
                 "lines of ID, assumptions with `;` between them (or `-`) and claim, with tabs between; prints ID, "
                 "verdict and tier")
      ->type_name("FILE");
  addOptions(app,
             {run::listOption("--assume", "FACT", "what may be assumed; may be given again", arguments->assumptions)});
  return [arguments] { return proveCommand(*arguments); };
}

}  // namespace axle::axc
