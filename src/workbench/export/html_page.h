// The page: src/workbench/export/page/ with its data inside, in one file that needs nothing from outside.
#pragma once

#include <string>

#include "base/json.h"

namespace hyalite {

// `report` is what report.h makes. Text in it is safe whatever it holds: it cannot end the script element that carries it.
std::string html_page(const Json& report);

}  // namespace hyalite
