// The note of an error that shows the types which its node takes, with the sizes that the message mentions marked.
#pragma once

#include <cstdint>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

struct MentionedSize {
  std::int64_t value;
  bool isCount;  // of axes, starts or sizes: the length of a tensor of whole numbers, not a size of any other
  friend bool operator==(const MentionedSize&, const MentionedSize&) = default;
};

// The whole numbers of a message that are sizes: none of a rank, an axis or an attribute, none within a name.
std::vector<MentionedSize> mentionedSizes(const Diagnostic& d);

// Whether a tensor of this type may have the size, as far as the message says.
bool mayHave(const MentionedSize& size, Type type);

void noteInputs(Analysis& analysis, Diagnostic& d, const Site& site);

}  // namespace axle::tensorflow
