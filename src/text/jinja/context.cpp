#include "text/jinja/context.h"

#include <algorithm>
#include <utility>

namespace hyalite::jinja {

void Context::fail(const std::string& message, ErrorCode code) const {
  source_.fail(offset_, message, code);
}

Context::~Context() {
  for (auto& dissolve : dissolve_) dissolve();
}

void Context::charge_items(size_t count) {
  charge(std::min(count, limits_.max_steps) * 32);
}

void Context::at_end(std::function<void()> dissolve) {
  charge_items(16);  // bounds the number of these
  dissolve_.push_back(std::move(dissolve));
}

void Context::charge(size_t bytes) {
  steps_ += 1 + bytes / 32;
  if (steps_ > limits_.max_steps) {
    fail("the template runs away: it needs more than " + std::to_string(limits_.max_steps) + " steps");
  }
}

void Context::charge_text(size_t size, size_t added) {
  if (size > limits_.max_text || added > limits_.max_text - size) {
    fail("the template runs away: a text is longer than " + std::to_string(limits_.max_text) + " bytes");
  }
  charge(added);
}

void Context::charge_search(size_t size, size_t wanted) {
  const size_t times = 1 + wanted / 64;
  charge(wanted > size ? 0 : size > SIZE_MAX / times ? SIZE_MAX - 32 : size * times);
}

Context::Frame::Frame(Context& context, uint32_t offset) : context_(context), outer_offset_(context.offset_) {
  context.offset_ = offset;
  context.charge();
  if (context.depth_ >= context.limits_.max_depth) {
    context.fail("the template runs away: it nests deeper than " + std::to_string(context.limits_.max_depth) + " levels");
  }
  ++context.depth_;
}

Context::Frame::~Frame() {
  --context_.depth_;
  context_.offset_ = outer_offset_;
}

}  // namespace hyalite::jinja
