#pragma once
// Result<T>: a value or an Error, for what can fail in a correct program: I/O, a dead peer, a bad
// config, a time-out. Bugs are AZ_CHECK (base/check.h). Its members are the part of std::expected
// that we use, so that it can become an alias.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace az {

enum class Errc : unsigned char {
  kInvalid,       // bad argument, config or command line
  kNotFound,      // a file, a key, a name that does not exist
  kIo,            // the operating system refused; the message holds errno's text
  kNoSpace,       // disk or file-size limit
  kCorrupt,       // bytes that fail their checksum or their own rules
  kIncompatible,  // well-formed, but of another version, network or game
  kTimeout,       // the deadline passed
  kPeerGone,      // the other process died
  kNoMemory,      // host or device memory
  kUnavailable,   // the environment lacks something (device, library) or limits it
  kBusy,          // somebody else holds it
  kNoModel,       // the model slot holds no weights
  kNotFinite,     // a network output was NaN or infinite
  kStopped,       // a stop was asked for
};

// Short lower-case name, for logs: "no_space".
std::string_view ErrcName(Errc code);
// The code with this name; kIo for a name that no code has.
Errc ErrcFromName(std::string_view name);

struct Error {
  Errc code = Errc::kInvalid;
  std::string
      message;  // what was tried, the value, the limit, what to do; lower case, no full stop
};

// The same error with one more layer of context in front: "open journal x: <message>".
Error WithContext(std::string_view context, Error error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // REQUIRES: has_value().
  T& value() & {
    AZ_CHECK(has_value()) << error().message;
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    AZ_CHECK(has_value()) << error().message;
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    AZ_CHECK(has_value()) << error().message;
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !has_value().
  const Error& error() const& {
    AZ_CHECK(!has_value());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    AZ_CHECK(!has_value());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { AZ_CHECK(has_value()) << error_->message; }
  const Error& error() const& {
    AZ_CHECK(!has_value());
    return *error_;
  }
  Error&& error() && {
    AZ_CHECK(!has_value());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace az

// Returns the error of a Result<void> (or any Result whose value is not needed) to the caller.
#define AZ_RETURN_IF_ERROR(expression)                             \
  do {                                                             \
    if (auto az_result_ = (expression); !az_result_.has_value()) { \
      return std::move(az_result_).error();                        \
    }                                                              \
  } while (false)

#define AZ_CONCAT_INNER_(a, b) a##b
#define AZ_CONCAT_(a, b) AZ_CONCAT_INNER_(a, b)

// AZ_ASSIGN_OR_RETURN(auto x, F()); declares or assigns x, or returns F's error to the caller.
#define AZ_ASSIGN_OR_RETURN(target, expression) \
  AZ_ASSIGN_OR_RETURN_IMPL_(AZ_CONCAT_(az_result_, __LINE__), target, expression)
#define AZ_ASSIGN_OR_RETURN_IMPL_(result, target, expression) \
  auto result = (expression);                                 \
  if (!result.has_value()) return std::move(result).error();  \
  target = std::move(result).value()
