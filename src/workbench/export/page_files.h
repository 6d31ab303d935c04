// The text of the files in page/, made at build time by cmake/EmbedPage.cmake.
#pragma once

#include <string_view>

namespace hyalite::page_files {

extern const std::string_view page_html, page_css, page_js;

}  // namespace hyalite::page_files
