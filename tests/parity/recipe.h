// A recipe runs our code on the inputs of a fixture and hands the results to the comparison. It calls what the trainer's step calls and
// holds no formula of its own but for what the reference adds to it (a constant, a mean, a name). Sizes come from the tensors, options from
// the arguments, so that a new file of a known recipe needs no code. A new recipe is a function in recipes/ and a line in recipe_list.cc.
#pragma once

#include <string>
#include <vector>

#include "tests/parity/comparison.h"
#include "tests/parity/fixture.h"

namespace traind::parity {

struct Recipe {
  std::string name;  // as the files' metadata have it
  void (*run)(const Fixture& fixture, Comparison& comparison);
};

const std::vector<Recipe>& Recipes();

}  // namespace traind::parity
