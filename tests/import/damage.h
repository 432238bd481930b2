// Damaged bytes, and what a test asks of what comes of them.
#pragma once

#include <random>
#include <string>

#include "tests/import/graphs.h"

namespace axle::test {

// The bytes with one to three edits: bits, bytes, lengths, pieces cut out, repeated or put in.
std::string mutant(std::string bytes, std::mt19937& random);

// Asks for all that a model has, values of variables too.
void use(const Read& read);

}  // namespace axle::test
