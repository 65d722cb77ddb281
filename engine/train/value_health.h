#pragma once
// ValueHealth: how far the value head's predictions can be trusted: a reliability table and what
// follows from it (docs/learning.md). Plain arithmetic over pairs of a predicted value v and an
// outcome z, both in [-1, 1] in the view of the side to move.

#include <array>
#include <cstdint>
#include <optional>

namespace az {

// Thread-compatible. Sums alone: add parts up in any order.
class ValueHealth {
 public:
  static constexpr int kBins = 10;  // of v, each 0.2 wide; the last one holds v = 1
  struct Bin {
    double count = 0;
    double predicted = 0;  // sum of v
    double outcome = 0;    // sum of z
    double mean_predicted() const { return count > 0 ? predicted / count : 0.0; }
    double mean_outcome() const { return count > 0 ? outcome / count : 0.0; }
  };

  void Add(double value, double outcome);
  ValueHealth& operator+=(const ValueHealth& other);

  double count() const { return count_; }
  const std::array<Bin, kBins>& bins() const { return bins_; }
  // Expected calibration error: mean over the positions of |mean v - mean z| of their bin. In units
  // of value, 0 to 2.
  double CalibrationError() const;
  double MeanAbsolute() const;  // of v
  double Brier() const;         // mean ((1 + v) / 2 - (1 + z) / 2)²
  // Of v and z; nothing where one of them does not vary.
  std::optional<double> Correlation() const;

 private:
  std::array<Bin, kBins> bins_{};
  double count_ = 0;
  double value_ = 0;
  double absolute_ = 0;
  double outcome_ = 0;
  double value_squared_ = 0;
  double outcome_squared_ = 0;
  double product_ = 0;
};

}  // namespace az
