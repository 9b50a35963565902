// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hints to the host's caches. Tens of thousands of objects are in flight in a large platform, more
// than a core's caches hold: each first touch of one waits for the host's memory. A block that
// knows what it will look at next says so while it has other things to do. Hints change no result.

#include <cstddef>
#include <tlm>
#include <type_traits>
#include <utility>

namespace tessera {

inline constexpr std::size_t kHostLine = 64;

/// `T`'s first `lines` host cache lines.
template <class T>
void prefetch(const T* object, std::size_t lines = 1) {
  const char* const p = reinterpret_cast<const char*>(object);
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(p + i * kHostLine);
}

/// What a hop looks at of a pooled payload: address and status; reference count and the request's
/// first fields; what is left of the request.
inline void prefetch_payload(const tlm::tlm_generic_payload* payload) {
  const char* const p = reinterpret_cast<const char*>(payload);
  __builtin_prefetch(p);
  __builtin_prefetch(p + 2 * kHostLine);
  __builtin_prefetch(p + 3 * kHostLine);
}

/// What the last release() of a pooled payload looks at besides: its memory manager.
inline void prefetch_manager(const tlm::tlm_generic_payload* payload) {
  __builtin_prefetch(reinterpret_cast<const char*>(payload) + kHostLine);
}

/// Whether T is a pointer to a payload, or has one as its member `payload`.
template <class T, class = void>
struct HasPayload : std::is_convertible<T, const tlm::tlm_generic_payload*> {};
template <class T>
struct HasPayload<T, std::void_t<decltype(std::declval<const T&>().payload)>> : std::true_type {};

/// The payload of a queue's item, if it has one.
template <class T>
void prefetch_item(const T& item) {
  if constexpr (std::is_convertible_v<T, const tlm::tlm_generic_payload*>) {
    prefetch_payload(item);
  } else if constexpr (HasPayload<T>::value) {
    prefetch_payload(item.payload);
  }
}

}  // namespace tessera
