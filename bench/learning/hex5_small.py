#!/usr/bin/env python3
"""Hex 5x5 with the small network: from nothing to perfect play."""
import common
import criteria
import hex5

if __name__ == "__main__":
    common.main(common.Experiment(
        name="hex5_small", title="Hex 5x5, small network", config="hex5_small.yaml", limit_s=30 * 60, judge=hex5.judge,
        check=criteria.hex5, target=hex5.TARGET, quick=hex5.QUICK))
