// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops over the 32 lanes, for the handler files (alu_*.cpp) only.

#include <utility>

#include "stimuli/ptx/cells.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

/// Writes `value` to a predicate for the lanes of the mask.
inline void put_predicate(const Frame& f, Slot s, u32 value) {
  Cell32& p = predicate(f, s);
  p = (p & ~f.mask) | (value & f.mask);
}

template <class Cell>
inline void blend(Cell* to, const Cell* from, u32 mask) {
#pragma GCC ivdep
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const Cell kept = to[i];
    const Cell fresh = from[i];
    to[i] = (mask & (1u << i)) != 0 ? fresh : kept;
  }
}

/// Runs `body` with the cells to write; only the lanes of the mask change.
template <class Cell, class Body>
inline void write_lanes(const Frame& f, Cell* to, Body body) {
  if (f.mask == kAllLanes) {
    body(to);
  } else {
    alignas(32) std::remove_cv_t<Cell> fresh[kWarpLanes];
    body(static_cast<Cell*>(fresh));
    blend(to, static_cast<Cell*>(fresh), f.mask);
  }
}

/// The handler that applies F to every lane.
template <auto F>
struct Map;

template <class R, class... A, R (*F)(A...)>
struct Map<F> {
  static void run(const Frame& f, const Decoded& d) {
    apply(f, d, std::index_sequence_for<A...>{});
  }
  static constexpr Signature signature() {
    return Signature{1, sizeof...(A), {Lane<R>::kKind, Lane<A>::kKind...}};
  }

 private:
  template <std::size_t... I>
  static void apply(const Frame& f, const Decoded& d, std::index_sequence<I...>) {
    const auto each = [&](CellOf<R>* to, const CellOf<A>*... from) {
      write_lanes(f, to, [&](CellOf<R>* out) {
#pragma GCC ivdep
        for (unsigned i = 0; i < kWarpLanes; ++i) {
          out[i] = Lane<R>::put(F(Lane<A>::get(from[i])...));
        }
      });
    };
    each(cells<R>(f, d.slot[0]), cells<A>(f, d.slot[Decoded::kSource + I])...);
  }
};

/// Registers Map<F> under a name.
template <auto F>
void map(AluTable& t, Unit unit, unsigned cost, const char* a, const char* b = "",
         const char* c = "", const char* d = "", const char* e = "") {
  t.add(AluEntry{&Map<F>::run, Map<F>::signature(), unit, static_cast<u8>(cost)}, a, b, c, d, e);
}

}  // namespace
}  // namespace tessera::ptx::TESSERA_PTX_SIMD
