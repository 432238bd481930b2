// Evaluates expressions with the compiler and the runtime. Call only in a child process.
#pragma once

#include "tools/repl/session.h"

namespace axle::repl {

// Prints the value and the type of an expression; for a function only its type.
bool evaluate(Session& session, const InputText& expression);

}  // namespace axle::repl
