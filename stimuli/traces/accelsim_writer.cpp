// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/accelsim_writer.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/hex.h"
#include "stimuli/traces/capture_kernel.h"

namespace tessera::traces {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kExportInterval = 1U << 14;
/// SASS instructions have 16 bytes.
constexpr std::uint32_t kSassBytes = 16;

/// General registers first, because a name of the PTX is a register of 32 or 64 bits or a
/// predicate; the names beyond are those of uniform registers, then of any.
void add_exported_register(std::string& out, unsigned name) {
  constexpr unsigned kGeneral = 255;
  constexpr unsigned kUniform = 63;
  const bool uniform = name >= kGeneral && name < kGeneral + kUniform;
  out += uniform ? " UR" : " R";
  out += std::to_string(uniform ? name - kGeneral : name % kGeneral);
}

std::string width_modifier(unsigned bytes) {
  switch (bytes) {
    case 1:
      return ".U8";
    case 2:
      return ".U16";
    case 4:
      return "";
    default:
      return "." + std::to_string(8 * bytes);
  }
}

std::string global_opcode(const TraceOperation& o) {
  const std::string width = ".E" + width_modifier(o.lane_bytes);
  const bool strong = o.scope == CacheScope::kBypassL1;
  if (o.access == AccessKind::kStore) return "STG" + width;
  if (o.access == AccessKind::kAtomic) {
    return (o.write_count == 0 ? "RED.E.ADD" : "ATOMG.E.ADD") + width_modifier(o.lane_bytes);
  }
  if (o.asynchronous) return "LDGSTS" + width + (strong ? ".STRONG.GPU" : "");
  return "LDG" + width + (o.read_only ? ".CONSTANT" : "") + (strong ? ".STRONG.GPU" : "");
}

std::string memory_opcode(const TraceOperation& o) {
  const std::string width = width_modifier(o.lane_bytes);
  switch (o.space) {
    case Space::kGlobal:
      return global_opcode(o);
    case Space::kShared:
      return (o.access == AccessKind::kLoad    ? "LDS"
              : o.access == AccessKind::kStore ? "STS"
                                               : "ATOMS.ADD") +
             width;
    case Space::kLocal:
      return (o.access == AccessKind::kStore ? "STL" : "LDL") + width;
    case Space::kConst:
    case Space::kParam:
      return "LDC" + width;
  }
  return "LDC";
}

void add_decimal(std::string& out, std::int64_t value) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

/// One base and stride if the lanes' addresses have one, otherwise the list.
void add_addresses(std::string& out, const TraceInstruction& i) {
  std::uint64_t stride = 0;
  Address first = 0;
  Address before = 0;
  unsigned lanes = 0;
  bool strided = true;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1, ++lanes) {
    const Address at = i.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (lanes == 0) first = at;
    if (lanes == 1) stride = at - before;
    strided = strided && (lanes < 2 || at - before == stride);
    before = at;
  }
  if (strided) {
    out += " 1 " + hex(first) + " ";
    add_decimal(out, static_cast<std::int64_t>(stride));
    return;
  }
  out += " 2 " + hex(first);
  before = first;
  bool any = false;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
    const Address at = i.address[static_cast<unsigned>(__builtin_ctz(left))];
    if (any) {
      out += ' ';
      add_decimal(out, static_cast<std::int64_t>(at - before));
    }
    any = true;
    before = at;
  }
}

/// "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x10000000 4 0"
void add_exported(std::string& out, const TraceInstruction& i, const std::string& opcode) {
  const TraceOperation& o = i.operation;
  const auto add_hex = [&out](std::uint64_t value, unsigned digits) {
    std::string text = hex(value).substr(2);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    out += text;
  };
  add_hex(std::uint64_t{o.pc} * kSassBytes, 4);
  out += ' ';
  add_hex(i.mask, 8);
  out += ' ' + std::to_string(o.write_count);
  for (unsigned r = 0; r < o.write_count; ++r) {
    add_exported_register(out, o.registers[o.read_count + r]);
  }
  out += ' ' + opcode + ' ' + std::to_string(o.read_count);
  for (unsigned r = 0; r < o.read_count; ++r) add_exported_register(out, o.registers[r]);
  if (o.action == TraceAction::kMemory) {
    out += ' ' + std::to_string(o.lane_bytes);
    add_addresses(out, i);
  } else {
    out += " 0";
  }
  out += ' ' + std::to_string(o.action == TraceAction::kWaitCopies ? o.groups : 0) + '\n';
}

void write_kernel_header(const TraceKernel& k, std::ostream& out) {
  out << "-kernel name = " << k.name << "\n-kernel id = " << k.id
      << "\n-grid dim = " << text_of(k.grid) << "\n-block dim = " << text_of(k.block)
      << "\n-shmem = " << k.shared_bytes << "\n-nregs = " << k.registers
      << "\n-binary version = 70\n-cuda stream id = " << k.stream
      << "\n-shmem base_addr = " << hex(k.shared_base)
      << "\n-local mem base_addr = " << hex(k.local_base)
      << "\n-nvbit version = tessera\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
      << "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
         "[adrrescompress?] [mem_addresses] immediate\n\n";
}

/// Right after the last write, whose error is in errno.
void check_written(std::ostream& out, const std::string& file) {
  out.flush();
  if (out) return;
  const int why = errno;
  throw RunError(file + ": cannot be written: " + std::strerror(why));
}

/// Makes the folder and those above it. Returns those that were not there, the innermost first.
std::vector<fs::path> make_folders(const std::string& folder) {
  std::vector<fs::path> made;
  std::error_code failed;
  for (fs::path at = fs::absolute(folder, failed); !at.empty() && !fs::exists(at, failed);
       at = at.parent_path()) {
    made.push_back(at);
  }
  fs::create_directories(folder, failed);
  if (failed) throw RunError(folder + ": cannot be made: " + failed.message());
  return made;
}

}  // namespace

std::string sass_opcode_of(const TraceOperation& o) {
  switch (o.action) {
    case TraceAction::kMemory:
      return memory_opcode(o);
    case TraceAction::kBarrier:
      return "BAR.SYNC";
    case TraceAction::kBarrierArrive:
      return "BAR.ARV";
    case TraceAction::kFence:
      return "MEMBAR.SC.GPU";
    case TraceAction::kCommitCopies:
      return "LDGDEPBAR";
    case TraceAction::kWaitCopies:
      return "DEPBAR.LE";
    case TraceAction::kExit:
      return "EXIT";
    case TraceAction::kCompute:
      break;
  }
  switch (o.unit) {
    case Unit::kIntMul:
      return "IMAD";
    case Unit::kFp64:
      return "DADD";
    case Unit::kSfu:
      return "MUFU.RCP";
    default:
      return "IADD3";
  }
}

void write_accelsim_kernel(KernelTraceReader& reader, std::ostream& out,
                           const std::function<void(double)>& progress) {
  write_kernel_header(reader.kernel(), out);
  Dim3 at;
  std::uint32_t warp = 0;
  std::uint64_t written = 0;
  TraceInstruction instruction;
  std::string records;
  // A write that failed is the last: its reason is still in errno.
  while (out && reader.next_block(at)) {
    out << "#BEGIN_TB\n\nthread block = " << at.x << "," << at.y << "," << at.z << "\n\n";
    while (out && reader.next_warp(warp)) {
      records.clear();
      std::uint64_t count = 0;
      while (reader.next_instruction(instruction)) {
        add_exported(records, instruction, sass_opcode_of(instruction.operation));
        ++count;
        if (++written % kExportInterval == 0) progress(reader.done());
      }
      out << "warp = " << warp << "\ninsts = " << count << "\n" << records << "\n";
    }
    out << "#END_TB\n\n";
  }
}

namespace {

void write_command_list(const CapturedRun& run, const std::string& list) {
  std::ofstream commands(list);
  for (const HostOperation& h : run.host) {
    if (h.kind == HostKind::kWrite || h.kind == HostKind::kDefer) {
      if (h.bytes != 0) commands << "MemcpyHtoD," << hex(h.address) << "," << h.bytes << "\n";
    } else if (h.kind == HostKind::kLaunch || h.kind == HostKind::kEnqueue) {
      commands << "kernel-" << h.launch + 1 << ".traceg\n";
    }
  }
  check_written(commands, list);
}

}  // namespace

void export_accelsim(const std::shared_ptr<const CaptureFile>& file, const std::string& folder,
                     const std::function<void(double)>& progress) {
  if (file->run().launches.empty()) {
    throw InputError(file->path() + ": the captured run has no launches that could be exported");
  }
  const std::vector<fs::path> made = make_folders(folder);
  std::error_code failed;
  const std::string list = (fs::path(folder) / "kernelslist.g").string();
  if (fs::exists(list, failed)) throw InputError(list + " is there already");
  std::vector<std::string> written = {list};
  try {
    write_command_list(file->run(), list);
    for (std::uint64_t launch = 0; launch < file->run().launches.size(); ++launch) {
      written.push_back(
          (fs::path(folder) / ("kernel-" + std::to_string(launch + 1) + ".traceg")).string());
      std::ofstream out(written.back());
      CaptureKernelReader reader(file, launch);
      write_accelsim_kernel(reader, out, [&](double done) {
        progress((static_cast<double>(launch) + done) /
                 static_cast<double>(file->run().launches.size()));
      });
      check_written(out, written.back());
    }
  } catch (...) {
    // No part of a trace is one.
    for (const std::string& name : written) fs::remove(name, failed);
    for (const fs::path& name : made) fs::remove(name, failed);
    throw;
  }
  progress(1);
}

}  // namespace tessera::traces
