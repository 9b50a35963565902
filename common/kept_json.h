// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "common/json_fwd.h"

namespace tessera {

/// A JSON document as a member of a struct, in a header that does not include the library. Copies
/// like a value and converts from and to the document. `Document`: nlohmann::json or ordered_json.
template <class Document>
class KeptJson {
 public:
  KeptJson();  ///< null
  /// From a document, a number or a flag; not from braces, whose outer pair would be that of this
  /// class. Needs common/json.h.
  template <class Value, class = std::enable_if_t<std::is_same_v<Value, Document> ||
                                                  std::is_arithmetic_v<Value>>>
  KeptJson(Value value) : document_(std::make_unique<Document>(std::move(value))) {}
  KeptJson(const char* text);  ///< null for a null pointer
  KeptJson(const KeptJson& other);
  KeptJson(KeptJson&& other) noexcept;  ///< leaves null
  KeptJson& operator=(const KeptJson& other);
  KeptJson& operator=(KeptJson&& other) noexcept;
  ~KeptJson();

  operator const Document&() const { return *document_; }
  const Document& operator*() const { return *document_; }
  Document& operator*() { return *document_; }
  const Document* operator->() const { return document_.get(); }
  Document* operator->() { return document_.get(); }

 private:
  std::unique_ptr<Document> document_;  ///< never null
};

extern template class KeptJson<nlohmann::json>;
extern template class KeptJson<nlohmann::ordered_json>;

}  // namespace tessera
