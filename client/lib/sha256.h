// SHA-256 of bytes that come in pieces.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "openssl/types.h"

namespace traind::client {

// Thread-compatible.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Update(absl::string_view bytes);
  // 64 lower-case hex digits. Ends the computation.
  std::string Hex();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace traind::client
