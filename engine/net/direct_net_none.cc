// direct_net.h on processors other than x86-64.

#include "base/check.h"
#include "engine/net/direct_net.h"

namespace az {

bool DirectNetRuns(const NetShape& shape) {
  (void)shape;
  return false;
}

std::unique_ptr<const InferenceNet> MakeDirectNet(const FoldedNet& net, CpuUnit) {
  AZ_CHECK(DirectNetRuns(net.shape)) << "no direct kernels on this processor";
  return nullptr;
}

}  // namespace az
