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

/// Number of a kernel launch, which its CTAs, warps and requests carry. One byte. Numbers are given
/// out in turn: a number belongs to another launch only after 62 more launches. 0: no launch (the
/// host program, firmware).
struct LaunchSlot {
  /// Numbers are below it.
  static constexpr unsigned kCount = 64;

  std::uint8_t value = 0;

  constexpr LaunchSlot() = default;
  constexpr explicit LaunchSlot(unsigned v) : value(static_cast<std::uint8_t>(v)) {}

  friend constexpr bool operator==(LaunchSlot a, LaunchSlot b) { return a.value == b.value; }
  friend constexpr bool operator!=(LaunchSlot a, LaunchSlot b) { return a.value != b.value; }
};
static_assert(sizeof(LaunchSlot) == 1, "MemoryRequest's layout counts on it");

/// A CTA of a launch. A CtaId converts implicitly: a CTA of no launch.
struct LaunchedCta {
  CtaId id;
  LaunchSlot launch;

  constexpr LaunchedCta() = default;
  constexpr LaunchedCta(CtaId cta, LaunchSlot of = {}) : id(cta), launch(of) {}  // NOLINT

  friend constexpr bool operator==(LaunchedCta a, LaunchedCta b) {
    return a.id == b.id && a.launch == b.launch;
  }
};

/// Kinds of requesters.
enum class RequesterKind : std::uint8_t {
  kSm,
  kCpuCore,
  kCopyEngine,
  kBridge,  ///< a port for plain TLM initiators (LineBridge)
};

/// The requester of a memory request: a kind, and a system-wide index among the requesters of that
/// kind. Four bytes. An SmId converts implicitly.
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
  /// The SM. Precondition: is_sm(), because only SMs have a partition and a GPU.
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
