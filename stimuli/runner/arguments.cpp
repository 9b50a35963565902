// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/arguments.h"

#include <algorithm>

#include "common/text.h"

namespace tessera::kernels {
namespace {

enum class Class { kInteger, kFloat, kAny };

Class class_of(ptx::Type t) {
  switch (t) {
    case ptx::Type::kU8:
    case ptx::Type::kU16:
    case ptx::Type::kU32:
    case ptx::Type::kU64:
    case ptx::Type::kS8:
    case ptx::Type::kS16:
    case ptx::Type::kS32:
    case ptx::Type::kS64:
      return Class::kInteger;
    case ptx::Type::kF32:
    case ptx::Type::kF64:
      return Class::kFloat;
    default:
      return Class::kAny;
  }
}

/// The scalar of an argument; nullptr for other arguments.
const ScalarSpec* scalar_of(const Manifest& m, const ArgumentSpec& a) {
  if (const auto* name = std::get_if<std::string>(&a.value)) return m.scalar(*name);
  return std::get_if<ScalarSpec>(&a.value);
}

std::string what_it_is(const Manifest& m, const ArgumentSpec& a) {
  if (const ScalarSpec* scalar = scalar_of(m, a)) {
    return std::string("a scalar of type ") + element_name(scalar->type);
  }
  if (const auto* structure = std::get_if<StructSpec>(&a.value)) {
    std::vector<std::string> offsets;
    for (const std::uint64_t o : layout_of(m, *structure).offsets) {
      offsets.push_back(std::to_string(o));
    }
    return "the structure (members at bytes " + joined(offsets) + ")";
  }
  if (const auto* name = std::get_if<std::string>(&a.value)) {
    if (const TextureSpec* t = m.texture(*name)) {
      return t->is_surface ? "a surface's handle" : "a texture's handle";
    }
  }
  return "an array's address";
}

void check_argument(const Manifest& m, const LaunchSpec& launch, const ArgumentSpec& a,
                    std::size_t index, const ptx::Variable& parameter) {
  if (const auto* alternation = std::get_if<Alternation>(&a.value)) {
    for (const ArgumentSpec& choice : alternation->choices) {
      check_argument(m, launch, choice, index, parameter);
    }
    return;
  }
  const std::string of = "parameter " + std::to_string(index) + " of \"" + launch.kernel + "\"";
  const std::uint64_t bytes = layout_of(m, a).bytes;
  if (bytes != parameter.bytes()) {
    m.fail(a.pointer, of + " has " + std::to_string(parameter.bytes()) + " bytes, but " +
                          what_it_is(m, a) + " has " + std::to_string(bytes));
  }
  const Class wanted = parameter.is_array ? Class::kAny : class_of(parameter.type);
  if (wanted == Class::kAny || std::holds_alternative<StructSpec>(a.value)) return;
  const ScalarSpec* scalar = scalar_of(m, a);
  const Class given = scalar != nullptr && is_float(scalar->type) ? Class::kFloat : Class::kInteger;
  if (given == wanted) return;
  std::string fitting = "an integer";
  if (wanted == Class::kFloat) {
    fitting = bytes == 8 ? "a scalar of type f64" : "a scalar of type f32";
  } else if (bytes == 8) {
    fitting = "an integer or an address";
  }
  m.fail(a.pointer, of + " has the type ." + ptx::type_name(parameter.type) + ", expected " +
                        fitting + ", found " + what_it_is(m, a));
}

}  // namespace

Layout layout_of(const Manifest& m, const ArgumentSpec& argument) {
  if (const auto* structure = std::get_if<StructSpec>(&argument.value)) {
    return layout_of(m, *structure);
  }
  if (const auto* alternation = std::get_if<Alternation>(&argument.value)) {
    Layout first = layout_of(m, alternation->choices.front());
    for (std::size_t i = 1; i < alternation->choices.size(); ++i) {
      const ArgumentSpec& choice = alternation->choices[i];
      const Layout other = layout_of(m, choice);
      if (other.bytes != first.bytes || other.align != first.align) {
        m.fail(choice.pointer, "has " + std::to_string(other.bytes) + " bytes, but the first of " +
                                   "the alternatives has " + std::to_string(first.bytes));
      }
    }
    return first;
  }
  const ScalarSpec* scalar = scalar_of(m, argument);
  const std::uint64_t bytes =
      scalar != nullptr ? element_bytes(scalar->type) : std::uint64_t{sizeof(Address)};
  return {bytes, bytes, {}};
}

Layout layout_of(const Manifest& m, const StructSpec& structure) {
  Layout out;
  out.align = structure.align;
  const auto align = [](std::uint64_t v, std::uint64_t to) { return (v + to - 1) / to * to; };
  for (const ArgumentSpec& member : structure.members) {
    const Layout inner = layout_of(m, member);
    out.bytes = align(out.bytes, inner.align);
    out.offsets.push_back(out.bytes);
    out.bytes += inner.bytes;
    out.align = std::max(out.align, inner.align);
  }
  out.bytes = align(out.bytes, out.align);
  return out;
}

void check_arguments(const Manifest& m, const LaunchSpec& launch, const ptx::Function& kernel) {
  if (launch.arguments.size() != kernel.parameters.size()) {
    m.fail(launch.pointer + "/arguments",
           "the kernel \"" + launch.kernel + "\" has " + std::to_string(kernel.parameters.size()) +
               " parameters, found " + std::to_string(launch.arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    check_argument(m, launch, launch.arguments[i], i, kernel.parameters[i]);
  }
}

}  // namespace tessera::kernels
