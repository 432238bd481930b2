// A visitor of a variant that is a lambda for each of its alternatives.
#pragma once

namespace axle {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace axle
