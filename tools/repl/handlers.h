// What the rows of the table of commands do. Arguments are what was typed behind the command's name.
#pragma once

#include <string>

#include "tools/repl/session.h"
#include "typecheck/report/derivation.h"

namespace axle::repl {

// False, told on stderr.
bool wrong(const std::string& what);

// A step of a derivation, with the tier that took it.
std::string textOf(const DerivationStep& step);  // facts.cc

// queries.cc: of types and shapes
bool askType(Session& session, const Typed& arguments);
bool askShape(Session& session, const Typed& arguments);
bool askUnify(Session& session, const Typed& arguments);
bool askSolve(Session& session, const Typed& arguments);  // solve.cc

// facts.cc: of what must hold
bool askProve(Session& session, const Typed& arguments);
bool askWhere(Session& session, const Typed& arguments);
bool askStream(Session& session, const Typed& arguments);
bool askWhy(Session& session, const Typed& arguments);

// files.cc
bool loadFile(Session& session, const Typed& arguments);
bool reload(Session& session, const Typed& arguments);
bool holdTensor(Session& session, const Typed& arguments);
bool forgetName(Session& session, const Typed& arguments);
bool setSeed(Session& session, const Typed& arguments);

// graph.cc
bool importGraph(Session& session, const Typed& arguments);
bool listNodes(Session& session, const Typed& arguments);

// reference.cc
bool listOps(Session& session, const Typed& arguments);
bool showDoc(Session& session, const Typed& arguments);

// evaluate.cc
bool timeValue(Session& session, const Typed& arguments);

}  // namespace axle::repl
