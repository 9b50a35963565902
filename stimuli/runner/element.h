// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element types of a workload's arrays and scalars.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::kernels {

enum class Element : std::uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };

/// All names, for messages: "i8", "u8", ..., "f64".
const std::vector<std::string>& element_names();
/// Returns false for an unknown name.
bool element_from_name(std::string_view name, Element* out);
const char* element_name(Element e);
unsigned element_bytes(Element e);
bool is_float(Element e);
/// Whether an integer type can represent `value`.
bool fits(Element e, std::int64_t value);

/// Stores an integer or a floating-point value as an element of the type.
void store_integer(Element e, std::int64_t value, std::byte* to);
void store_float(Element e, double value, std::byte* to);

/// The value of an element. Exact except for the upper half of u64, which wraps.
std::int64_t load_integer(Element e, const std::byte* from);
/// The value of a floating-point element.
double load_float(Element e, const std::byte* from);

template <class T>
constexpr Element element_of();
template <>
constexpr Element element_of<std::uint8_t>() {
  return Element::kU8;
}
template <>
constexpr Element element_of<std::int32_t>() {
  return Element::kI32;
}
template <>
constexpr Element element_of<std::uint32_t>() {
  return Element::kU32;
}
template <>
constexpr Element element_of<float>() {
  return Element::kF32;
}
template <>
constexpr Element element_of<double>() {
  return Element::kF64;
}

}  // namespace tessera::kernels
