// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
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

/// What issues memory requests.
enum class RequesterKind : std::uint8_t {
  kSm,
  kCpuCore,
  kCopyEngine,
  kBridge,  ///< a port for masters that know nothing of Tessera (LineBridge)
};

/// Who made a memory request: a kind, and an index among the requesters of that kind, counted
/// through the whole system. Four bytes. An SM converts to one by itself.
class RequesterId {
 public:
  static constexpr std::uint32_t kMaxIndex = (1U << 24) - 1;

  /// SM 0.
  constexpr RequesterId() = default;
  constexpr RequesterId(SmId sm) : RequesterId(RequesterKind::kSm, sm.value) {}  // NOLINT
  /// `index`: at most kMaxIndex.
  constexpr RequesterId(RequesterKind kind, std::uint32_t index)
      : bits_(static_cast<std::uint32_t>(kind) << 24 | index) {
    assert(index <= kMaxIndex);
  }

  constexpr RequesterKind kind() const { return static_cast<RequesterKind>(bits_ >> 24); }
  constexpr std::uint32_t index() const { return bits_ & kMaxIndex; }
  constexpr bool is_sm() const { return kind() == RequesterKind::kSm; }
  /// Its SM. The requester must be one: only an SM has a partition, and a GPU that it belongs to.
  constexpr SmId sm() const {
    assert(is_sm());
    return SmId(index());
  }

  friend constexpr bool operator==(RequesterId a, RequesterId b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(RequesterId a, RequesterId b) { return a.bits_ != b.bits_; }

 private:
  std::uint32_t bits_ = 0;
};
static_assert(sizeof(RequesterId) == 4, "MemoryRequest's layout counts on it");

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Index<Tag>> {
  std::size_t operator()(tessera::Index<Tag> i) const noexcept { return i.value; }
};
