// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/manifest.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "stimuli/runner/launch_order.h"
#include "stimuli/runner/manifest_check.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {
namespace {

template <class T>
const T* find_named(const std::vector<T>& all, const std::string& name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Manifest read_manifest(LocatedJson located, const std::vector<std::string>& ptx,
                       const Sizes& sizes) {
  Manifest m;
  const nlohmann::json root = std::move(*located.value);
  *located.value = nullptr;
  m.source = std::move(located);
  ManifestReader(m, root, std::filesystem::path(m.source.file).parent_path().string(), ptx, sizes)
      .read();
  check_launch_order(m);
  check_formulas(m);
  return m;
}

}  // namespace

const ArraySpec* Manifest::array(const std::string& name) const {
  const ArraySpec* found = find_named(arrays, name);
  return found != nullptr ? found : find_named(variables, name);
}

const ScalarSpec* Manifest::scalar(const std::string& name) const {
  return find_named(scalars, name);
}

const TextureSpec* Manifest::texture(const std::string& name) const {
  return find_named(textures, name);
}

const StreamSpec* Manifest::stream(const std::string& name) const {
  return find_named(streams, name);
}

std::vector<const LaunchSpec*> Manifest::launches() const {
  std::vector<const LaunchSpec*> out;
  for_each_launch(steps, [&out](const LaunchSpec& launch) { out.push_back(&launch); });
  return out;
}

void Manifest::fail(const std::string& pointer, const std::string& message) const {
  fail_at(source, pointer, message);
}

std::int64_t Manifest::value(const Formula& formula, const Sizes& sizes_in_use) const {
  try {
    return evaluate(formula.text, sizes_in_use);
  } catch (const InputError& e) {
    fail(formula.pointer, e.what());
  }
}

std::vector<std::byte> Manifest::element(const Number& number, Element type,
                                         const Sizes& sizes_in_use) const {
  std::vector<std::byte> out(element_bytes(type));
  if (const auto* real = std::get_if<double>(&number)) {
    store_float(type, *real, out.data());
    return out;
  }
  const Formula& formula = std::get<Formula>(number);
  const std::int64_t v = value(formula, sizes_in_use);
  if (!is_float(type) && !fits(type, v)) {
    fail(formula.pointer, std::to_string(v) + " does not fit the type " + element_name(type));
  }
  store_integer(type, v, out.data());
  return out;
}

const Sizes& Manifest::sizes_of(Scale scale) const {
  const auto it = sizes.find(scale);
  if (it != sizes.end()) return it->second;
  fail("/sizes", std::string("there are no sizes for the scale ") + scale_name(scale));
}

const char* scale_name(Scale scale) {
  switch (scale) {
    case Scale::kSmall:
      return "small";
    case Scale::kMedium:
      return "medium";
    case Scale::kPaper:
      return "paper";
  }
  return "";
}

Manifest load_manifest(const std::string& path, const std::vector<std::string>& ptx,
                       const Sizes& sizes) {
  return read_manifest(load_located_json(path), ptx, sizes);
}

Manifest parse_manifest(std::string_view text, const std::string& path) {
  return read_manifest(parse_located_json(text, path), {}, {});
}

}  // namespace tessera::kernels
