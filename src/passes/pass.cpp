#include "passes/pass.h"

namespace hyalite {

std::string_view name_of(Numerics numerics) {
  switch (numerics) {
    case Numerics::fast: return "fast";
    case Numerics::reference: return "reference";
    default: return "deterministic";
  }
}

}  // namespace hyalite
