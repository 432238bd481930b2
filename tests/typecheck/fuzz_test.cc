// Broken programs: for any text, checking ends with types or diagnostics.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "frontend/modules.h"
#include "tests/frontend/golden.h"
#include "typecheck/check.h"
#include "typecheck/report/query.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> tokensOf(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end])) ++end;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

void checkText(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules = loadModules(sources, path.string(), {}, diagnostics);
  if (modules.modules.empty()) return;
  CheckedPtr checked = check(modules, sources, {}, diagnostics);
  for (const BindingType& binding : bindingTypes(*checked, printBinding)) {
    EXPECT_FALSE(binding.type.empty());
    EntryOptions options;
    options.name = binding.name;
    Diagnostics ofEntry;
    auto entry = hasErrors(diagnostics) ? std::nullopt : prepareEntry(*checked, options, ofEntry);
    EXPECT_TRUE(entry || hasErrors(diagnostics) || hasErrors(ofEntry)) << binding.name << " of\n" << text;
    for (const Diagnostic& d : ofEntry) EXPECT_FALSE(render(d, sources).empty());
    if (entry) break;  // an entry binds variables that it shares with others
  }
  for (const Diagnostic& d : diagnostics) EXPECT_FALSE(render(d, sources).empty());
}

TEST(Fuzz, MutatedProgramsEndWithTypesOrDiagnostics) {
  std::vector<std::vector<std::string>> programs;
  for (const char* folder : {"tests/typecheck/golden", "tests/typecheck/errors"})
    for (const std::string& path : test::filesIn(folder, ".ax"))
      if (path.find("doubling") == std::string::npos) programs.push_back(tokensOf(test::readFile(path)));
  const char* asked = std::getenv("AXLE_FUZZ_ROUNDS");
  int rounds = asked ? std::atoi(asked) : 1000;
  fs::path path = fs::temp_directory_path() / ("axle_fuzz_" + std::to_string(getpid()) + ".ax");
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 rng(static_cast<unsigned>(round));
    std::vector<std::string> tokens = programs[rng() % programs.size()];
    for (unsigned edits = 1 + rng() % 3; edits > 0 && tokens.size() > 1; --edits) {
      auto at = tokens.begin() + static_cast<std::ptrdiff_t>(rng() % tokens.size());
      const auto& other = programs[rng() % programs.size()];
      switch (rng() % 4) {
        case 0:
          tokens.erase(at);
          break;
        case 1:
          tokens.insert(at, *at);
          break;
        case 2:
          *at = other[rng() % other.size()];
          break;
        default:
          std::swap(*at, tokens[rng() % tokens.size()]);
      }
    }
    std::string text;
    for (const std::string& token : tokens) text += token;
    SCOPED_TRACE(round);
    checkText(path, text);
    if (::testing::Test::HasFailure()) break;
  }
  fs::remove(path);
}

}  // namespace
}  // namespace axle
