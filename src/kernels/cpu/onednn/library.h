// oneDNN, where this machine has it: opened when it is first asked for, then kept. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace hyalite {

struct OneDnn {
  std::string missing;  // why it cannot be used: "needs ..."; empty where it can, and only then may the rest be called
  std::string version;  // "2.6.3"

  // dnnl_sgemm: row-major c[m][n] = alpha a b + beta c, where a is [m][k] and b [k][n] if both letters are 'N'; `ld` is what rows are
  // apart. 0 is success. Each call allocates room for parts of a and b that it packs, and gives it back; the first ones also make the
  // machine code of their kernels, once for a process and not for each shape, so that there is no primitive to keep.
  using Multiply = int (*)(char a_as, char b_as, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
                           int64_t ldb, float beta, float* c, int64_t ldc);
  Multiply multiply = nullptr;
  // Threads of a team that the calling thread would start; null where it is built to start none.
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
};

const OneDnn& onednn();

// While it lives, the calling thread starts no team: our own threads have shared the work already.
class OneThread {
 public:
  explicit OneThread(const OneDnn& library) : library_(library), before_(library.threads ? library.threads() : 1) { set(1); }
  ~OneThread() { set(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  void set(int threads) const {
    if (library_.set_threads) library_.set_threads(threads);
  }

  const OneDnn& library_;
  int before_;
};

}  // namespace hyalite
