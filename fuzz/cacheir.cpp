// CacheIR text: any bytes are refused with an Error, or parse to a module that prints and parses back to an equal one; the verifier accepts
// what parsed or throws an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  Module module;
  try {
    module = parse_module({reinterpret_cast<const char*>(data), size}, "fuzz.cir");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_model) std::abort();
    return 0;
  }
  const std::string text = print(module);
  const Module again = parse_module(text, "printed.cir");
  if (!(again == module) || print(again) != text) std::abort();
  try {
    verify(module);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_model) std::abort();
  }
  return 0;
}
