#include "text/jinja/objects.h"

namespace hyalite::jinja {

Value Namespace::make(Context& context, Values values) {
  auto shared = std::make_shared<Values>(std::move(values));
  context.at_end([shared] { shared->clear(); });
  return Value::object(std::shared_ptr<const Object>(new Namespace(std::move(shared))));
}

std::optional<Value> Namespace::attribute(Context&, std::string_view name) const {
  auto found = values_->find(std::string(name));
  if (found == values_->end()) return std::nullopt;
  return found->second;
}

}  // namespace hyalite::jinja
