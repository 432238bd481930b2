// The debug section of a bundle: names and places of nodes, texts, reasons and places of guards, names of constants.
// Only reports need it, so `axc build --strip` leaves it out. Nothing in it is decoded before a report asks for it; a
// report omits what is damaged or missing.
//
// The section begins with a table of u32, little endian: the number of programs (one, or one for each variant), then
// the bytes of each part: strings, constants, then guards and nodes of each program. The parts follow in this order.
// They consist of LEB128 numbers; signed ones are zigzag.
//
//   strings    of each string from number 1: how many bytes it shares with the string before (at most 255), how many
//              follow, and these
//   constants  of each constant: its name
//   guards     of each guard: text, reason, number of places, places
//   nodes      of each node of the graph, then of the bodies in order: number of names, names, number of places, places
//
// String 0 is empty. A text, reason or name is the signed difference to the last string number of its part, 0 at first.
// A place is its file as the signed difference to the last file's string number, then for a node of an imported graph 0
// and the node's name; for a place in a source 1 + the zigzag difference to the last line, column, number of
// further lines, end column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/session.h"

namespace axle::runtime {

inline constexpr std::size_t maxSharedPrefix = 255;
// The most bytes of text that one request returns; further texts are empty.
inline constexpr std::size_t maxDebugText = 1u << 24;

// The part of a section about one program.
struct DebugView {
  std::span<const std::byte> section;  // empty: the bundle has none
  std::size_t program = 0;
};

struct NodeText {
  std::string name;  // the names of all nodes of the model that it computes, separated by commas
  std::vector<Place> places;
};

NodeText describeNode(const DebugView& debug, std::size_t node);
// Describes the first `count` guards; fewer if the section has fewer.
std::vector<GuardInfo> describeGuards(const DebugView& debug, std::size_t count);
std::string constantName(const DebugView& debug, std::size_t constant);

}  // namespace axle::runtime
