#include "common/spec/scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/spec/field_meta.h"
#include "common/spec/text.h"

namespace traind::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Whole numbers up to here are exact as double.
constexpr double kMaxExact = 0x1p53;

absl::Status Expected(const FieldDescriptor& field, absl::string_view what, absl::string_view found, absl::string_view advice = "") {
  const std::string article = field.is_repeated() ? "each element to be " : "";
  return absl::InvalidArgumentError(absl::StrCat("expected ", article, what, ", found ", found, advice));
}

std::string Shown(absl::string_view text, bool quoted) {
  double number = 0;
  if (!quoted && absl::SimpleAtod(text, &number)) return Printable(text);
  return absl::StrCat("the text \"", Printable(text), "\"");
}

absl::StatusOr<ScalarValue> ParseBool(const FieldDescriptor& field, absl::string_view text, bool quoted) {
  if (!quoted && (text == "true" || text == "True" || text == "TRUE")) return true;
  if (!quoted && (text == "false" || text == "False" || text == "FALSE")) return false;
  return Expected(field, "true or false", Shown(text, quoted), quoted ? "; leave out the quotes" : "");
}

absl::StatusOr<ScalarValue> ParseNumber(const FieldDescriptor& field, absl::string_view text, bool quoted) {
  double number = 0;
  if (quoted || !absl::SimpleAtod(text, &number)) {
    const bool is_number = absl::SimpleAtod(text, &number);
    return Expected(field, "a number", Shown(text, quoted), is_number ? "; leave out the quotes" : "");
  }
  if (!std::isfinite(number)) return Expected(field, "a finite number", Printable(text));
  return number;
}

absl::StatusOr<ScalarValue> ParseWhole(const FieldDescriptor& field, absl::string_view text, bool quoted) {
  int64_t whole = 0;
  if (!quoted && absl::SimpleAtoi(text, &whole)) {
    const bool narrow = field.cpp_type() == FieldDescriptor::CPPTYPE_INT32;
    if (!narrow || (whole >= std::numeric_limits<int32_t>::min() && whole <= std::numeric_limits<int32_t>::max())) return whole;
    return Expected(field, BoundsText(field).empty() ? "a smaller whole number" : "a whole number, " + BoundsText(field), Printable(text));
  }
  double number = 0;
  const bool is_number = absl::SimpleAtod(text, &number);
  if (quoted || !is_number) return Expected(field, "a whole number", Shown(text, quoted), is_number ? "; leave out the quotes" : "");
  if (!std::isfinite(number) || number != std::trunc(number) || std::abs(number) > kMaxExact) {
    const std::string bounds = BoundsText(field);
    return Expected(field, bounds.empty() ? "a whole number" : absl::StrCat("a whole number, ", bounds), Printable(text));
  }
  return ParseWhole(field, absl::StrCat(static_cast<int64_t>(number)), false);
}

}  // namespace

absl::StatusOr<ScalarValue> ParseScalar(const FieldDescriptor& field, absl::string_view text, bool quoted) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return ParseBool(field, text, quoted);
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return ParseWhole(field, text, quoted);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return ParseNumber(field, text, quoted);
    case FieldDescriptor::CPPTYPE_STRING:
      return std::string(text);
    default:
      return absl::InternalError(absl::StrCat("field ", field.full_name(), " has a type that specifications do not use"));
  }
}

void StoreScalar(const FieldDescriptor& field, const ScalarValue& value, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const bool add = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool flag = std::get<bool>(value);
      return add ? reflection.AddBool(&message, &field, flag) : reflection.SetBool(&message, &field, flag);
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto whole = static_cast<int32_t>(std::get<int64_t>(value));
      return add ? reflection.AddInt32(&message, &field, whole) : reflection.SetInt32(&message, &field, whole);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const int64_t whole = std::get<int64_t>(value);
      return add ? reflection.AddInt64(&message, &field, whole) : reflection.SetInt64(&message, &field, whole);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const double number = std::get<double>(value);
      return add ? reflection.AddDouble(&message, &field, number) : reflection.SetDouble(&message, &field, number);
    }
    default: {
      const std::string& text = std::get<std::string>(value);
      return add ? reflection.AddString(&message, &field, text) : reflection.SetString(&message, &field, text);
    }
  }
}

ScalarValue LoadScalar(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool element = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return element ? reflection.GetRepeatedBool(message, &field, index) : reflection.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_INT32:
      return int64_t{element ? reflection.GetRepeatedInt32(message, &field, index) : reflection.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64:
      return int64_t{element ? reflection.GetRepeatedInt64(message, &field, index) : reflection.GetInt64(message, &field)};
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return element ? reflection.GetRepeatedDouble(message, &field, index) : reflection.GetDouble(message, &field);
    default:
      return element ? reflection.GetRepeatedString(message, &field, index) : reflection.GetString(message, &field);
  }
}

void StoreMapEntry(const FieldDescriptor& field, const std::string& key, const ScalarValue& value, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const FieldDescriptor& key_field = *field.message_type()->map_key();
  const FieldDescriptor& value_field = *field.message_type()->map_value();
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    Message& entry = *reflection.MutableRepeatedMessage(&message, &field, i);
    if (std::get<std::string>(LoadScalar(entry, key_field)) == key) return StoreScalar(value_field, value, entry);
  }
  Message& entry = *reflection.AddMessage(&message, &field);
  StoreScalar(key_field, key, entry);
  StoreScalar(value_field, value, entry);
}

std::string NumberText(double number) {
  if (number == std::trunc(number) && std::abs(number) < 1e7) return absl::StrCat(static_cast<int64_t>(number));
  std::array<char, 64> buffer;
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return std::string(buffer.data(), end.ptr);
}

std::string ScalarText(const ScalarValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* whole = std::get_if<int64_t>(&value)) return absl::StrCat(*whole);
  if (const double* number = std::get_if<double>(&value)) return NumberText(*number);
  return std::get<std::string>(value);
}

}  // namespace traind::spec
