#pragma once
// Clang's thread-safety annotations (-Wthread-safety); nothing under other compilers. With
// std::mutex they need libc++'s annotated types, so guarded members use Mutex and MutexLock below.

#include <mutex>

#if defined(__clang__)
#define AZ_THREAD_ANNOTATION_(x) __attribute__((x))
#else
#define AZ_THREAD_ANNOTATION_(x)
#endif
#define AZ_CAPABILITY(x) AZ_THREAD_ANNOTATION_(capability(x))
#define AZ_SCOPED_CAPABILITY AZ_THREAD_ANNOTATION_(scoped_lockable)
#define AZ_GUARDED_BY(x) AZ_THREAD_ANNOTATION_(guarded_by(x))
#define AZ_REQUIRES(...) AZ_THREAD_ANNOTATION_(requires_capability(__VA_ARGS__))
#define AZ_EXCLUDES(...) AZ_THREAD_ANNOTATION_(locks_excluded(__VA_ARGS__))
#define AZ_ACQUIRE(...) AZ_THREAD_ANNOTATION_(acquire_capability(__VA_ARGS__))
#define AZ_RELEASE(...) AZ_THREAD_ANNOTATION_(release_capability(__VA_ARGS__))

namespace az {

class AZ_CAPABILITY("mutex") Mutex {
 public:
  void Lock() AZ_ACQUIRE() { mutex_.lock(); }
  void Unlock() AZ_RELEASE() { mutex_.unlock(); }
  std::mutex& native() { return mutex_; }  // for std::condition_variable

 private:
  std::mutex mutex_;
};

class AZ_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) AZ_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() AZ_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace az
