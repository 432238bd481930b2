// Which kind of graph a path is, by content, and its messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/source.h"
#include "import/tensorflow/problems.h"
#include "saved_model.pb.h"

namespace axle::tensorflow {

struct GraphFiles {
  std::string kind;  // `GraphDef`, `SavedModel`, `MetaGraph`
  std::string graphFile;
  std::string checkpoint;  // prefix of the variables' files; empty where the kind has none
  std::shared_ptr<google::protobuf::Arena> arena;
  wire::MetaGraphDef* meta = nullptr;  // of a GraphDef only `graph_def` is there
};

// With none, `problems` says why. `tags` choose among the meta graphs of a SavedModel; none: the one tagged `serve`, or
// the only one.
std::optional<GraphFiles> openGraph(const std::string& path, const std::vector<std::string>& tags, SourceMap& sources,
                                    Problems& problems);

}  // namespace axle::tensorflow
