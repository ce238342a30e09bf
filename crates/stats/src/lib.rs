//! Histograms, quantiles, tables a label: pure and mergeable.
