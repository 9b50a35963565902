// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of a warp; the arithmetic is in texture_sampling.h.

#include <algorithm>
#include <array>

#include "common/error.h"
#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

void put32(const Frame& f, Slot s, unsigned lane, u32 v) {
  __builtin_memcpy(f.at(s) + 4 * lane, &v, sizeof v);
}

/// Inactive lanes get the address of an active lane, so that checks need no mask.
AddressSummary summarise(MemoryOp& op) {
  AddressSummary summary;
  const u64 first = op.address[first_lane(op.active)];
  summary.lowest = summary.highest = summary.bits = first;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    u64& a = op.address[i];
    if ((op.active >> i & 1u) == 0) a = first;
    summary.lowest = std::min(summary.lowest, a);
    summary.highest = std::max(summary.highest, a);
    summary.bits |= a;
  }
  return summary;
}

std::string text_of(const std::array<std::int32_t, 3>& at, const TextureForm& form, u32 layer) {
  std::string text = "(" + std::to_string(at[0]);
  for (unsigned a = 1; a < form.dimensions; ++a) text += ", " + std::to_string(at[a]);
  return text + ")" + (form.layered ? " of layer " + std::to_string(layer) : "");
}

}  // namespace

void Warp::fail_handle(const TextureForm& form, unsigned lane) const {
  const u64 handle = cell<u64>(frame_, form.handle, lane);
  const TextureTable* textures = launch_.memory().textures;
  if (form.is_reference && handle == 0) {
    fail(lane,
         "no texture or surface is bound to this reference; define one in the manifest's "
         "\"textures\" and bind it to the reference's name (TextureTable::bind)");
  }
  std::string known = "none is defined";
  if (textures != nullptr && !textures->all().empty()) {
    known = "handles " + hex(TextureTable::kFirstHandle) + " to " +
            hex(TextureTable::kFirstHandle + textures->all().size() - 1) + " are defined";
  }
  fail(lane, "no texture or surface has the handle " + hex(handle) + "; " + known +
                 "; define one in the manifest's \"textures\" (TextureTable::add) and pass its "
                 "handle as the kernel's argument");
}

const TextureDescriptor& Warp::texture(const TextureForm& form, unsigned lane) const {
  const TextureTable* textures = launch_.memory().textures;
  const TextureDescriptor* t =
      textures == nullptr ? nullptr : textures->find(cell<u64>(frame_, form.handle, lane));
  if (t == nullptr) fail_handle(form, lane);
  return *t;
}

/// Computes the texels of every lane. Lanes can have different textures with the same texel size.
void Warp::begin_fetch(const TextureForm& form, u32 mask, TextureFetch& fetch) {
  fetch.mask = mask;
  fetch.corners = 0;
  fetch.texel_bytes = 0;
  fetch.read_only = true;
  const TextureDescriptor* last = nullptr;
  for_lanes(mask, [&](unsigned i) {
    const TextureDescriptor& t = texture(form, i);
    if (&t != last) {
      if (const std::string why = why_not_sampled(form, t); !why.empty()) fail(i, why);
      if (last != nullptr && fetch.texel_bytes != t.texel_bytes()) {
        fail(i, "the lanes of one fetch have textures with texels of different sizes: '" +
                    last->name + "' and '" + t.name + "'");
      }
      last = &t;
      fetch.texel_bytes = t.texel_bytes();
      fetch.read_only =
          fetch.read_only && launch_.is_read_only_texture(cell<u64>(frame_, form.handle, i));
    }
    if (form.has_level) {
      const bool is_zero = form.integer_level ? cell<u32>(frame_, form.level, i) == 0
                                              : cell<float>(frame_, form.level, i) == 0;
      if (!is_zero) fail(i, "mipmaps are not modelled; supported: level 0");
    }
    TextureCoordinates at;
    at.integers = form.integer_coordinates;
    for (unsigned a = 0; a < form.dimensions; ++a) {
      if (at.integers) {
        at.index[a] = cell<std::int32_t>(frame_, form.coordinate[a], i);
      } else {
        at.position[a] = cell<float>(frame_, form.coordinate[a], i);
      }
    }
    if (form.layered) at.layer = cell<u32>(frame_, form.layer, i);
    fetch.lane[i] = footprint(t, at, form.gathers);
    fetch.corners = std::max(fetch.corners, fetch.lane[i].corners);
  });
}

/// Loads the texel of one corner for every lane that has this corner, and advances the pc past
/// corners that no lane has.
void Warp::load_texel(const Decoded& d, u32 mask, IssueResult& result) {
  const TextureForm& form = launch_.kernel().textures[d.aux];
  const auto corner = static_cast<unsigned>(d.displacement);
  if (corner == 0) {
    if (fetches_.empty()) fetches_.resize(launch_.kernel().texel_sets);
    begin_fetch(form, mask, fetches_[form.set]);
  }
  const TextureFetch& fetch = fetches_[form.set];
  MemoryOp& op = result.memory;
  op.active = 0;
  for_lanes(mask, [&](unsigned i) {
    const Footprint& f = fetch.lane[i];
    if (corner >= f.corners || f.address[corner] == 0) return;
    op.active |= 1u << i;
    op.address[i] = f.address[corner];
  });
  if (op.active != 0) {
    begin_access(AccessKind::kLoad, Space::kGlobal, result);
    op.read_only = fetch.read_only;
    op.lane_bytes = static_cast<std::uint8_t>(fetch.texel_bytes);
    const AddressSummary summary = summarise(op);
    check_global(op, summary);
    FlatMemory* flat = launch_.memory().flat;
    op.values_done = flat != nullptr;
    if (flat != nullptr) {
      touch(*flat, op, summary);
      for_lanes(op.active, [&](unsigned i) {
        const std::byte* from = flat->at(op.address[i]);
        const unsigned low = std::min(8u, fetch.texel_bytes);
        __builtin_memcpy(frame_.at(d.slot[0]) + 8 * i, from, low);
        __builtin_memcpy(frame_.at(d.slot[1]) + 8 * i, from + low, fetch.texel_bytes - low);
      });
    }
  }
  go_to(corner + 1 < fetch.corners ? pc_ + 1 : d.target);
}

void Warp::filter_texels(const Decoded& d, IssueResult& result) {
  const TextureForm& form = launch_.kernel().textures[d.aux];
  const TextureFetch& fetch = fetches_[form.set];
  result.active = fetch.mask;
  for_lanes(fetch.mask, [&](unsigned i) {
    const Footprint& f = fetch.lane[i];
    std::array<Texel, kMaxCorners> texels;
    for (unsigned c = 0; c < f.corners; ++c) {
      if (f.address[c] == 0) {
        texels[c] = outside_value(*f.texture);
        continue;
      }
      std::array<std::byte, kMaxLaneBytes> bytes;
      const std::byte* from = frame_.at(form.texels) + c * kTexelBuffer + 8 * i;
      __builtin_memcpy(bytes.data(), from, 8);
      __builtin_memcpy(bytes.data() + 8, from + kVector64, 8);
      texels[c] = unpack(*f.texture, bytes.data());
    }
    const Texel out = form.gathers ? gather(texels, form.channel) : filter(f, texels);
    for (unsigned k = 0; k < 4; ++k) put32(frame_, form.result[k], i, out[k]);
  });
}

void Warp::query_texture(const Decoded& d, u32 mask) {
  const TextureForm& form = launch_.kernel().textures[d.aux];
  for_lanes(mask,
            [&](unsigned i) { put32(frame_, d.slot[0], i, query(texture(form, i), form.query)); });
}

void Warp::access_surface(const Decoded& d, u32 mask, IssueResult& result) {
  const TextureForm& form = launch_.kernel().textures[d.aux];
  const MemoryForm& m = d.memory;
  MemoryOp& op =
      begin_access(form.is_store ? AccessKind::kStore : AccessKind::kLoad, Space::kGlobal, result);
  op.scope = m.scope;
  op.lane_bytes = static_cast<std::uint8_t>(m.element_bytes * m.elements);
  op.active = 0;
  for_lanes(mask, [&](unsigned i) {
    const TextureDescriptor& t = texture(form, i);
    if (const std::string why = why_not_accessed(form, t); !why.empty()) fail(i, why);
    std::array<std::int32_t, 3> at{};
    for (unsigned a = 0; a < form.dimensions; ++a) {
      at[a] = cell<std::int32_t>(frame_, form.coordinate[a], i);
    }
    const u32 layer = form.layered ? cell<u32>(frame_, form.layer, i) : 0;
    const auto place =
        surface_address(t, at, layer, op.lane_bytes, form.boundary == SurfaceBoundary::kClamp);
    if (place) {
      op.active |= 1u << i;
      op.address[i] = *place;
    } else if (form.boundary != SurfaceBoundary::kZero) {
      fail(i, std::string(form.is_store ? "store" : "load") + " of " +
                  std::to_string(op.lane_bytes) + " bytes at " + text_of(at, form, layer) +
                  " is outside the surface '" + t.name + "' (" +
                  std::to_string(t.width * t.texel_bytes()) + " bytes x " +
                  std::to_string(t.height) + " x " + std::to_string(t.depth) + ", " +
                  std::to_string(t.layers) + " layers)");
    } else if (!form.is_store) {
      for (unsigned k = 0; k < m.elements; ++k) {
        const unsigned bytes = m.wide_register ? 8 : 4;
        std::fill_n(frame_.at(d.slot[k]) + bytes * i, bytes, std::byte{0});
      }
    }
  });
  if (op.active == 0) {
    result.kind = IssueResult::Kind::kCompute;
    return;
  }
  const AddressSummary summary = summarise(op);
  access_global(d, op, summary);
}

}  // namespace tessera::ptx
