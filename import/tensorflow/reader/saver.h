// Finds the checkpoint key of each variable in the file. The names of variables do not determine it: a key may be any
// text.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "saved_model.pb.h"

namespace axle::tensorflow {

// The source of a variable's value in the checkpoint.
struct Restored {
  std::string key;
  std::string slice;  // `7 16 0,4:0,16`, or empty for the whole tensor
};

// Maps by the names of the variable nodes of the main graph.
struct SavedVariables {
  // The key that the saver's restore operation reads for the variable, in the main graph (TF1) or in a function that
  // takes the variable (TF2).
  std::unordered_map<std::string, Restored> restored;
  // The number of the variable's object. Calls of the object graph's functions pass such objects after the arguments
  // (TF2).
  std::unordered_map<std::string, int> objects;
};

SavedVariables savedVariables(const wire::MetaGraphDef& meta);

}  // namespace axle::tensorflow
