#include "import/tensorflow/analysis/node_list.h"

#include <map>
#include <string_view>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

// Whether the part is a wrapper: `StatefulPartitionedCall`, `PartitionedCall_2`.
bool isWrapper(std::string_view part) {
  for (std::string_view wrapper : {"StatefulPartitionedCall", "PartitionedCall"}) {
    if (!part.starts_with(wrapper)) continue;
    const std::string_view rest = part.substr(wrapper.size());
    return rest.empty() || (rest[0] == '_' && rest.find_first_not_of("0123456789", 1) == rest.npos);
  }
  return false;
}

std::string withoutWrappers(std::string_view prefix) {
  std::string path;
  while (!prefix.empty()) {
    const std::size_t end = prefix.find('/');
    const std::string_view part = prefix.substr(0, end);
    if (!isWrapper(part)) path.append(part) += '/';
    prefix.remove_prefix(end == prefix.npos ? prefix.size() : end + 1);
  }
  return path;
}

}  // namespace

std::vector<ListedNode> listNodes(const Analysis& analysis, bool withFunctions) {
  std::vector<ListedNode> nodes;
  std::map<std::string, std::size_t> count;  // by path
  for (const Frame& frame : analysis.frames) {
    const bool isMain = &frame == &analysis.frames.front();
    if ((!isMain && !withFunctions) || !frame.isCopied.empty()) continue;
    const std::string prefix = withoutWrappers(frame.prefix);
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i) {
      nodes.push_back({prefix + frame[NodeId{i}].name, &frame, NodeId{i}});
      ++count[nodes.back().path];
    }
  }
  for (ListedNode& listed : nodes)
    if (count[listed.path] > 1) listed.path = listed.name();
  return nodes;
}

}  // namespace axle::tensorflow
