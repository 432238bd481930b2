// Fetches into the cache what later calls read, while a prepared product (prepared_product.h) runs.
#pragma once

#include <cstdint>

namespace axle::runtime {

struct BoundGraph;
struct PreparedProduct;

// Makes the last calls of a product, which have no panels of their own left to fetch, fetch `elements` elements at
// `product.next`.
void fetchNext(PreparedProduct& product, std::int64_t elements);

// Makes the last calls of each prepared product fetch the first weights of the next one. Call it once steps are joined.
void fetchAhead(BoundGraph& graph);

}  // namespace axle::runtime
