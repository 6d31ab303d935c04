// Rewrites a checkpoint as a GGUF file whose matrices have other formats.
#pragma once

#include <atomic>
#include <functional>

#include "base/thread_pool.h"
#include "workbench/activation_statistics.h"
#include "workbench/quantize/gguf_checkpoint.h"
#include "workbench/quantize/recipe.h"

namespace hyalite {

// What becomes of one tensor, in the order of the file.
struct TensorChoice {
  DType dtype = DType::f32;
  std::string note;  // why it is not what was asked for; empty where it is
};

// The format of every tensor: rules first, then the mixture. A matrix whose rows the format does not divide, or whose values a half cannot
// hold, falls back to another format with a note; everything but matrices stays as it is. Reads every matrix that changes: throws
// Error{invalid_model} naming the first value that is not finite, Error{cancelled}.
std::vector<TensorChoice> choose_types(const GgufCheckpoint& checkpoint, const Mixture& mixture, const std::vector<RecipeRule>& rules,
                                       ThreadPool& pool, const std::atomic<bool>* cancel = nullptr);

// Values of consecutive rows as fp32.
std::vector<float> decode_rows(const GgufCheckpointTensor& tensor, int64_t first, int64_t rows);

struct EncodedTensor {
  std::vector<uint8_t> bytes;
  double squared_error = 0, squares = 0;  // sums over all elements
  double weighted_error = 0;              // of squares times the importance of their columns
};

struct QuantizeOptions {
  bool search = true;                                // false: to the nearest code
  const ActivationStatistics* statistics = nullptr;  // importance of columns; all alike where a matrix is not among them
  const std::atomic<bool>* cancel = nullptr;
};

// One tensor in another format. The result depends on the tensor and the options, never on the threads.
EncodedTensor encode_tensor(const GgufCheckpointTensor& tensor, DType dtype, const QuantizeOptions& options, ThreadPool& pool);

struct TensorReport {
  double error = 0;  // root of squared error over squares; 0 where nothing changed
};

// Writes the file; one report a tensor. `done` is told the bytes of each tensor as it is finished. Throws Error{io}, Error{cancelled}; no
// file is left then.
std::vector<TensorReport> write_quantized(const GgufCheckpoint& checkpoint, const std::vector<TensorChoice>& choices,
                                          const std::filesystem::path& out, const QuantizeOptions& options, ThreadPool& pool,
                                          const std::function<void(uint64_t bytes)>& done = {});

}  // namespace hyalite
