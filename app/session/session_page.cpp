// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_page.h"

#include "app/report/assets.h"

namespace tessera::app {

namespace session_assets {
// Embedded at build time (cmake/TesseraEmbed.cmake): files of app/session.
extern const char* const kSessionCss;
extern const char* const kSessionHtml;
extern const char* const kSessionJs;
}  // namespace session_assets

std::string session_page() {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "connect-src 'self'; img-src data:; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>Tessera: virtual platform</title>\n<style>\n";
  html += assets::kReportCss;
  html += session_assets::kSessionCss;
  html += "</style>\n</head>\n<body>\n";
  html += session_assets::kSessionHtml;
  html += "<script>\n";
  html += session_assets::kSessionJs;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace tessera::app
