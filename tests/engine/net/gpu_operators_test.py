#!/usr/bin/env python3
"""What runs on a GPU calls no operator that LibTorch compiles when it is first called.

usage: gpu_operators_test.py

Such a kernel needs NVRTC and its builtins at run time, takes seconds and fails the batch where they are not found;
another form of the operator is in the wheel, compiled. The names are the kernels of the 2.11.0 wheel's
libtorch_cuda.so that exist for real numbers as `jitted_gpu_kernel` alone (nm -C, less the complex ones).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ("engine/net", "engine/train", "engine/apps")
COMPILED_AT_RUN_TIME = """
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_[tuvw] digamma entr erfc erfcx erfinv exp2 gcd
    hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e kaiser_window laguerre_polynomial_l lcm
    legendre_polynomial_p lgamma log_ndtr modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
    ndtri polygamma prod scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_[tuvw] sinc
    spherical_bessel_j0 trigamma zeta
""".split()
OTHER_NAMES = ["gammaln", "mvlgamma", "multigammaln", "psi"]  # of the same kernels
# at::special_entr(x), torch::special::entr(x), x.lgamma_(), x.prod(1); not std::lgamma(x).
CALL = re.compile(r"(?:\b(?:at|torch)::(?:special::|special_)?|(?:\.|->)(?:special_)?)"
                  rf"(?:{'|'.join(COMPILED_AT_RUN_TIME + OTHER_NAMES)})(?:_|_out)?\(")

CALLS = ["at::special_entr(p)", "torch::special::entr(p)", "torch::prod(t, 1)", "t.lgamma_()", "t->exp2()",
         "at::gcd_out(t, a, b)", "at::special_chebyshev_polynomial_t(t, 3)"]
OTHERS = ["std::lgamma(x)", "std::gcd(a, b)", "at::xlogy(p, p)", "t.exp()", "at::erf(t)", "product(3)"]


def faults_of(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if found := CALL.search(line.split("//")[0]):
            yield (f"{name}:{number}: {found.group()}…) is compiled at run time on a GPU (take an operator whose kernel "
                   "is in the wheel)")


def main():
    faults = [f"not found: {call}" for call in CALLS if not CALL.search(call)]
    faults += [f"found: {other}" for other in OTHERS if CALL.search(other)]
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.[hc]*"))]
    for path in files:
        faults += faults_of(path.relative_to(ROOT), path.read_text())
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{len(files)} files, {len(faults)} fault(s)")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
