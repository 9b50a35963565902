// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/element.h"

#include <cstring>
#include <limits>

namespace tessera::kernels {
namespace {

template <class T>
void store(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}
template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
bool within(std::int64_t value) {
  return value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
         value <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
}

}  // namespace

const std::vector<std::string>& element_names() {
  static const std::vector<std::string> kNames = {"i8",  "u8",  "i16", "u16", "i32",
                                                  "u32", "i64", "u64", "f32", "f64"};
  return kNames;
}

bool element_from_name(std::string_view name, Element* out) {
  const auto& names = element_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      *out = static_cast<Element>(i);
      return true;
    }
  }
  return false;
}

const char* element_name(Element e) { return element_names()[static_cast<std::size_t>(e)].c_str(); }

unsigned element_bytes(Element e) {
  switch (e) {
    case Element::kI8:
    case Element::kU8:
      return 1;
    case Element::kI16:
    case Element::kU16:
      return 2;
    case Element::kI32:
    case Element::kU32:
    case Element::kF32:
      return 4;
    case Element::kI64:
    case Element::kU64:
    case Element::kF64:
      return 8;
  }
  return 0;
}

bool is_float(Element e) { return e == Element::kF32 || e == Element::kF64; }

bool fits(Element e, std::int64_t value) {
  switch (e) {
    case Element::kI8:
      return within<std::int8_t>(value);
    case Element::kU8:
      return within<std::uint8_t>(value);
    case Element::kI16:
      return within<std::int16_t>(value);
    case Element::kU16:
      return within<std::uint16_t>(value);
    case Element::kI32:
      return within<std::int32_t>(value);
    case Element::kU32:
      return within<std::uint32_t>(value);
    case Element::kI64:
      return true;
    case Element::kU64:
      return value >= 0;
    case Element::kF32:
      return static_cast<double>(static_cast<float>(value)) == static_cast<double>(value);
    case Element::kF64:
      return true;
  }
  return false;
}

void store_integer(Element e, std::int64_t value, std::byte* to) {
  switch (element_bytes(e)) {
    case 1:
      return store(static_cast<std::uint8_t>(value), to);
    case 2:
      return store(static_cast<std::uint16_t>(value), to);
    case 4:
      if (e == Element::kF32) return store(static_cast<float>(value), to);
      return store(static_cast<std::uint32_t>(value), to);
    default:
      if (e == Element::kF64) return store(static_cast<double>(value), to);
      return store(static_cast<std::uint64_t>(value), to);
  }
}

void store_float(Element e, double value, std::byte* to) {
  if (e == Element::kF32) return store(static_cast<float>(value), to);
  store(value, to);
}

std::int64_t load_integer(Element e, const std::byte* from) {
  switch (e) {
    case Element::kI8:
      return load<std::int8_t>(from);
    case Element::kU8:
      return load<std::uint8_t>(from);
    case Element::kI16:
      return load<std::int16_t>(from);
    case Element::kU16:
      return load<std::uint16_t>(from);
    case Element::kI32:
      return load<std::int32_t>(from);
    case Element::kU32:
      return load<std::uint32_t>(from);
    case Element::kI64:
      return load<std::int64_t>(from);
    case Element::kU64:
      return static_cast<std::int64_t>(load<std::uint64_t>(from));
    case Element::kF32:
    case Element::kF64:
      break;
  }
  return static_cast<std::int64_t>(load_float(e, from));
}

double load_float(Element e, const std::byte* from) {
  return e == Element::kF32 ? static_cast<double>(load<float>(from)) : load<double>(from);
}

}  // namespace tessera::kernels
