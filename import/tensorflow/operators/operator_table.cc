// The families of operators, one file each.
#include <deque>
#include <string>
#include <unordered_map>

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow {

using Rows = std::span<const OperatorRow>;
// clang-format off
namespace blocks               { Rows operators(); }
namespace boxes                { Rows operators(); }
namespace complex_numbers      { Rows operators(); }
namespace creating             { Rows operators(); }
namespace decompositions       { Rows operators(); }
namespace diagonals            { Rows operators(); }
namespace elementwise          { Rows operators(); }
namespace files_and_summaries  { Rows operators(); }
namespace gathering            { Rows operators(); }
namespace gradients            { Rows operators(); }
namespace images               { Rows operators(); }
namespace joining              { Rows operators(); }
namespace linear               { Rows operators(); }
namespace lists                { Rows operators(); }
namespace losses               { Rows operators(); }
namespace matrices             { Rows operators(); }
namespace normalising          { Rows operators(); }
namespace quantized            { Rows operators(); }
namespace ragged               { Rows operators(); }
namespace random               { Rows operators(); }
namespace rearranging          { Rows operators(); }
namespace recurrent            { Rows operators(); }
namespace reductions           { Rows operators(); }
namespace reshaping            { Rows operators(); }
namespace searching            { Rows operators(); }
namespace segments             { Rows operators(); }
namespace signal               { Rows operators(); }
namespace slicing              { Rows operators(); }
namespace sparse               { Rows operators(); }
namespace special_functions    { Rows operators(); }
namespace strings              { Rows operators(); }
namespace tables_and_queues    { Rows operators(); }
namespace training             { Rows operators(); }
namespace windows              { Rows operators(); }
// clang-format on

std::span<const Rows> operatorFamilies() {
  static const Rows families[] = {
      blocks::operators(),          boxes::operators(),
      complex_numbers::operators(), creating::operators(),
      decompositions::operators(),  diagonals::operators(),
      elementwise::operators(),     files_and_summaries::operators(),
      gathering::operators(),       gradients::operators(),
      images::operators(),          joining::operators(),
      linear::operators(),          lists::operators(),
      losses::operators(),          matrices::operators(),
      normalising::operators(),     quantized::operators(),
      ragged::operators(),          random::operators(),
      rearranging::operators(),     recurrent::operators(),
      reductions::operators(),      reshaping::operators(),
      searching::operators(),       segments::operators(),
      signal::operators(),          slicing::operators(),
      sparse::operators(),          special_functions::operators(),
      strings::operators(),         tables_and_queues::operators(),
      training::operators(),        windows::operators(),
  };
  return families;
}

const OperatorRow* findOperatorRow(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const OperatorRow*> made;
    for (Rows family : operatorFamilies())
      for (const OperatorRow& row : family) made.emplace(row.name, &row);
    return made;
  }();
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::span<const CoreOp> graphOperators() {
  static const auto operators = [] {
    std::vector<CoreOp> made(coreOps().begin(), coreOps().end());
    static std::deque<std::string> texts;
    auto add = [&](std::string_view operatorName, std::string_view row, std::string_view signature) {
      operatorName.remove_prefix(operatorName.find_first_not_of('_'));
      texts.push_back("op " + std::string(operatorName) + " : " + std::string(signature) + ";");
      made.push_back({row, texts.back(), "", 0});
    };
    static std::deque<std::string> names;
    for (Rows family : operatorFamilies())
      for (const OperatorRow& row : family) {
        if (row.type.hasSignature()) add(row.name, row.name, row.type.text);
        if (row.type.channelsFirst.empty()) continue;
        names.push_back(std::string(row.name) + "/NC");
        add(row.name, names.back(), row.type.channelsFirst);
      }
    return made;
  }();
  return operators;
}

}  // namespace axle::tensorflow
