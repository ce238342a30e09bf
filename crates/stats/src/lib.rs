//! Histograms, quantiles, tables per label: pure and mergeable.
//!
//! Each worker counts in its [`Recorder`]. Every second the run takes an interval from each as a
//! [`Snapshot`] and merges it into the [`Run`]. A [`Summary`] has the figures that people and files
//! see. Percentiles are never averaged: histograms are merged. Times are nanoseconds here and
//! milliseconds in a summary.

pub mod capacity;
pub mod compare;
mod confidence;
mod drift;
pub mod encoding;
mod errors;
mod failed_labels;
mod failure;
mod figure;
mod fine;
mod grpc_failure;
mod histogram;
mod interval;
mod label;
mod late;
mod limited;
mod machines;
mod outcomes;
pub mod reading;
mod recorder;
mod run;
mod series;
mod snapshot;
mod summary;
mod tally;
pub mod threshold;
pub mod verdict;
mod warmup;

pub use confidence::{Batches, QuantileInterval, ranks};
pub use drift::{Drift, DriftFigure, OwnGrowth, OwnUse, Trend, trend};
pub use errors::{ErrorRow, ErrorTable, Example};
pub use failed_labels::{FailedLabel, FailedLabels, FailedSamples};
pub use failure::{FailureKind, NO_HTTP_CODE, NO_HTTP_MESSAGE, WEBSOCKET_MESSAGE};
pub use figure::{FigureName, FigureStats, FigureValue, Figures};
pub use fine::FINE_UP_TO;
pub use grpc_failure::{GRPC_FAILED_CODE, GRPC_NO_CONNECTION, GRPC_NOT_MADE, GRPC_NOT_MADE_CODE};
pub use histogram::{Histogram, Precision};
pub use interval::{Interval, Load, Wanted};
pub use label::{LabelStats, Observation};
pub use late::Changed;
pub use machines::{over_machines, worst_of};
pub use outcomes::{Code, Outcomes};
pub use reading::Reading;
pub use recorder::{FigureOf, Recorder};
pub use run::Run;
pub use series::{Point, Series};
pub use snapshot::{LabelRow, OTHER_LABELS, Snapshot, Users};
pub use summary::{
    Delay, FigureRow, QUANTILES, Quantile, ResponseTimes, Summary, SummaryRow, WarmUp, least_samples,
    supports,
};
pub use tally::Tally;
pub use verdict::verdict;
pub use warmup::{Steady, mser5, steady};
