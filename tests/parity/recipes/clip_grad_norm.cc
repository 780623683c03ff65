#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/parity/recipes/recipes.h"
#include "worker/train/gradient_clip.h"

namespace traind::parity {
namespace {

// "inf" or a number, as torch.nn.utils.clip_grad_norm_ takes it.
double Order(const Fixture& fixture) {
  const auto order = fixture.Arg<nlohmann::json>("norm_type", 2.0);
  if (order.is_number()) return order.get<double>();
  TORCH_CHECK(order == "inf", "args.norm_type is ", order.dump(), "; it is a number or \"inf\"");
  return std::numeric_limits<double>::infinity();
}

}  // namespace

// Also where the norm is not finite: the step is skipped then, but what clipping leaves is the reference's too.
void ClipGradNorm(const Fixture& fixture, Comparison& comparison) {
  std::vector<torch::Tensor> flat;
  for (int i = 0; fixture.Has(absl::StrCat("in.gradient.", i)); ++i) {
    flat.push_back(fixture.In(absl::StrCat("gradient.", i)).reshape({-1}));
  }
  TORCH_CHECK(!flat.empty(), "the file has no tensor in.gradient.0");
  const torch::Tensor gradients = torch::cat(flat);
  const worker::train::ClipResult clipped = worker::train::ClipGlobalNorm(gradients, fixture.Arg<double>("max_norm"), Order(fixture));
  comparison.Compare("out.total_norm", clipped.norm);
  int64_t offset = 0;
  for (size_t i = 0; i < flat.size(); ++i) {
    const std::string name = absl::StrCat("gradient.", i);
    comparison.Compare("out." + name, gradients.narrow(0, offset, flat[i].numel()).view(fixture.In(name).sizes()));
    offset += flat[i].numel();
  }
  TORCH_CHECK((clipped.non_finite.item<float>() != 0) == !fixture.Get("out.total_norm").isfinite().item<bool>(), "the step is ",
              clipped.non_finite.item<float>() != 0 ? "" : "not ", "skipped");
}

}  // namespace traind::parity
