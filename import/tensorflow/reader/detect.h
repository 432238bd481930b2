// Determines the kind of a file by its content, and parses it.
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
  std::string checkpoint;  // the prefix of the checkpoint's files; empty for a kind without a checkpoint
  std::shared_ptr<google::protobuf::Arena> arena;
  wire::MetaGraphDef* meta = nullptr;  // for a GraphDef only `graph_def` is set
};

// Opens a graph. None after an error, which is added to `problems`. `tags` choose among the graphs of a SavedModel;
// without tags, the result is the graph tagged `serve`, or the only one.
std::optional<GraphFiles> openGraph(const std::string& path, const std::vector<std::string>& tags, SourceMap& sources,
                                    Problems& problems);

}  // namespace axle::tensorflow
