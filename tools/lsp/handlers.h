// One function for each method of the protocol. It takes the parameters and returns the result.
#pragma once

#include "tools/lsp/state.h"

namespace axle::lsp {

// documents.cc
Json didOpen(State& state, const Json& params);
Json didChange(State& state, const Json& params);
Json didClose(State& state, const Json& params);
Json didSave(State& state, const Json& params);
// hover.cc
Json hover(State& state, const Json& params);
// navigate.cc
Json definition(State& state, const Json& params);
Json references(State& state, const Json& params);
// rename.cc
Json prepareRename(State& state, const Json& params);
Json rename(State& state, const Json& params);
// complete.cc
Json completion(State& state, const Json& params);
// signature.cc
Json signatureHelp(State& state, const Json& params);
// outline.cc
Json documentSymbol(State& state, const Json& params);
Json inlayHint(State& state, const Json& params);
// edits.cc
Json formatting(State& state, const Json& params);
Json codeAction(State& state, const Json& params);

}  // namespace axle::lsp
