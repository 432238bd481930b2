#include "tests/operators/case_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/runtime/golden_file.h"

namespace axle::test {

namespace {

// Reads ` ELEM SHAPE HEX`; a size with a `?` is known only in the run.
void addOutput(std::string line, Case& to) {
  std::vector<bool> open;
  std::size_t from = line.find(' ', 1) + 1, end = line.find(' ', from);
  for (std::size_t at = from; line[from] != '-' && at < end; at = std::min(line.find(',', at), end) + 1)
    open.push_back(line[at] == '?');
  std::erase(line, '?');
  std::istringstream words(line);
  to.outputs.push_back(runtime::test::tensorOf(words));
  PortType type = typeOf(to.outputs.back().view());
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open[i]) type.sizes[i].reset();
  to.types.push_back(textOf(type));
}

std::vector<Case> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Case> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "case") {
      Case& made = all.emplace_back();
      words >> made.op >> made.relative >> made.absolute;
    } else if (all.empty()) {
      throw std::runtime_error("no case yet");
    } else if (word == "program") {
      all.back().program = line.substr(word.size() + 1);
    } else if (word == "code") {
      words >> all.back().code;
    } else if (word == "stops") {
      all.back().stops = true;
    } else if (word == "in") {
      all.back().inputs.push_back(runtime::test::tensorOf(words));
    } else {
      addOutput(line.substr(word.size()), all.back());
    }
  }
  return all;
}

std::string refusalFailure(const Case& of, const Program& program) {
  if (program.refusal().empty()) return "the checker takes it";
  auto has = [&](const std::string& code) { return program.refusal().find("error[" + code) != std::string::npos; };
  bool asSaid = of.code.empty() ? !has("E01") && !has("E02") : has(of.code);
  return asSaid ? "" : "refused, but not for its types: " + program.refusal();
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = read("tests/operators/cases.txt");
  return all;
}

std::string failure(const Case& of, std::span<const CoreOp> operators) {
  Program program(of.program, operators);
  if (of.outputs.empty() && !of.stops) return refusalFailure(of, program);
  if (!program.refusal().empty()) return program.refusal();
  if (!program.problem().empty()) return program.problem();
  std::string text;
  auto session = program.session(text);
  if (!session) return text;
  Ran ran = run(*session, of.inputs);
  if (of.stops) return ran.fault ? "" : "the run does not end with a fault: " + ran.problem;
  if (!ran.problem.empty()) return ran.problem;
  if (program.results().size() != of.outputs.size()) return "the number of results differs";
  runtime::test::Golden tolerances;
  tolerances.relative = of.relative;
  tolerances.absolute = of.absolute;
  for (std::size_t i = 0; i < of.outputs.size(); ++i) {
    std::string said = textOf(program.results()[i]), came = textOf(typeOf(session->output(i))),
                wanted = textOf(typeOf(of.outputs[i].view()));
    if (said != of.types[i] || came != wanted)
      return "the type says " + said + ", the run gives " + came + ", NumPy has " + wanted;
    text = runtime::test::differences(session->output(i), of.outputs[i], tolerances);
    if (!text.empty()) return "result " + std::to_string(i) + ":" + text;
  }
  return "";
}

}  // namespace axle::test
