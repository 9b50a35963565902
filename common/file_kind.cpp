// SPDX-License-Identifier: Apache-2.0
#include "common/file_kind.h"

#include <algorithm>
#include <cstddef>

#include "common/json.h"
#include "common/text.h"

namespace tessera {
namespace {

using nlohmann::json;

constexpr std::string_view kSpaces = " \t\r\n";

/// The text after spaces, a byte-order mark and comments of C.
std::string_view without_comments(std::string_view text) {
  if (begins_with(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    std::size_t end = std::string_view::npos;
    if (begins_with(text, "//")) {
      end = text.find('\n');
    } else if (begins_with(text, "/*")) {
      end = text.find("*/");
      if (end != std::string_view::npos) end += 2;
    } else {
      return text;
    }
    text.remove_prefix(std::min(end, text.size()));
  }
}

bool has_extension(const std::string& file, std::initializer_list<std::string_view> extensions) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string_view own = std::string_view(file).substr(dot);
  return std::find(extensions.begin(), extensions.end(), own) != extensions.end();
}

enum class Kind {
  kUnknown,
  kJson,
  kPtx,
  kCuda,
  kLlvm,
  kHtml,
  kElf,
  kFatBinary,
  kArchive,
  kGzip,
  kBinary
};

Kind kind_of(std::string_view text, const std::string& file) {
  constexpr std::size_t kSniffed = 4096;
  constexpr std::string_view kElf = "\x7f\x45LF";
  if (begins_with(text, kElf)) return Kind::kElf;
  if (begins_with(text, "\x50\xed\x55\xba")) return Kind::kFatBinary;
  if (begins_with(text, "!<arch>\n")) return Kind::kArchive;
  if (begins_with(text, "\x1f\x8b")) return Kind::kGzip;
  // A text can end with a NUL.
  const std::string_view body = text.substr(0, text.find_last_not_of('\0') + 1);
  if (body.substr(0, kSniffed).find('\0') != std::string_view::npos) return Kind::kBinary;
  const std::string_view begin = without_comments(text);
  if (begins_with(begin, ".version")) return Kind::kPtx;
  if (begins_with(begin, "{") || begins_with(begin, "[")) return Kind::kJson;
  if (begins_with(begin, "<")) return Kind::kHtml;
  if (begins_with(begin, "; ModuleID")) return Kind::kLlvm;
  const bool source =
      has_extension(file, {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}) ||
      begins_with(begin, "#include") || text.find("__global__") != std::string_view::npos;
  return source ? Kind::kCuda : Kind::kUnknown;
}

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::kJson:
      return "JSON";
    case Kind::kPtx:
      return "PTX";
    case Kind::kCuda:
      return "CUDA or C++ source";
    case Kind::kLlvm:
      return "LLVM IR";
    case Kind::kHtml:
      return "HTML";
    case Kind::kElf:
      return "a compiled file (ELF)";
    case Kind::kFatBinary:
      return "a CUDA fat binary";
    case Kind::kArchive:
      return "an archive";
    case Kind::kGzip:
      return "compressed data";
    case Kind::kBinary:
      return "binary data";
    case Kind::kUnknown:
      break;
  }
  return "";
}

/// ": ..." with the step from a file of this kind to the expected one.
std::string next_step(ExpectedFile expected, Kind kind, const std::string& file) {
  if (kind == Kind::kCuda) {
    const std::string compiled = ": compile it to PTX with 'nvcc -ptx -arch=sm_75 " + file +
                                 "' (with clang: docs/guide/your-own-kernel.md)";
    return expected == ExpectedFile::kPtx
               ? compiled
               : compiled + ", then run the PTX with a manifest that lists its arrays and launches";
  }
  if (expected == ExpectedFile::kPtx) {
    if (kind == Kind::kElf || kind == Kind::kFatBinary) {
      return ": 'cuobjdump -ptx " + file + "' prints the PTX that it holds";
    }
    return kind == Kind::kJson ? ": a manifest is a workload by itself, or the file of --manifest"
                               : "";
  }
  return kind == Kind::kPtx ? ": PTX is a workload, 'tessera run PLATFORM FILE.ptx --manifest "
                              "FILE.json'"
                            : "";
}

}  // namespace

std::string wrong_kind(ExpectedFile expected, std::string_view text, const std::string& file) {
  const Kind kind = kind_of(text, file);
  const Kind right = expected == ExpectedFile::kJson ? Kind::kJson : Kind::kPtx;
  if (kind == right || kind == Kind::kUnknown) return "";
  return "expected " + name_of(right) + ", found " + name_of(kind) +
         next_step(expected, kind, file);
}

std::string json_kind(const json& document) {
  if (!document.is_object()) return "";
  const auto has = [&document](const char* key) { return document.contains(key); };
  if (has("launches") || has("arrays")) return kManifestKind;
  if (has("cycles") && has("modules")) return "the results of a run";
  if (has("points") && has("summary")) return "the results of a comparison";
  if (has("study") && has("figures")) return "the results of a study";
  if (has("sweep") && has("designs")) return "the results of a sweep";
  if (has("platforms") && has("objectives")) return "a sweep";
  if (has("title") && has("platforms")) return "a study";
  if (has("base") || has("system") || has("tree") || has("instances")) return kPlatformKind;
  return "";
}

}  // namespace tessera
