#!/usr/bin/env python3
"""Hex 5x5 with 5x5.yaml as it is shipped: 128 filters, 8 blocks, 8 attention heads."""
import common
import criteria
import hex5

if __name__ == "__main__":
    common.main(common.Experiment(
        name="hex5_full", title="Hex 5x5, 128x8 with 8 heads", config="5x5.yaml", limit_s=90 * 60, judge=hex5.judge,
        check=criteria.hex5, target=hex5.TARGET, quick=hex5.QUICK))
