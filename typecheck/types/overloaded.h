// A visitor of a variant, made of one lambda for each alternative.
#pragma once

namespace axle {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace axle
