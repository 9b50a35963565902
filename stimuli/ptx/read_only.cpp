// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/read_only.h"

#include <algorithm>
#include <initializer_list>

#include "common/error.h"
#include "common/text.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

/// The first instruction that proves a use.
struct Evidence {
  bool found = false;
  unsigned line = 0;
  std::string why;

  void note(const Instruction& i, const std::string& what) {
    if (found) return;
    *this = Evidence{true, i.line, what + " '" + i.text + "'"};
  }
};

struct Facts {
  Evidence loaded;
  Evidence stored;
  Evidence updated;
  Evidence escaped;
};

/// Whether the instruction uses its address without an access (prefetch, queries), reads through
/// the texture units, or accesses shared memory only.
bool touches_nothing(const std::string& opcode) {
  return is_one_of(opcode, {"prefetch", "prefetchu", "applypriority", "createpolicy", "ldmatrix",
                            "stmatrix", "tex", "tld4", "txq", "suld", "suq"});
}

/// False for loads that must observe concurrent writes of other threads (volatile and others).
bool is_ordinary_load(const Instruction& i) {
  return std::none_of(i.modifiers.begin(), i.modifiers.end(), [](const std::string& m) {
    return is_one_of(m, {"volatile", "relaxed", "acquire", "mmio", "cv"});
  });
}

class ReadOnlyPass {
 public:
  ReadOnlyPass(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        flow_(module, function),
        facts_(flow_.origins().size()) {}

  ReadOnlyReport run() {
    for (const Variable& v : module_.variables) initialiser(v);
    for (std::size_t n = 0; n < function_.body.size(); ++n) visit(n);
    classify();
    mark();
    report_.writes_anywhere = wild_.found;
    return std::move(report_);
  }

 private:
  struct Load {
    std::size_t instruction;
    Bases bases;
    bool by_definition;
  };

  /// Addresses in the initialiser of a variable have escaped.
  void initialiser(const Variable& v) {
    const auto escapes = [&](const std::string& name) {
      const std::int64_t origin = flow_.variable_origin(name);
      if (origin < 0) return;
      Evidence& e = facts_[static_cast<std::size_t>(origin)].escaped;
      if (!e.found) e = {true, v.line, "its address is in the initialiser of '" + v.name + "'"};
    };
    for (const auto& symbol : v.initial_symbols) escapes(symbol.second);
    for (const PartialSymbol& p : v.partial_symbols) escapes(p.name);
  }

  void visit(std::size_t n) {
    const Instruction& i = function_.body[n];
    const std::string& op = i.opcode;
    for (const Operand& o : i.operands) names_parameter(i, o);
    if (op == "call") return call(i);
    if (is_one_of(op, {kSaveOpcode, kRestoreOpcode, kCallOpcode})) return;
    const bool loads_matrix = op == "wmma" && has_modifier(i, "load");
    if (op == "ld" || op == "ldu" || loads_matrix) return load(n);
    if (op == "st" || (op == "wmma" && has_modifier(i, "store"))) return store(i);
    if (op == "atom" || op == "red") return atomic(i);
    if (op == "cp") return copy(n);
    if (op == "mbarrier") return;  // in shared memory
    if (touches_nothing(op)) return;
    for (const Operand& o : i.operands) {
      if (o.kind != Operand::Kind::kAddress) continue;
      if (is_surface_reference(o.name)) {
        report_.written_surfaces.push_back(o.name);
      } else {
        access_unknown(i, o);
      }
    }
  }

  bool is_surface_reference(const std::string& name) const {
    return std::any_of(module_.variables.begin(), module_.variables.end(), [&](const Variable& v) {
      return v.type == Type::kSurfref && v.name == name;
    });
  }

  /// "mov.b64 %rd1, parameter": accesses by this address of the parameter are not tracked.
  void names_parameter(const Instruction& i, const Operand& o) {
    if (o.kind == Operand::Kind::kAddress && (i.opcode == "ld" || i.opcode == "st")) return;
    for (const std::uint32_t origin : flow_.parameter_origins(o.name)) {
      facts_[origin].escaped.note(i, "the address of the parameter itself is taken by");
    }
    for (const Operand& e : o.elements) names_parameter(i, e);
  }

  void escape(const Instruction& i, const Operand& value, const char* how) {
    for (const std::uint32_t origin : flow_.held(value)) facts_[origin].escaped.note(i, how);
  }

  void call(const Instruction& i) {
    for (const Operand& o : i.operands) escape(i, o, "passed to a call that cannot be followed,");
    for (std::size_t o = 0; o < facts_.size(); ++o) {
      if (!flow_.origins()[o].is_variable) continue;
      facts_[o].escaped.note(i, "a call that cannot be followed may use it:");
    }
    wild_.note(i, "a call that cannot be followed may write it:");
  }

  void load(std::size_t n) {
    const Instruction& i = function_.body[n];
    if (i.operands.size() < 2 || is_elsewhere(i)) return;
    load_from(n, i.operands[1]);
  }

  void load_from(std::size_t n, const Operand& from) {
    const Instruction& i = function_.body[n];
    if (!flow_.parameter_origins(from.name).empty()) return;
    Load l{n, flow_.bases(from), has_modifier(i, "nc") || i.opcode == "ldu"};
    // Only variables of other spaces are possible targets.
    if (l.bases.origins.empty() && !l.bases.anywhere && l.bases.other) return;
    for (const std::uint32_t o : l.bases.origins) {
      facts_[o].loaded.note(i, "loaded only, first by");
    }
    loads_.push_back(std::move(l));
  }

  void store(const Instruction& i) {
    if (i.operands.size() < 2) return access_unknown(i);
    if (!flow_.is_call_variable(i.operands[0].name)) {
      escape(i, i.operands[1], "it is copied to memory by");
    }
    if (!is_elsewhere(i)) write(i, i.operands[0], &Facts::stored, "stored to by");
  }

  /// cp.async: copies to or from shared memory. The first modifier that names a space is that of
  /// the destination.
  void copy(std::size_t n) {
    const Instruction& i = function_.body[n];
    if (i.operands.size() < 3 || has_modifier(i, "mbarrier") || !has_modifier(i, "global")) return;
    const auto space = std::find_if(i.modifiers.begin(), i.modifiers.end(), [](const auto& m) {
      return m == "global" || begins_with(m, "shared");
    });
    if (*space == "global") return write(i, i.operands[0], &Facts::stored, "stored to by");
    load_from(n, i.operands[1]);
  }

  void atomic(const Instruction& i) {
    bool past_address = false;
    for (const Operand& o : i.operands) {
      if (o.kind == Operand::Kind::kAddress) {
        if (!is_elsewhere(i)) write(i, o, &Facts::updated, "updated by");
        past_address = true;
      } else if (past_address) {
        escape(i, o, "it is copied to memory by");
      }
    }
  }

  void write(const Instruction& i, const Operand& to, Evidence Facts::*fact, const char* how) {
    const Bases b = flow_.bases(to);
    for (const std::uint32_t o : b.origins) (facts_[o].*fact).note(i, how);
    if (b.anywhere) wild_.note(i, "it may be written through an address of unknown origin by");
  }

  void access_unknown(const Instruction& i) {
    for (const Operand& o : i.operands) {
      if (o.kind == Operand::Kind::kAddress) access_unknown(i, o);
    }
  }

  void access_unknown(const Instruction& i, const Operand& at) {
    write(i, at, &Facts::escaped,
          "it may be written by an instruction that the pass does not know,");
  }

  void classify() {
    for (std::size_t o = 0; o < facts_.size(); ++o) {
      const Facts& f = facts_[o];
      PointerReport r;
      r.origin = flow_.origins()[o];
      const auto decide = [&](PointerUse use, const Evidence& e) {
        r.use = use;
        r.line = e.line;
        r.why = e.why;
      };
      if (f.stored.found) {
        decide(PointerUse::kWritten, f.stored);
      } else if (f.updated.found) {
        decide(PointerUse::kAtomic, f.updated);
      } else if (f.escaped.found) {
        decide(PointerUse::kUnknown, f.escaped);
      } else if (f.loaded.found && wild_.found) {
        decide(PointerUse::kUnknown, wild_);
      } else if (f.loaded.found) {
        decide(PointerUse::kReadOnly, f.loaded);
      } else {
        r.why = "no access has it in its address";
      }
      report_.pointers.push_back(std::move(r));
    }
  }

  void mark() {
    for (Load& l : loads_) {
      const Instruction& i = function_.body[l.instruction];
      const std::vector<std::uint32_t>& origins = l.bases.origins;
      const bool known = !l.bases.anywhere && !l.bases.other && !origins.empty();
      const bool found = known && !l.by_definition && is_ordinary_load(i) &&
                         std::all_of(origins.begin(), origins.end(), [&](std::uint32_t o) {
                           return report_.pointers[o].use == PointerUse::kReadOnly;
                         });
      const unsigned marked = found || l.by_definition ? 1 : 0;
      ++report_.global_loads;
      report_.marked_loads += marked;
      for (const std::uint32_t o : origins) {
        ++report_.pointers[o].loads;
        report_.pointers[o].marked_loads += marked;
      }
      if (found) report_.loads.push_back(ReadOnlyLoad{l.instruction, std::move(l.bases.origins)});
    }
  }

  const Module& module_;
  const Function& function_;
  PointsTo flow_;
  std::vector<Facts> facts_;  ///< per origin
  Evidence wild_;             ///< a write that can access any address
  std::vector<Load> loads_;
  ReadOnlyReport report_;
};

}  // namespace

const char* pointer_use_name(PointerUse use) {
  switch (use) {
    case PointerUse::kUnused:
      return "unused";
    case PointerUse::kReadOnly:
      return "read-only";
    case PointerUse::kWritten:
      return "written";
    case PointerUse::kAtomic:
      return "atomic";
    case PointerUse::kUnknown:
      return "unknown";
  }
  return "?";
}

ReadOnlyReport find_read_only(const Module& module, const FlatKernel& kernel) {
  return ReadOnlyPass(module, kernel.function).run();
}

ReadOnlyReport find_read_only(const Module& module, const std::string& entry) {
  const Function& function = entry_function(module, entry);
  FlatKernel flat;
  try {
    flat = expand_calls(module, function);
  } catch (const InputError&) {
    // Calls of unknown functions remain; the pass treats all calls as writes to any address.
    flat.function = function;
  }
  return find_read_only(module, flat);
}

}  // namespace tessera::ptx
