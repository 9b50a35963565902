// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of a manifest.

#include "common/json.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {

void ManifestReader::texture(const Node& n, bool is_surface) {
  std::vector<std::string> keys = {"name",  "array",  "width",    "height",
                                   "depth", "layers", "channels", "reference"};
  if (!is_surface) {
    keys.insert(keys.end(), {"filter", "addressing", "normalized_coordinates", "normalized_read",
                             "border", "linear_memory"});
  }
  n.object(keys);
  TextureSpec t;
  t.pointer = n.pointer();
  t.name = fresh_name(n);
  t.is_surface = is_surface;
  const Node array = n.required("array");
  t.array = array_name(array);
  if (element_bytes(array_of(array).type) > 4) {
    array.fail("texels have channels of 1, 2 or 4 bytes; \"" + t.array + "\" is an array of " +
               element_name(array_of(array).type));
  }
  t.width = formula(n.required("width"));
  if (const auto v = n.member("height")) t.height = formula(*v);
  if (const auto v = n.member("depth")) t.depth = formula(*v);
  if (const auto v = n.member("layers")) t.layers = formula(*v);
  if (t.depth && !t.height) n.fail("\"depth\" without \"height\"");
  if (t.depth && t.layers) n.fail("\"depth\" and \"layers\" together: layers have two dimensions");
  if (const auto v = n.member("channels")) {
    const std::int64_t channels = v->integer();
    if (channels != 1 && channels != 2 && channels != 4) v->expected("1, 2 or 4 channels");
    t.channels = static_cast<unsigned>(channels);
  }
  if (const auto v = n.member("reference")) t.reference = v->string();
  if (const auto v = n.member("filter")) {
    if (v->one_of({"point", "linear"}) == "linear") t.filter = TextureFilter::kLinear;
  }
  if (const auto v = n.member("addressing")) {
    if (v->value().is_array()) {
      const auto list = v->elements();
      const std::size_t dimensions = t.depth ? 3 : t.height ? 2 : 1;
      if (list.size() != dimensions) {
        v->expected("one mode or one for each of the " + std::to_string(dimensions) +
                    " dimensions");
      }
      for (std::size_t i = 0; i < list.size(); ++i) t.addressing[i] = addressing(list[i]);
    } else {
      t.addressing.fill(addressing(*v));
    }
  }
  const auto flag = [&n](const char* key, bool* to) {
    if (const auto v = n.member(key)) *to = v->boolean();
  };
  flag("normalized_coordinates", &t.normalized_coordinates);
  flag("normalized_read", &t.normalized_read);
  flag("linear_memory", &t.linear_memory);
  if (const auto v = n.member("border")) {
    const auto list = v->elements();
    if (list.size() != t.channels) v->expected("as many numbers as channels");
    for (std::size_t i = 0; i < list.size(); ++i) {
      t.border[i] = static_cast<float>(list[i].number());
    }
  }
  check_sampling(n, t);
  m_.textures.push_back(std::move(t));
}

TextureAddressing ManifestReader::addressing(const Node& n) {
  const std::string mode = n.one_of({"wrap", "clamp", "mirror", "border"});
  if (mode == "wrap") return TextureAddressing::kWrap;
  if (mode == "mirror") return TextureAddressing::kMirror;
  if (mode == "border") return TextureAddressing::kBorder;
  return TextureAddressing::kClamp;
}

/// Rejects the combinations that cudaCreateTextureObject rejects.
void ManifestReader::check_sampling(const Node& n, const TextureSpec& t) const {
  const Element type = m_.array(t.array)->type;
  if (t.normalized_read && (is_float(type) || element_bytes(type) == 4)) {
    n.required("normalized_read").fail("only integers of 1 or 2 bytes are read as fractions");
  }
  if (t.filter == TextureFilter::kLinear && !is_float(type) && !t.normalized_read) {
    n.required("filter").fail("\"linear\" needs f32 elements or \"normalized_read\"");
  }
  for (const TextureAddressing a : t.addressing) {
    const bool repeats = a == TextureAddressing::kWrap || a == TextureAddressing::kMirror;
    if (repeats && !t.normalized_coordinates) {
      n.required("addressing")
          .fail("\"wrap\" and \"mirror\" need \"normalized_coordinates\": true");
    }
  }
  if (t.linear_memory &&
      (t.height || t.layers || t.filter == TextureFilter::kLinear || t.normalized_coordinates)) {
    n.required("linear_memory")
        .fail("linear memory has one dimension, point filter and integer coordinates");
  }
}

}  // namespace tessera::kernels
