#include "import/tensorflow/analysis/narrowed_sizes.h"

#include <map>
#include <set>
#include <string>

#include "import/tensorflow/analysis/analysis.h"
#include "typecheck/infer/infer_program.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::Size> sizeNarrowed{codes::promiseNarrowed, "{} is not free: the graph makes it {}",
                                                     "{0} reads as any size"};
constexpr Message<arg::Name, arg::Size> sizeRefused{codes::narrowingRefused, "{} is not free: the graph makes it {}",
                                                    "{0} reads as any size"};

bool isOfInput(const Hint& hint) { return hint.option.starts_with("--input ") && hint.shape; }

// Returns the names of sizes in `--input` options, in order, each with the first input that has it.
std::vector<std::pair<std::string, const Hint*>> promisedSizes(const Analysis& analysis) {
  std::vector<std::pair<std::string, const Hint*>> promised;
  std::set<std::string> known;
  for (const Hint& hint : analysis.hints.all)
    if (isOfInput(hint))
      for (const HintSize& size : *hint.shape)
        for (const std::string& name : size.names())
          if (known.insert(name).second) promised.emplace_back(name, &hint);
  return promised;
}

// Returns the input's place in the graph.
LabelPlace placeOf(const Analysis& analysis, const Hint& hint) {
  for (const auto& [node, hints] : analysis.hints.byNode)
    for (const auto& [port, its] : hints)
      if (its == &hint) return analysis.mainPlaces[node].name;
  return ArtifactPlace{analysis.model.path, hint.tensor};
}

}  // namespace

void reportNarrowedSizes(Analysis& analysis, Narrowing narrowing) {
  if (narrowing == Narrowing::allowed || hasErrors(analysis.diagnostics)) return;
  DimStore& dims = analysis.typer.solution().dims;
  std::map<DimVar, std::string> free;  // by size that is still a variable: its name in the option
  for (const auto& [name, hint] : promisedSizes(analysis)) {
    const Dim written = analysis.hints.sizes.at(name);
    const Dim is = analysis.typer.solution().resolve(written);
    std::string value;
    if (const auto variable = dims.asVariable(is)) {
      const auto [same, isNew] = free.emplace(*variable, name);
      if (isNew) continue;
      value = same->second;
    } else {
      // A new variable with numbers only sets a minimum or a multiple for the size, so a guard suffices.
      bool isNamed = dims.asConstant(is).has_value();
      for (DimVar v : dims.variables(is)) isNamed = isNamed || free.count(v) != 0;
      if (!isNamed) continue;
      value = analysis.sizeNames.printNamed(is);
    }
    const auto& message = narrowing == Narrowing::refused ? sizeRefused : sizeNarrowed;
    Diagnostic& d =
        axle::report(analysis.diagnostics, message, placeOf(analysis, *hint), arg::Name{name}, arg::Size{value});
    // Labels no second place if the input itself declares the size.
    const Reason* why = analysis.typer.whatFixed(ShapePart::of(written));
    if (why && !why->subject.empty() && !why->subject.starts_with("`--input "))
      d.addLabel(why->span, "{} makes it {}", arg::Subject{why->subject}, arg::Size{value});
    d.addHelp("write {} instead of {} in {} if no other size is meant", arg::Code{value}, arg::Name{name},
              arg::Code{hint->option});
  }
}

}  // namespace axle::tensorflow
