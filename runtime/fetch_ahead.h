// Fetches the weights of a prepared product (prepared_product.h) into the cache while the product before it runs.
#pragma once

namespace axle::runtime {

struct BoundGraph;

// Makes the last calls of each prepared product, which have no panels of their own left to fetch, fetch the first
// weights of the next prepared product. Call it once steps are joined.
void fetchAhead(BoundGraph& graph);

}  // namespace axle::runtime
