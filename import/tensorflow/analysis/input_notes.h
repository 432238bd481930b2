// Adds the note of an error that shows the types of its node's inputs, with the sizes that the message mentions marked.
#pragma once

#include <cstdint>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

struct MentionedSize {
  std::int64_t value;
  bool isCount;  // of axes, starts or sizes: the length of a tensor of integers, and of no other
  friend bool operator==(const MentionedSize&, const MentionedSize&) = default;
};

// Returns the integers of a message that are sizes: not ranks, axes, values of attributes, or parts of names.
std::vector<MentionedSize> mentionedSizes(const Diagnostic& d);

// Whether the message allows that a tensor of this type has the size.
bool mayHave(const MentionedSize& size, Type type);

void noteInputs(Analysis& analysis, Diagnostic& d, const Site& site);

}  // namespace axle::tensorflow
