// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera {

/// A dense index that cannot be mixed with an index of another kind.
template <class Tag>
struct Index {
  std::uint32_t value = 0;

  constexpr Index() = default;
  constexpr explicit Index(std::uint32_t v) : value(v) {}

  friend constexpr bool operator==(Index a, Index b) { return a.value == b.value; }
  friend constexpr bool operator!=(Index a, Index b) { return a.value != b.value; }
  friend constexpr bool operator<(Index a, Index b) { return a.value < b.value; }
};

using GpuId = Index<struct GpuTag>;
using ModuleId = Index<struct ModuleTag>;
/// Streaming multiprocessor, numbered through the whole system.
using SmId = Index<struct SmTag>;
/// LLC slice, numbered through the whole system.
using SliceId = Index<struct SliceTag>;
/// DRAM channel, numbered through the whole system.
using ChannelId = Index<struct ChannelTag>;
/// Bank within a channel (bank groups included: bank = group * banks_per_group + index).
using Bank = Index<struct BankTag>;
/// CTA within a launch, in the order x fastest, then y, then z.
using CtaId = Index<struct CtaTag>;

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Index<Tag>> {
  std::size_t operator()(tessera::Index<Tag> i) const noexcept { return i.value; }
};
