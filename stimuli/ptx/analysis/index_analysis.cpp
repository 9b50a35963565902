// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/index_analysis.h"

#include <algorithm>
#include <initializer_list>

#include "common/error.h"
#include "stimuli/ptx/analysis/values.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

/// Bytes that a thread accesses.
std::uint32_t access_bytes(const Instruction& in) {
  const Type type = in.modifiers.empty() ? Type::kNone : type_from_name(in.modifiers.back());
  std::uint32_t count = 1;
  for (const Operand& o : in.operands) {
    if (o.kind != Operand::Kind::kVector) continue;
    count = std::max(count, static_cast<std::uint32_t>(o.elements.size()));
  }
  return type_bytes(type) * count;
}

/// The address in global memory: of a copy to shared memory (cp.async) the second one.
const Operand* address_operand(const Instruction& in) {
  const Operand* address = nullptr;
  for (const Operand& o : in.operands) {
    if (o.kind != Operand::Kind::kAddress) continue;
    address = &o;
    if (in.opcode != "cp") break;
  }
  return address;
}

bool reads(const Function& function, const std::string& name, int component) {
  return std::any_of(function.body.begin(), function.body.end(), [&](const Instruction& in) {
    return std::any_of(in.operands.begin(), in.operands.end(), [&](const Operand& o) {
      constexpr const char* kComponents[] = {".x", ".y", ".z"};
      return (o.name == name && o.component == component) ||
             o.name == name + kComponents[component];
    });
  });
}

class Tracer {
 public:
  /// `obstacle`: why no access can be followed; empty if they can.
  Tracer(const Module& module, const Function& function, const std::string& obstacle,
         IndexAnalysis& result)
      : function_(function),
        points_to_(module, function),
        nest_(function),
        obstacle_(obstacle.empty() ? nest_.obstacle() : obstacle),
        values_(module, function, nest_, result.symbols),
        result_(result) {}

  void run() {
    for (const Loop& l : nest_.loops()) {
      result_.loops.push_back(LoopInfo{l.line, l.parent});
    }
    for (std::uint32_t b = 0; b < nest_.blocks().size(); ++b) {
      result_.loops_of_block.push_back(nest_.loops_of(b));
    }
    for (std::size_t i = 0; i < function_.body.size(); ++i) visit(i);
  }

 private:
  void visit(std::size_t i) {
    const Instruction& in = function_.body[i];
    const Operand* at = address_operand(in);
    if (at == nullptr || (in.opcode != "cp" && is_elsewhere(in))) return;
    // Functions out of line are reached by calls, which the loop nest does not follow.
    if (obstacle_.empty() && !nest_.is_reachable(nest_.block_of(i))) return;
    if (is_one_of(in.opcode, {"prefetch", "prefetchu", "tex", "tld4", "txq", "suld", "sust",
                              "sured", "suq", "call"})) {
      return;
    }
    if (!points_to_.parameter_origins(at->name).empty() || points_to_.is_call_variable(at->name)) {
      return;
    }
    const Bases bases = points_to_.bases(*at);
    if (bases.origins.empty() && !bases.anywhere) return;  // shared or local memory
    GlobalAccess a;
    a.instruction = i;
    a.line = in.line;
    a.text = in.text;
    a.bytes = access_bytes(in);
    a.loops = nest_.loops_of(nest_.block_of(i));
    if (in.opcode == "st") {
      a.kind = AccessKind::kStore;
    } else if (is_one_of(in.opcode, {"atom", "red"})) {
      a.kind = AccessKind::kAtomic;
    } else if (!is_one_of(in.opcode, {"ld", "ldu"})) {
      a.problem = "the analysis does not follow '" + in.opcode + "' instructions";
    }
    if (a.problem.empty() && a.bytes == 0)
      a.problem = "the analysis does not know the size of '" + in.text + "'";
    if (a.problem.empty()) {
      if (!obstacle_.empty()) {
        a.problem = obstacle_;
      } else {
        find_base(a, *at, bases);
      }
    } else if (bases.origins.size() == 1 && !bases.anywhere) {
      a.origin = points_to_.origins()[bases.origins[0]];
    }
    if (!obstacle_.empty() && bases.origins.size() == 1 && !bases.anywhere) {
      a.origin = points_to_.origins()[bases.origins[0]];
    }
    result_.accesses.push_back(std::move(a));
  }

  SymbolId pointer_symbol(const PointerOrigin& o) {
    if (o.is_variable) return result_.symbols.variable(o.name);
    return result_.symbols.parameter(o.parameter, o.name, o.offset, 8);
  }

  void find_base(GlobalAccess& a, const Operand& at, const Bases& bases) {
    const Polynomial address = values_.operand_value(a.instruction, at);
    std::vector<std::uint32_t> named;
    for (const std::uint32_t o : bases.origins) {
      if (address.coefficient({pointer_symbol(points_to_.origins()[o])}) == 1) named.push_back(o);
    }
    if (named.size() == 1) {
      const SymbolId pointer = pointer_symbol(points_to_.origins()[named[0]]);
      const Polynomial offset = address - Polynomial::symbol(pointer);
      const bool has_pointer =
          result_.symbols.any(offset, [&](SymbolId id, const Symbol&) { return id == pointer; });
      const bool has_opaque = result_.symbols.any(
          offset, [](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kOpaque; });
      // With other possible targets, an unknown part of the offset can be another pointer.
      const bool is_only = bases.origins.size() == 1 && !bases.anywhere && !bases.other;
      if (!has_pointer && (is_only || !has_opaque)) {
        a.origin = points_to_.origins()[named[0]];
        a.offset = offset;
        return;
      }
    }
    if (const std::optional<PointerOrigin> pointer = only_pointer(address)) {
      a.origin = pointer;
      a.offset = address - Polynomial::symbol(pointer_symbol(*pointer));
      return;
    }
    a.problem = base_problem(address, bases);
    if (bases.origins.size() == 1 && !bases.anywhere && !bases.other) {
      a.origin = points_to_.origins()[bases.origins[0]];
    }
  }

  /// The pointer of an address without unknown parts, in which one pointer occurs. The points-to
  /// analysis does not follow a parameter whose address is taken.
  std::optional<PointerOrigin> only_pointer(const Polynomial& address) const {
    const bool has_opaque = result_.symbols.any(
        address, [](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kOpaque; });
    if (has_opaque) return std::nullopt;
    unsigned wide = 0;
    std::optional<PointerOrigin> pointer;
    result_.symbols.any(address, [&](SymbolId id, const Symbol& s) {
      const bool is_variable = s.kind == SymbolKind::kVariable;
      if (!is_variable && (s.kind != SymbolKind::kParameter || s.bytes != 8)) return false;
      ++wide;
      if (address.coefficient({id}) == 1) {
        pointer = PointerOrigin{is_variable, s.name, s.parameter, s.offset};
      }
      return false;
    });
    return wide == 1 ? pointer : std::nullopt;
  }

  std::string base_problem(const Polynomial& address, const Bases& bases) const {
    for (const SymbolId id : address.symbols()) {
      const Symbol& s = result_.symbols[id];
      if (s.kind != SymbolKind::kOpaque) continue;
      return "its address depends on " + s.why + " at line " + std::to_string(s.line);
    }
    if (bases.anywhere || bases.origins.empty()) return "its address is no kernel pointer";
    return "its address can be in several arrays";
  }

  const Function& function_;
  PointsTo points_to_;
  LoopNest nest_;
  std::string obstacle_;  ///< why no access can be followed
  ValueAnalysis values_;
  IndexAnalysis& result_;
};

}  // namespace

bool IndexAnalysis::varies_in(const Polynomial& p, unsigned loop) const {
  const auto is_in = [&](unsigned inner) {
    for (std::optional<unsigned> l = inner; l; l = loops[*l].parent) {
      if (*l == loop) return true;
    }
    return false;
  };
  return symbols.any(p, [&](SymbolId, const Symbol& s) {
    switch (s.kind) {
      case SymbolKind::kIteration:
        return s.loop == loop;
      case SymbolKind::kTrips:
        return is_in(s.loop);
      case SymbolKind::kOpaque:
      case SymbolKind::kPending: {
        const std::vector<unsigned>& around = loops_of_block[s.block];
        return std::find(around.begin(), around.end(), loop) != around.end();
      }
      default:
        return false;
    }
  });
}

IndexAnalysis analyse_indices(const Module& module, const std::string& entry) {
  const Function& function = entry_function(module, entry);
  IndexAnalysis result;
  result.kernel = entry;
  FlatKernel kernel;
  std::string obstacle;
  try {
    kernel = expand_calls(module, function);
    obstacle = kernel.first_call;
  } catch (const InputError& e) {
    // Calls of unknown functions remain.
    kernel.function = function;
    obstacle = e.what();
  }
  const Function& flat = kernel.function;
  if (!obstacle.empty()) {
    obstacle = "a call that is not expanded can access any array (" + obstacle + ")";
  }
  result.reads_ctaid_y = reads(flat, "%ctaid", 1);
  result.reads_ctaid_z = reads(flat, "%ctaid", 2);
  Tracer(module, flat, obstacle, result).run();
  return result;
}

}  // namespace tessera::ptx
