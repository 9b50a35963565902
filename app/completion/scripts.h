// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shells' scripts, embedded at build time (cmake/TesseraEmbed.cmake): app/completion/NAME.

namespace tessera::app::completion {

extern const char* const kBash;  ///< tessera.bash
extern const char* const kZsh;   ///< tessera.zsh

}  // namespace tessera::app::completion
