// Which notes about the sizes of names a program may have once a mistake in it is mended.
#pragma once

#include "frontend/diagnostic.h"
#include "frontend/modules.h"

namespace axle {

// Whether a note says what a name of a shape is inferred to be, which names of shapes may be.
bool tellsShape(const Diagnostic& note);

// Whether a note says that a function relates two of its sizes, as `h` is `2*m + 4`: not that one is a number, or equal
// to another.
bool relatesSizes(const Diagnostic& note);

// Whether a note says that a function gives its own static parameter a value: calls that give another one fail.
bool isOfStatic(const Modules& modules, const Diagnostic& note);

// Whether a new note is one that the program has without the mistake. A function with an error has no notes. Those that
// it has when the error is mended are its own where the error is not about sizes, or where a weight has the size, and
// those of static parameters.
bool isNaturalNote(const Modules& modules, const Diagnostic& error, const Diagnostic& note);

// Leaves out notes of names that have a value where there are errors: they are the same without these, or follow from
// them. Those of a function stay whose signature fails, or does in a call. Those of static parameters go beside
// warnings, too.
void dropNotesBesideErrors(const Modules& modules, Diagnostics& diagnostics);

}  // namespace axle
