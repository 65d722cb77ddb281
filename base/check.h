#pragma once
// AZ_CHECK: invariants, always on. A failed one prints file, line, expression (and both values) and
// aborts; the supervisor restarts the process. Expected failures are Result (base/result.h).
// AZ_DCHECK: debug builds only, for measured hot loops.

#include <sstream>
#include <string_view>

namespace az::check_internal {

// Collects the streamed message and aborts in its destructor.
class Failure {
 public:
  Failure(const char* file, int line, std::string_view expression);
  [[noreturn]] ~Failure();
  template <class T>
  Failure& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }

 private:
  std::ostringstream stream_;
};

// Gives the ternary in AZ_CHECK the type void.
struct Voidify {
  void operator&(const Failure&) const {}
};

}  // namespace az::check_internal

#define AZ_CHECK(condition)                           \
  (__builtin_expect(static_cast<bool>(condition), 1)) \
      ? (void)0                                       \
      : ::az::check_internal::Voidify() &             \
            ::az::check_internal::Failure(__FILE__, __LINE__, #condition) << " "

#define AZ_CHECK_OP_(a, op, b) AZ_CHECK((a)op(b)) << "(" << (a) << " against " << (b) << ") "
#define AZ_CHECK_EQ(a, b) AZ_CHECK_OP_(a, ==, b)
#define AZ_CHECK_LT(a, b) AZ_CHECK_OP_(a, <, b)
#define AZ_CHECK_LE(a, b) AZ_CHECK_OP_(a, <=, b)
#define AZ_CHECK_GT(a, b) AZ_CHECK_OP_(a, >, b)
#define AZ_CHECK_GE(a, b) AZ_CHECK_OP_(a, >=, b)

#ifdef NDEBUG
#define AZ_DCHECK(condition) AZ_CHECK(true || (condition))
#else
#define AZ_DCHECK(condition) AZ_CHECK(condition)
#endif
