#include "workbench/logit_base.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "workbench/base_checks.h"

namespace hyalite {
namespace {

constexpr char kMagic[] = {'_', 'l', 'o', 'g', 'i', 't', 's', '_'};
constexpr int64_t kHeaderBytes = sizeof kMagic + 3 * sizeof(int32_t);
constexpr float kRange = 16;
constexpr float kTopCode = 65535;
constexpr float kMostAboveZero = 1e-3F;  // of a log-probability, by rounding

int64_t padded(int32_t vocab) {
  return (int64_t{vocab} + 1) / 2 * 2;
}

int64_t row_bytes(const LogitBaseShape& shape) {
  return static_cast<int64_t>(2 * sizeof(float)) + padded(shape.vocab) * static_cast<int64_t>(sizeof(uint16_t));
}

int64_t file_bytes(const LogitBaseShape& shape) {
  return kHeaderBytes + shape.ids() * static_cast<int64_t>(sizeof(int32_t)) + shape.rows() * row_bytes(shape);
}

template <typename T>
void write(AtomicFile& file, const T* values, size_t count) {
  file.write({reinterpret_cast<const uint8_t*>(values), count * sizeof(T)});
}

}  // namespace

LogitBaseWriter::LogitBaseWriter(std::filesystem::path path, const LogitBaseShape& shape, std::span<const int32_t> ids)
    : file_(std::move(path), file_bytes(shape)), codes_(padded(shape.vocab)) {
  const int32_t numbers[] = {shape.context, shape.vocab, shape.windows};
  write(file_, kMagic, sizeof kMagic);
  write(file_, numbers, std::size(numbers));
  write(file_, ids.data(), ids.size());
}

void LogitBaseWriter::add(std::span<const float> logits) {
  const auto [least, most] = std::minmax_element(logits.begin(), logits.end());
  const float lowest = std::max(*least, *most - kRange);
  const float scale = (*most - lowest) / kTopCode;
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit - *most));
  const float head[] = {scale, lowest - *most - static_cast<float>(std::log(sum))};
  for (size_t i = 0; i < logits.size(); ++i)
    codes_[i] = scale > 0 ? static_cast<uint16_t>(std::lround((std::max(logits[i], lowest) - lowest) / scale)) : uint16_t{0};
  write(file_, head, std::size(head));
  write(file_, codes_.data(), codes_.size());
}

void LogitBaseWriter::finish() {
  file_.commit();
}

bool LogitBase::recognises(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

LogitBase::LogitBase(std::span<const uint8_t> bytes, const std::string& where) {
  auto refuse = [&](const std::string& why) { throw Error(ErrorCode::invalid_model, where, why); };
  if (bytes.size() < kHeaderBytes || !recognises(bytes)) refuse("is no file of base log-probabilities: it does not begin with _logits_");
  int32_t numbers[3];
  std::memcpy(numbers, bytes.data() + sizeof kMagic, sizeof numbers);
  shape_ = {numbers[0], numbers[1], numbers[2]};
  check_base_shape(shape_.context, shape_.windows, shape_.vocab, where);
  // A row's size times their count could overflow, each by itself cannot; so divide.
  const int64_t id_bytes = shape_.ids() * static_cast<int64_t>(sizeof(int32_t));
  const int64_t rest = static_cast<int64_t>(bytes.size()) - kHeaderBytes - id_bytes;
  if (rest < 0 || rest % row_bytes(shape_) != 0 || rest / row_bytes(shape_) != shape_.rows())
    refuse("has " + std::to_string(bytes.size()) + " bytes, which its header does not explain");
  ids_ = {reinterpret_cast<const int32_t*>(bytes.data() + kHeaderBytes), static_cast<size_t>(shape_.ids())};
  rows_ = bytes.data() + kHeaderBytes + id_bytes;

  check_base_ids(ids_, shape_.vocab, kHeaderBytes, where);
  for (int64_t i = 0; i < shape_.rows(); ++i) {
    const LogProbRow one = row(i);
    const bool sound = one.scale >= 0 && std::isfinite(one.lowest) && one.lowest + one.scale * kTopCode <= kMostAboveZero;
    if (!sound)
      refuse("row " + std::to_string(i) + " is no log-probabilities (at offset " +
             std::to_string(kHeaderBytes + id_bytes + i * row_bytes(shape_)) + ")");
  }
}

LogProbRow LogitBase::row(int64_t index) const {
  const uint8_t* at = rows_ + index * row_bytes(shape_);
  LogProbRow row;
  std::memcpy(&row.scale, at, sizeof(float));
  std::memcpy(&row.lowest, at + sizeof(float), sizeof(float));
  row.codes = {reinterpret_cast<const uint16_t*>(at + 2 * sizeof(float)), static_cast<size_t>(shape_.vocab)};
  return row;
}

}  // namespace hyalite
