// Damages bytes, and reads everything in the model that results.
#pragma once

#include <random>
#include <string>

#include "tests/import/graphs.h"

namespace axle::test {

// Returns the bytes with one to three edits: changed bits, bytes or lengths, or pieces removed, repeated or inserted.
std::string mutant(std::string bytes, std::mt19937& random);

// Reads everything in a model, including values of variables.
void use(const Read& read);

}  // namespace axle::test
