// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/tree.h"

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "platforms/topology/shape.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// Reads one level of a document.
class LevelReader {
 public:
  LevelReader(const LocatedJson& document, std::size_t number)
      : document_(document),
        pointer_(json_pointer("/tree", number)),
        value_(document.value->at("tree").at(number)) {
    if (!value_.is_object()) fail("", "a level of the tree must be an object");
  }

  TreeLevel read() {
    const std::string name = text("level", {"gpu", "module", "partition"});
    TreeLevel l;
    if (name == "partition") {
      l.shape = text("shape", node_shape_names());
    } else {
      l.level = name == "gpu" ? NodeLevel::kGpu : NodeLevel::kModule;
      l.count =
          count(l.level == NodeLevel::kGpu ? SystemConfig::kMostGpus : SystemConfig::kMostModules);
      l.network = text("network", shape_at(l.level).networks);
      if (l.level == NodeLevel::kGpu) l.gateway = text("gateway", {"rdma"});
    }
    for (const auto& [key, value] : value_.items()) {
      if (known_.count(key) != 0) continue;
      fail("/" + key, "a level '" + name + "' has no key '" + key + "'" +
                          did_you_mean(key, {known_.begin(), known_.end()}));
    }
    return l;
  }

 private:
  [[noreturn]] void fail(const std::string& at, const std::string& what) const {
    throw InputError(document_.where(pointer_ + at) + ": " + what);
  }
  const nlohmann::json& required(const std::string& key) {
    known_.insert(key);
    if (!value_.contains(key)) fail("", "a level of the tree needs the key '" + key + "'");
    return value_.at(key);
  }
  std::string text(const std::string& key, const std::vector<std::string>& choices) {
    const nlohmann::json& v = required(key);
    std::string list;
    for (const std::string& c : choices) list += (list.empty() ? "" : ", ") + c;
    if (!v.is_string()) fail("/" + key, key + " must be one of: " + list);
    auto name = v.get<std::string>();
    if (std::find(choices.begin(), choices.end(), name) == choices.end()) {
      fail("/" + key,
           key + " '" + name + "' must be one of: " + list + did_you_mean(name, choices));
    }
    return name;
  }
  std::uint32_t count(std::uint32_t most) {
    const nlohmann::json& v = required("count");
    if (!v.is_number_unsigned() || v.get<std::uint64_t>() < 2 || v.get<std::uint64_t>() > most) {
      fail("/count", "count must be a number from 2 to " + std::to_string(most));
    }
    return v.get<std::uint32_t>();
  }

  const LocatedJson& document_;
  const std::string pointer_;
  const nlohmann::json& value_;
  std::set<std::string> known_;
};

}  // namespace

Tree tree_from(const LocatedJson& document) {
  const nlohmann::json& levels = document.value->at("tree");
  const auto fail = [&document](const char* what) {
    throw InputError(document.where("/tree") + ": " + what);
  };
  if (!levels.is_array() || levels.empty()) fail("tree must be a list of levels, outermost first");
  Tree tree;
  for (std::size_t i = 0; i < levels.size(); ++i) tree.push_back(LevelReader(document, i).read());
  for (std::size_t i = 1; i < tree.size(); ++i) {
    if (tree[i - 1].level < tree[i].level) continue;
    fail("levels of a tree must come in the order gpu, module, partition, each at most once");
  }
  if (tree.back().level != NodeLevel::kPartition) {
    fail("the innermost level of a tree must be a partition, with the shape of its nodes");
  }
  return tree;
}

ordered_json to_json(const Tree& tree) {
  ordered_json levels = ordered_json::array();
  for (const TreeLevel& l : tree) {
    ordered_json level = {{"level", name_of(l.level)}};
    if (l.level == NodeLevel::kPartition) {
      level["shape"] = l.shape;
    } else {
      level["count"] = l.count;
      level["network"] = l.network;
    }
    if (!l.gateway.empty()) level["gateway"] = l.gateway;
    levels.push_back(std::move(level));
  }
  return levels;
}

const TreeLevel* find_level(const Tree& tree, NodeLevel level) {
  const auto found = std::find_if(tree.begin(), tree.end(),
                                  [level](const TreeLevel& l) { return l.level == level; });
  return found == tree.end() ? nullptr : &*found;
}

Tree tree_of(const SystemConfig& system) {
  if (!system.tree.empty()) return system.tree;
  Tree tree;
  const Shape& named = shape_of(system.topology);
  const auto join = [&tree](NodeLevel level, std::uint32_t count, const char* gateway) {
    tree.push_back({level, count, shape_at(level).networks.front(), gateway, ""});
  };
  if (named.level == NodeLevel::kGpu) join(NodeLevel::kGpu, system.gpus, "rdma");
  if (system.modules > 1) join(NodeLevel::kModule, system.modules, "");
  TreeLevel innermost;
  innermost.shape = named.level == NodeLevel::kPartition ? named.name : default_topology();
  tree.push_back(innermost);
  return tree;
}

void apply_tree(const Tree& tree, SystemConfig& system) {
  const auto count = [&tree](NodeLevel level) {
    const TreeLevel* l = find_level(tree, level);
    return l == nullptr ? 1 : l->count;
  };
  system.tree = tree;
  system.topology = tree.back().shape;
  system.gpus = count(NodeLevel::kGpu);
  system.modules = count(NodeLevel::kModule);
}

}  // namespace tessera
