// Finds out by content what kind of file a path is, and parses it.
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
  std::string checkpoint;  // the prefix of the checkpoint's files; empty where the kind has no checkpoint
  std::shared_ptr<google::protobuf::Arena> arena;
  wire::MetaGraphDef* meta = nullptr;  // of a GraphDef it has `graph_def` only
};

// None after an error, which is added to `problems`. `tags` choose among the graphs of a SavedModel; without tags it is
// the one tagged `serve`, or the only one.
std::optional<GraphFiles> openGraph(const std::string& path, const std::vector<std::string>& tags, SourceMap& sources,
                                    Problems& problems);

}  // namespace axle::tensorflow
