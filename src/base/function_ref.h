// A non-owning reference to a function object: two words, no allocation. It must not outlive what it refers to, so take it as an argument
// and never store it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace hyalite {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> && std::is_object_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  FunctionRef(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda is passed where a FunctionRef is asked for
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace hyalite
