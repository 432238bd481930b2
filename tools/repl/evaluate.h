// Values of expressions, by the compiler and the runtime. Only in a child process.
#pragma once

#include "tools/repl/session.h"

namespace axle::repl {

// Prints the value and the type of an expression; of a function only its type.
bool evaluate(Session& session, const InputText& expression);

}  // namespace axle::repl
