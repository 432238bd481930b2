#include "backend/stream.h"

#include <algorithm>
#include <set>

#include "bundle.pb.h"
#include "ir/ops/table.h"

namespace axle {

namespace {

// Returns the symbols of all sizes of a model.
std::vector<DimVar> symbolsOf(const ir::Model& model) {
  std::set<DimVar> symbols;
  const auto add = [&](Dim d) {
    for (DimVar v : model.dims->variables(d)) symbols.insert(v);
  };
  for (const ir::Graph& graph : model.graphs) {
    for (const ir::Node& node : graph.nodes) {
      if (node.op == ir::Op::none) continue;
      for (ir::OutletId output : node.outputs)
        for (Dim d : graph[output].fact.shape) add(d);
      ir::Attributes attributes = node.attributes;
      ir::changeSizes(attributes, [&](Dim& d) { add(d); });
    }
  }
  return {symbols.begin(), symbols.end()};
}

std::string typeTextOf(const ir::Model& model, ir::OutletId id) {
  return ir::typeText(*model.dims, model.main()[id].fact);
}

void write(const ir::StageSource& source, bundle::Source& out) {
  out.set_kind(static_cast<bundle::SourceKind>(source.kind));
  out.set_index(source.index);
  out.set_stride(source.stride);
  out.set_spread(source.spread);
  out.set_first(source.first);
  out.set_last(source.last);
}

void write(const ir::Schedule& schedule, bundle::Schedule& out) {
  for (std::int64_t value : schedule.first) out.add_first(static_cast<std::uint64_t>(value));
  out.set_period(static_cast<std::uint64_t>(schedule.period));
  out.set_step(static_cast<std::uint64_t>(schedule.step));
}

std::string textOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<Variant> stageVariants(const ir::StreamNetwork& network, Diagnostics& diagnostics) {
  std::vector<Variant> variants;
  for (const ir::StreamStage& stage : network.stages) {
    const ir::Model& model = stage.model;
    Variant& variant = variants.emplace_back();
    variant.model = &model;
    std::vector<std::vector<Dim>> shapes;
    for (ir::OutletId id : model.main().inputs) {
      shapes.push_back(model.main()[id].fact.shape);
      variant.interface.inputTypes.push_back(typeTextOf(model, id));
    }
    for (ir::OutletId id : model.main().outputs) variant.interface.outputTypes.push_back(typeTextOf(model, id));
    Recipes recipes = bindSymbols(*model.dims, symbolsOf(model), shapes);
    for (DimVar symbol : recipes.unbound) {
      Span span;
      for (const ir::Node& node : model.main().nodes)
        if (!node.spans.empty()) span = node.spans.front();
      diagnostics.push_back(unboundSymbol(*model.dims, symbol, span));
    }
    variant.interface.symbols = std::move(recipes.bound);
  }
  return variants;
}

void writeStream(const ir::StreamNetwork& network, std::size_t modelInputs, bundle::Stream& out) {
  for (std::size_t i = 0; i < modelInputs; ++i) {
    bundle::StreamInput& input = *out.add_inputs();
    const auto streamed = std::find_if(network.inputs.begin(), network.inputs.end(),
                                       [&](const ir::StreamedInput& s) { return s.input == i; });
    if (streamed == network.inputs.end()) continue;
    input.set_streams(true);
    input.set_axis(static_cast<std::uint32_t>(streamed->axis));
    input.set_rate(static_cast<std::uint64_t>(streamed->rate));
    input.set_per(static_cast<std::uint64_t>(streamed->per));
  }
  for (const ir::StreamNetwork::Output& from : network.outputs) {
    bundle::StreamOutput& output = *out.add_outputs();
    output.set_buffer(from.buffer);
    output.set_delay(static_cast<std::uint64_t>(from.stream.delay));
    output.set_stride(static_cast<std::uint64_t>(from.stream.stride));
    output.set_frames(static_cast<std::uint64_t>(from.stream.frames));
  }
  for (const ir::FrameBuffer& from : network.buffers) {
    bundle::Buffer& buffer = *out.add_buffers();
    buffer.set_axis(static_cast<std::uint32_t>(from.axis));
    buffer.set_fill(textOf(from.fill));
    buffer.set_history(static_cast<std::uint64_t>(from.history));
    write(from.sure, *buffer.mutable_sure());
    write(from.length, *buffer.mutable_length());
    for (const ir::StageSource& piece : from.pieces) write(piece, *buffer.add_pieces());
    buffer.set_input(from.input ? static_cast<std::uint32_t>(*from.input + 1) : 0);
  }
  std::uint32_t program = 0;
  for (const ir::StreamStage& from : network.stages) {
    bundle::Stage& stage = *out.add_stages();
    stage.set_program(program++);
    for (const ir::StageSource& source : from.sources) write(source, *stage.add_sources());
    for (const ir::StageSink& to : from.sinks) {
      bundle::Sink& sink = *stage.add_sinks();
      sink.set_kind(static_cast<bundle::SinkKind>(to.kind));
      sink.set_index(to.index);
      if (to.kind != ir::SinkKind::add) continue;
      sink.set_step(static_cast<std::uint64_t>(to.step));
      sink.set_per(static_cast<std::uint64_t>(to.per));
      sink.set_shift(to.shift);
      sink.set_count(static_cast<std::uint64_t>(to.count));
      sink.set_spacing(static_cast<std::uint64_t>(to.spacing));
      sink.set_along(to.along);
      sink.set_run(static_cast<std::uint64_t>(to.run));
    }
    stage.set_scale(static_cast<std::uint64_t>(from.scale));
    stage.set_shift(from.shift);
  }
  for (const ir::StreamState& from : network.states) {
    bundle::State& state = *out.add_states();
    if (from.fill.empty())
      write(from.initial, *state.mutable_initial());
    else
      state.set_fill(textOf(from.fill));
  }
  out.set_slots(network.slots);
}

}  // namespace axle
