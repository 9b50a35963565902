// SPDX-License-Identifier: Apache-2.0
#include "common/kept_json.h"

#include "common/json.h"

namespace tessera {

template <class Document>
KeptJson<Document>::KeptJson() : document_(std::make_unique<Document>()) {}
template <class Document>
KeptJson<Document>::KeptJson(const char* text)
    : KeptJson(text == nullptr ? Document() : Document(text)) {}
template <class Document>
KeptJson<Document>::KeptJson(const KeptJson& other)
    : document_(std::make_unique<Document>(*other)) {}
template <class Document>
KeptJson<Document>::KeptJson(KeptJson&& other) noexcept : KeptJson() {
  document_.swap(other.document_);
}
template <class Document>
KeptJson<Document>& KeptJson<Document>::operator=(const KeptJson& other) {
  *document_ = *other;
  return *this;
}
template <class Document>
KeptJson<Document>& KeptJson<Document>::operator=(KeptJson&& other) noexcept {
  document_.swap(other.document_);
  return *this;
}
template <class Document>
KeptJson<Document>::~KeptJson() = default;

template class KeptJson<nlohmann::json>;
template class KeptJson<nlohmann::ordered_json>;

}  // namespace tessera
