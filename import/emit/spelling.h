// The names of symbols.
#pragma once

#include <string>
#include <string_view>

#include "import/emit/node_names.h"
#include "import/emit/tree.h"

namespace axle::emit {

// The text with letters, digits and `_` only, beginning with a letter or `_`.
std::string identifier(std::string_view text);
// Whether no value may have this name: a keyword, a core operator, an element type or a module of the standard library.
bool isReserved(std::string_view name);
// The last informative part of a node's name, `weight` where there is none: `dense/bias/read` gives `bias`.
std::string lastWord(std::string_view path);
// The name of the layer that a weight belongs to, with its scopes: `block1/conv` of `block1/conv/Cast/ReadVariableOp`.
std::string layerOf(const Symbol& weight);
// Sets the role of weights that no layer has named, by the operator that reads them: `kernel`.
void nameRoles(Program& program);
// Shortens the names that values and weights have in the graph: leaves out what the layers of all weights share, the
// scopes and words at their beginning (`model/tiny_block_0/Add` becomes `block_0/Add`) and the number at their end that
// tells calls of the model apart (`conv_1`, `dense_1`).
void shortenOrigins(Program& program);
// Names what a function of the library computes from the weights of a layer after that layer: `conv1_bn` instead of
// `conv1_bn/batchnorm/add_1`.
void nameAfterLayers(Program& program);
// Chooses a name for every symbol that has none.
void chooseNames(Program& program);

}  // namespace axle::emit
