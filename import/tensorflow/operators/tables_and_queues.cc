// Tables, queues, readers, data sets and the session: types only.
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::tables_and_queues {
namespace {

constexpr std::string_view single = "() -> t []";
constexpr std::string_view ofReference = "(string h) -> t []";
constexpr std::string_view reference = "() -> string [2]";

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                type
    // tables
    {"HashTable",                          "() -> string [2]"},
    {"LookupTableFindV2",                  "(t s, u d) -> u s @ d"},
    {"LookupTableSizeV2",                  single},
    {"LookupTableExportV2",                "() -> (t [k], u [k] @ s)"},
    {"LookupTableFind",                    "(string h, t s, u d) -> u s @ d"},
    {"LookupTableExport",                  "(string h) -> (t [k], u [k] @ s)"},
    {"LookupTableSize",                    ofReference},
    {"MutableHashTable",                   reference},
    {"MutableHashTableOfTensors",          reference},
    {"MutableDenseHashTable",              "(t s) -> string [2]"},
    {"TensorMapSize",                      single},
    {"TensorMapHasKey",                    "(k s) -> bool []"},
    // queues, readers, stages: by handle, or by reference
    {"Barrier",                            reference},
    {"ConditionalAccumulator",             reference},
    {"SparseConditionalAccumulator",       reference},
    {"FIFOQueue",                          reference},
    {"PaddingFIFOQueue",                   reference},
    {"PriorityQueue",                      reference},
    {"RandomShuffleQueue",                 reference},
    {"FakeQueue",                          reference},
    {"TextLineReader",                     reference},
    {"WholeFileReader",                    reference},
    {"TFRecordReader",                     reference},
    {"FixedLengthRecordReader",            reference},
    {"LMDBReader",                         reference},
    {"IdentityReader",                     reference},
    {"Stack",                              reference},
    {"QueueSize",                          ofReference},
    {"QueueIsClosed",                      ofReference},
    {"ReaderNumRecordsProduced",           ofReference},
    {"ReaderNumWorkUnitsCompleted",        ofReference},
    {"ReaderSerializeState",               ofReference},
    {"AccumulatorNumAccumulated",          ofReference},
    {"BarrierIncompleteSize",              ofReference},
    {"BarrierReadySize",                   ofReference},
    {"QueueSizeV2",                        single},
    {"QueueIsClosedV2",                    single},
    {"ReaderNumRecordsProducedV2",         single},
    {"ReaderNumWorkUnitsCompletedV2",      single},
    {"ReaderSerializeStateV2",             single},
    {"ResourceAccumulatorNumAccumulated",  single},
    {"MapSize",                            single},
    {"MapIncompleteSize",                  single},
    {"OrderedMapSize",                     single},
    {"OrderedMapIncompleteSize",           single},
    {"StageSize",                          single},
    {"OptionalHasValue",                   single},
    {"IsResourceHandleRefCounting",        single},
    {"ResourceInitializedOp",              single},
    {"ResourceCountUpTo",                  single},
    {"Timestamp",                          single},
    {"DeviceIndex",                        single},
    {"GetDeadline",                        single},
    {"GlobalIterId",                       single},
    {"GraphDefVersion",                    single},
    {"IsTensorFloat32Enabled",             single},
    {"ComputeBatchSize",                   single},
    {"GetOptions",                         single},
    {"DatasetCardinality",                 single},
    {"DatasetFingerprint",                 single},
    {"DatasetToGraph",                     single},
    {"DatasetToGraphV2",                   single},
    {"IteratorToStringHandle",             single},
    {"IteratorGetDevice",                  single},
    {"CountUpTo",                          "(t []) -> t []"},
    {"ReaderRead",                         "(string a, string b) -> (string [], string [])"},
    {"ReaderReadV2",                       "() -> (string [], string [])"},
    {"ReaderReadUpTo",                     "(string a, string b, i []) -> (string [k], string [k])"},
    {"ReaderReadUpToV2",                   "(i []) -> (string [k], string [k])"},
    {"StackPush",                          "(string h, t s) -> t s"},
    {"StackPushV2",                        "(t s) -> t s"},
    {"StackPop",                           "(string h) -> t s"},
    {"StackPopV2",                         "() -> t s"},
    {"RecordInput",                        "(batch_size : int) -> string [batch_size]"},
    {"GetSessionHandle",                   "(t s) -> string []"},
    {"GetSessionTensor",                   "(string []) -> t s"},
    {"Skipgram",                           "() -> (s [n], i [n], l [], i [], l [], i [m], i [m])"},
    {"PyFunc",                             anyShapeType},
    {"PyFuncStateless",                    anyShapeType},
    {"EagerPyFunc",                        anyShapeType},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::tables_and_queues
