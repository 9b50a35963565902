// SPDX-License-Identifier: Apache-2.0
#include "platforms/block_factory.h"

#include <map>
#include <utility>

#include "common/error.h"
#include "common/suggest.h"
#include "modules/llc/llc_slice.h"
#include "modules/memory/dram_channel.h"
#include "modules/noc/crossbar.h"
#include "modules/noc/ring.h"
#include "modules/sm/l1_cache.h"

namespace tessera {

namespace {

template <class Module>
BlockHandle handle(std::unique_ptr<Module> module) {
  BlockHandle h;
  h.block = module.get();
  h.module = std::move(module);
  return h;
}

template <class Vector, class Port>
void list(Vector& sockets, std::vector<Port*>& out) {
  for (auto& s : sockets) out.push_back(&s);
}

BlockHandle make_l1(const BlockSite& s) {
  auto module = make_l1_cache(s.name.c_str(), s.config->l1, *s.map, s.l1);
  L1Cache& m = *module;
  BlockHandle h = handle(std::move(module));
  h.flush = &m;
  h.bytes = &m;
  h.in = {&m.core};
  h.out = {&m.memory};
  return h;
}

BlockHandle make_noc(const BlockSite& s) {
  auto module =
      std::make_unique<Crossbar>(s.name.c_str(), s.config->noc, s.inputs, s.outputs, s.routing);
  Crossbar& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.in, h.in);
  list(m.out, h.out);
  return h;
}

BlockHandle make_ring(const BlockSite& s) {
  auto module = std::make_unique<Ring>(s.name.c_str(), s.config->ring.ring, s.inputs, s.routing);
  Ring& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.in, h.in);
  list(m.out, h.out);
  return h;
}

BlockHandle make_llc(const BlockSite& s) {
  std::unique_ptr<LlcSlice> module =
      make_llc_slice(s.name.c_str(), s.config->llc, *s.map, *s.pool, s.slice);
  LlcSlice& m = *module;
  BlockHandle h = handle(std::move(module));
  h.slice_flush = &m;
  h.page_drop = &m;
  h.bytes = &m;
  list(m.in, h.in);
  h.out = {&m.memory};
  if (s.outputs == 2) h.out.push_back(&m.remote);
  return h;
}

BlockHandle make_dram(const BlockSite& s) {
  auto module = std::make_unique<DramChannel>(s.name.c_str(), s.config->dram, *s.map,
                                              ChannelId(s.index), s.inputs);
  DramChannel& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.in, h.in);
  return h;
}

using Kinds = std::map<std::string, std::map<std::string, BlockFactory>>;

Kinds& kinds() {
  static Kinds all = {{"l1", {{"tlm", make_l1}}},
                      {"noc", {{"tlm", make_noc}}},
                      {"ring", {{"tlm", make_ring}}},
                      {"llc", {{"tlm", make_llc}}},
                      {"dram", {{"tlm", make_dram}}}};
  return all;
}

std::map<std::string, BlockFactory>& of_kind(const std::string& kind) {
  const auto it = kinds().find(kind);
  if (it == kinds().end()) {
    std::vector<std::string> names;
    for (const auto& k : kinds()) names.push_back(k.first);
    throw InputError("unknown kind of block '" + kind + "'" + did_you_mean(kind, names));
  }
  return it->second;
}

}  // namespace

void register_block(const std::string& kind, const std::string& name, BlockFactory factory) {
  if (!of_kind(kind).emplace(name, std::move(factory)).second) {
    throw InputError("an implementation of '" + kind + "' named '" + name + "' exists already");
  }
}

std::vector<std::string> block_implementations(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& f : of_kind(kind)) names.push_back(f.first);
  return names;
}

BlockHandle make_block(const std::string& kind, const std::string& name, const BlockSite& site) {
  const auto& factories = of_kind(kind);
  const auto it = factories.find(name);
  if (it == factories.end()) {
    throw InputError("no implementation of '" + kind + "' is named '" + name + "'" +
                     did_you_mean(name, block_implementations(kind)));
  }
  BlockHandle made = it->second(site);
  if (made.in.size() != site.inputs || made.out.size() != site.outputs) {
    const auto sockets = [](std::size_t in, std::size_t out) {
      return std::to_string(in) + " target and " + std::to_string(out) + " initiator sockets";
    };
    throw InputError(site.name + ": implementation '" + name + "' of '" + kind + "' has " +
                     sockets(made.in.size(), made.out.size()) + ", this platform needs " +
                     sockets(site.inputs, site.outputs));
  }
  return made;
}

}  // namespace tessera
