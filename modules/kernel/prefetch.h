// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prefetch hints to the host's caches. A large platform has tens of thousands of objects in flight,
// more than a core's caches hold, so that the first access to an object misses. A block prefetches
// the next object while it processes the present one. Hints change no result.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tlm {
class tlm_generic_payload;
}

namespace tessera {

inline constexpr std::size_t kHostLine = 64;

/// Prefetches the first `lines` host cache lines of an object.
template <class T>
void prefetch(const T* object, std::size_t lines = 1) {
  const char* const p = reinterpret_cast<const char*>(object);
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(p + i * kHostLine);
}

/// Prefetches the host cache lines of a pooled payload that a hop reads: address and status;
/// reference count and first fields of the request; the other fields of the request.
inline void prefetch_payload(const tlm::tlm_generic_payload* payload) {
  const char* const p = reinterpret_cast<const char*>(payload);
  __builtin_prefetch(p);
  __builtin_prefetch(p + 2 * kHostLine);
  __builtin_prefetch(p + 3 * kHostLine);
}

/// Prefetches the memory manager of a pooled payload, which the last release() also reads.
inline void prefetch_manager(const tlm::tlm_generic_payload* payload) {
  __builtin_prefetch(reinterpret_cast<const char*>(payload) + kHostLine);
}

/// Whether T is a pointer to a payload, or has one as its member `payload`.
template <class T, class = void>
struct HasPayload : std::is_convertible<T, const tlm::tlm_generic_payload*> {};
template <class T>
struct HasPayload<T, std::void_t<decltype(std::declval<const T&>().payload)>> : std::true_type {};

/// Prefetches the payload of a queue's item, if it has one.
template <class T>
void prefetch_item(const T& item) {
  if constexpr (std::is_convertible_v<T, const tlm::tlm_generic_payload*>) {
    prefetch_payload(item);
  } else if constexpr (HasPayload<T>::value) {
    prefetch_payload(item.payload);
  }
}

}  // namespace tessera
