#include "common/ckpt/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "nlohmann/json.hpp"

namespace traind::ckpt {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

using Json = nlohmann::ordered_json;

struct DtypeRow {
  Dtype dtype;
  absl::string_view name;
  int64_t bytes;
};
constexpr DtypeRow kDtypes[] = {{Dtype::kBool, "BOOL", 1}, {Dtype::kU8, "U8", 1},   {Dtype::kI8, "I8", 1},   {Dtype::kI16, "I16", 2},
                                {Dtype::kI32, "I32", 4},   {Dtype::kI64, "I64", 8}, {Dtype::kF16, "F16", 2}, {Dtype::kBF16, "BF16", 2},
                                {Dtype::kF32, "F32", 4},   {Dtype::kF64, "F64", 8}};

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;
constexpr char kMetadata[] = "__metadata__";

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(absl::StrCat("not a valid safetensors file: ", what)); }

std::optional<Dtype> DtypeFromName(absl::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

// Bytes of a tensor; nothing when they do not fit 64 bits or a length is negative.
std::optional<int64_t> SizeOf(Dtype dtype, const std::vector<int64_t>& shape) {
  int64_t size = DtypeBytes(dtype);
  for (const int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(size, length, &size)) return std::nullopt;
  }
  return size;
}

// nlohmann keeps the last of two equal keys; the format forbids them, so they are looked for while parsing.
absl::StatusOr<Json> ParseHeader(absl::string_view text) {
  std::vector<std::set<std::string>> keys;
  bool repeated = false;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) repeated = true;
    return true;
  };
  Json header = Json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (!header.is_object()) return Damaged("its header is not a JSON object");
  if (repeated) return Damaged("its header holds a name twice");
  return header;
}

absl::StatusOr<std::vector<int64_t>> ReadIntegers(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return Damaged(absl::StrCat("an entry has no list ", key));
  std::vector<int64_t> numbers;
  for (const Json& number : *found) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > INT64_MAX) return Damaged(absl::StrCat(key, " holds no whole number"));
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

// One entry of the header, its bytes a part of `data`.
absl::StatusOr<TensorView> ReadEntry(const std::string& name, const Json& entry, absl::string_view data) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) return Damaged(absl::StrCat(name, " has no dtype"));
  TensorView tensor;
  tensor.name = name;
  const std::optional<Dtype> dtype = DtypeFromName(entry["dtype"].get<std::string>());
  if (!dtype.has_value()) return Damaged(absl::StrCat(name, " has the unknown dtype ", entry["dtype"].get<std::string>()));
  tensor.dtype = *dtype;
  ASSIGN_OR_RETURN(tensor.shape, ReadIntegers(entry, "shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, ReadIntegers(entry, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<uint64_t>(offsets[1]) > data.size()) {
    return Damaged(absl::StrCat(name, " lies outside the file"));
  }
  const std::optional<int64_t> size = SizeOf(tensor.dtype, tensor.shape);
  if (!size.has_value() || *size != offsets[1] - offsets[0])
    return Damaged(absl::StrCat("the shape of ", name, " does not match its bytes"));
  tensor.bytes = std::as_bytes(std::span(data.data() + offsets[0], static_cast<size_t>(*size)));
  return tensor;
}

// Tensors sorted by their place must cover the data from the first to the last byte.
absl::Status CheckCovered(const std::vector<TensorView>& tensors, absl::string_view data) {
  const std::byte* expected = std::as_bytes(std::span(data.data(), data.size())).data();
  const std::byte* end = expected + data.size();
  for (const TensorView& tensor : tensors) {
    if (tensor.bytes.data() != expected) return Damaged(absl::StrCat("there is a hole or an overlap before ", tensor.name));
    expected += tensor.bytes.size();
  }
  return expected == end ? absl::OkStatus() : Damaged("there are bytes after the last tensor");
}

absl::Status CheckWritable(const std::vector<TensorView>& tensors) {
  std::set<std::string> names;
  for (const TensorView& tensor : tensors) {
    if (tensor.name == kMetadata || !names.insert(tensor.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("the tensor name ", tensor.name, " is reserved or there twice"));
    }
    if (SizeOf(tensor.dtype, tensor.shape) != static_cast<int64_t>(tensor.bytes.size())) {
      return absl::InvalidArgumentError(absl::StrCat("the bytes of ", tensor.name, " do not match its shape"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view DtypeName(Dtype dtype) { return kDtypes[static_cast<int>(dtype)].name; }
int64_t DtypeBytes(Dtype dtype) { return kDtypes[static_cast<int>(dtype)].bytes; }

const TensorView* TensorFile::Find(absl::string_view name) const {
  for (const TensorView& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

absl::StatusOr<std::string> WriteSafetensors(const std::vector<TensorView>& tensors, const std::map<std::string, std::string>& metadata) {
  RETURN_IF_ERROR(CheckWritable(tensors));
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    const int64_t a_size = DtypeBytes(a->dtype), b_size = DtypeBytes(b->dtype);
    return a_size != b_size ? a_size > b_size : a->name < b->name;
  });
  Json header = Json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  size_t offset = 0;
  for (const TensorView* tensor : order) {
    header[tensor->name] = {{"dtype", std::string(DtypeName(tensor->dtype))},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, offset + tensor->bytes.size()}}};
    offset += tensor->bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  std::string file(kLengthBytes, '\0');
  std::memcpy(file.data(), &length, kLengthBytes);
  file.reserve(kLengthBytes + text.size() + offset);
  file += text;
  for (const TensorView* tensor : order) file.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  return file;
}

absl::StatusOr<TensorFile> ReadSafetensors(absl::string_view file) {
  if (file.size() < kLengthBytes) return Damaged("it is shorter than its length field");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMaxHeader || length > file.size() - kLengthBytes) return Damaged("its header is longer than the file");
  const absl::string_view header_text = file.substr(kLengthBytes, length);
  if (header_text.empty() || header_text[0] != '{') return Damaged("its header does not start with {");
  const absl::string_view data = file.substr(kLengthBytes + length);
  ASSIGN_OR_RETURN(const Json header, ParseHeader(header_text));
  TensorFile result;
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadata) {
      ASSIGN_OR_RETURN(TensorView tensor, ReadEntry(name, entry, data));
      result.tensors.push_back(std::move(tensor));
      continue;
    }
    if (!entry.is_object()) return Damaged("its metadata are not an object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) return Damaged(absl::StrCat("the metadata ", key, " are not a text"));
      result.metadata[key] = value.get<std::string>();
    }
  }
  // Empty tensors share their place with the next one and come first.
  std::stable_sort(result.tensors.begin(), result.tensors.end(), [](const TensorView& a, const TensorView& b) {
    return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data() : a.bytes.size() < b.bytes.size();
  });
  RETURN_IF_ERROR(CheckCovered(result.tensors, data));
  return result;
}

}  // namespace traind::ckpt
