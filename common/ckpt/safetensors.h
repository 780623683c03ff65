// The safetensors format (huggingface/safetensors, format 0.x): u64 little-endian length N, N bytes of JSON, then the tensors' bytes. Free
// of LibTorch: a tensor is its name, element type, shape and bytes, row-major and little-endian. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind::ckpt {

enum class Dtype { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64 };

absl::string_view DtypeName(Dtype dtype);  // "F32", …
int64_t DtypeBytes(Dtype dtype);

struct TensorView {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> shape;  // empty: a scalar
  std::span<const std::byte> bytes;
};

struct TensorFile {
  std::vector<TensorView> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
  // Null if there is no such tensor.
  const TensorView* Find(absl::string_view name) const;
};

// The whole file. Tensors are laid out by descending size of their element type, then by name, as the reference writer does, so that equal
// contents give equal bytes. INVALID_ARGUMENT: a name twice, or bytes that do not match the shape.
absl::StatusOr<std::string> WriteSafetensors(const std::vector<TensorView>& tensors, const std::map<std::string, std::string>& metadata);

// Views into `file`, which must outlive them. DATA_LOSS with a sentence for every file that is not exactly as the format says: length
// beyond the file, JSON that is none, unknown element type, a shape whose size overflows or does not match its bytes, holes, overlaps,
// bytes after the last tensor, a name twice.
absl::StatusOr<TensorFile> ReadSafetensors(absl::string_view file);

}  // namespace traind::ckpt
