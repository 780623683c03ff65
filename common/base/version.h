#pragma once

namespace traind {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace traind
