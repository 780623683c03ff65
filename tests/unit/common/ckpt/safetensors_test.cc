#include "common/ckpt/safetensors.h"

#include <cstring>

#include "tests/testing/status_matchers.h"

namespace traind::ckpt {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

// A file from a header and data, as anybody might have written it.
std::string File(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + data;
}

TEST(Safetensors, RoundTripKeepsNamesTypesShapesBytesAndMetadata) {
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6};
  const std::vector<double> step = {7};
  const std::vector<TensorView> tensors = {
      {"w", Dtype::kF32, {2, 3}, std::as_bytes(std::span(weights))},
      {"step", Dtype::kF64, {}, std::as_bytes(std::span(step))},
      {"empty", Dtype::kI64, {0, 4}, {}},
  };
  ASSERT_OK_AND_ASSIGN(const std::string file, WriteSafetensors(tensors, {{"a", "b"}}));
  uint64_t header = 0;
  std::memcpy(&header, file.data(), 8);
  EXPECT_EQ(header % 8, 0u);
  ASSERT_OK_AND_ASSIGN(const TensorFile read, ReadSafetensors(file));
  EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"a", "b"}}));
  ASSERT_EQ(read.tensors.size(), 3u);
  const TensorView* w = read.Find("w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(w->bytes.data(), weights.data(), w->bytes.size()), 0);
  EXPECT_EQ(read.Find("step")->shape.size(), 0u);
  EXPECT_EQ(read.Find("absent"), nullptr);
  // The order in which tensors are given does not matter.
  EXPECT_EQ(*WriteSafetensors({tensors[2], tensors[0], tensors[1]}, {{"a", "b"}}), file);
}

TEST(Safetensors, WriterRefusesWhatItCouldNotReadBack) {
  const float one = 1;
  const auto bytes = std::as_bytes(std::span(&one, 1));
  EXPECT_FALSE(WriteSafetensors({{"a", Dtype::kF32, {1}, bytes}, {"a", Dtype::kF32, {1}, bytes}}, {}).ok());
  EXPECT_FALSE(WriteSafetensors({{"a", Dtype::kF32, {2}, bytes}}, {}).ok());
  EXPECT_FALSE(WriteSafetensors({{"__metadata__", Dtype::kF32, {1}, bytes}}, {}).ok());
}

TEST(Safetensors, EveryMalformedFileIsRefusedWithASentence) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "length field"},
      {std::string(7, 'x'), "length field"},
      {std::string(8, '\xff'), "longer than the file"},
      {File("", ""), "does not start"},
      {File("[]", ""), "does not start"},
      {File("{", ""), "JSON"},
      {File("{\"a\":1}", ""), "no dtype"},
      {File("{\"a\":{\"dtype\":\"X9\",\"shape\":[],\"data_offsets\":[0,0]}}", ""), "unknown dtype X9"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", "x"), "outside"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,1]}}", "x"), "does not match"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", "x"), "whole number"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,1]}}", "x"), "whole number"},
      {File("{\"a\":{\"dtype\":\"F64\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,1]}}", "x"), "does not match"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", "xy"), "hole"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", "xy"), "after the last"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
            "x"),
       "overlap"},
      {File("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
            "x"),
       "twice"},
      {File("{\"__metadata__\":{\"a\":1}}", ""), "not a text"},
  };
  for (const auto& [file, part] : cases) {
    EXPECT_THAT(ReadSafetensors(file), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(part))) << file;
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::vector<float> weights = {1, 2, 3};
  const std::string file = *WriteSafetensors({{"w", Dtype::kF32, {3}, std::as_bytes(std::span(weights))}}, {});
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadSafetensors(absl::string_view(file).substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace traind::ckpt
