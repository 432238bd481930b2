// How a file itself says which variable has which key of its checkpoint. Names of variables do not: they may be
// anything.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "saved_model.pb.h"

namespace axle::tensorflow {

// What a variable is restored from.
struct Restored {
  std::string key;
  std::string slice;  // `7 16 0,4:0,16`, or empty for the whole tensor
};

// By the names of the main graph's variable nodes.
struct SavedVariables {
  // What the saver's restore operation assigns: by nodes of the main graph (TF1), or in a function that they are
  // given to (TF2).
  std::unordered_map<std::string, Restored> restored;
  // Numbers of objects, as calls of the object graph's functions bind them after their real arguments (TF2).
  std::unordered_map<std::string, int> objects;
};

SavedVariables savedVariables(const wire::MetaGraphDef& meta);

}  // namespace axle::tensorflow
