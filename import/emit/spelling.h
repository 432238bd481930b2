// Chooses the names of symbols.
#pragma once

#include <string>
#include <string_view>

#include "import/emit/node_names.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Returns the text with letters, digits and `_` only, beginning with a letter or `_`.
std::string identifier(std::string_view text);
// Whether no value may have this name: a keyword, a core operator, an element type or a module of the standard library.
bool isReserved(std::string_view name);
// Returns the last informative part of a node's name, or `weight` if there is none: `bias` for `dense/bias/read`.
std::string lastWord(std::string_view path);
// Returns the name of a weight's layer, with scopes: `block1/conv` for `block1/conv/Cast/ReadVariableOp`.
std::string layerOf(const Symbol& weight);
// Sets the role of weights that no layer has named, from the operator that reads them: `kernel`.
void nameRoles(Program& program);
// Shortens the names that values and weights have in the graph. Removes what the layers of all weights share: the
// scopes and words at the start (`model/tiny_block_0/Add` becomes `block_0/Add`) and the number at the end that
// distinguishes calls of the model (`conv_1`, `dense_1`).
void shortenOrigins(Program& program);
// Names the constants that the graph calls only `Const_2` after the layer and the operator that read them.
void nameConstants(Program& program);
// Names the value that leaves a layer after it: `gelu` instead of the operator's `gelu/mul_2`.
void nameResultsOfLayers(Program& program);
// Names the value that a library function computes from the weights of a layer after that layer: `conv1_bn` instead of
// `conv1_bn/batchnorm/add_1`.
void nameAfterLayers(Program& program);
// Chooses a name for every symbol that has none.
void chooseNames(Program& program);

}  // namespace axle::emit
