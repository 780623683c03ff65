// gMock matchers for absl::Status and absl::StatusOr, in the shape of Abseil's later releases.
#pragma once

#include <ostream>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace traind::testing {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  const absl::Status& status = GetStatus(arg);
  if (status.ok()) return true;
  *result_listener << status.ToString();
  return false;
}

MATCHER_P2(StatusIs, code, message, "") {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status.ToString();
  return status.code() == code && ::testing::ExplainMatchResult(message, std::string(status.message()), result_listener);
}

MATCHER_P(StatusCodeIs, code, "") {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status.ToString();
  return status.code() == code;
}

MATCHER_P(IsOkAndHolds, value, "") {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return ::testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace traind::testing

#define ASSERT_OK(expr) ASSERT_THAT((expr), ::traind::testing::IsOk())
#define EXPECT_OK(expr) EXPECT_THAT((expr), ::traind::testing::IsOk())
// ASSERT_OK_AND_ASSIGN(auto x, F()): fails the test at once if F() is not OK.
#define ASSERT_OK_AND_ASSIGN(lhs, expr) ASSERT_OK_AND_ASSIGN_IMPL_(TRAIND_TEST_CONCAT_(test_result_, __LINE__), lhs, expr)
#define ASSERT_OK_AND_ASSIGN_IMPL_(result, lhs, expr)     \
  auto result = (expr);                                   \
  ASSERT_TRUE(result.ok()) << result.status().ToString(); \
  lhs = *std::move(result)
#define TRAIND_TEST_CONCAT_INNER_(a, b) a##b
#define TRAIND_TEST_CONCAT_(a, b) TRAIND_TEST_CONCAT_INNER_(a, b)
