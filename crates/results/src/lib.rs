//! Results of a run: JTL files in JMeter's CSV and XML formats, and run folders.
//!
//! Workers format rows into separate buffers, and pass full buffers to the single writer of a file
//! ([`ResultFiles`]). The formats equal those of JMeter 5.6.3 byte for byte ([`SaveConfig`],
//! [`RowFormat`]).

mod collectors;
mod csv;
mod event_figures;
mod file_writers;
mod files;
mod flexible;
mod format;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod jtl;
mod kinds;
mod lag;
mod listener;
mod machines;
mod observation;
mod open;
mod open_lock;
mod output;
mod place;
mod response_saver;
mod rotation;
mod row;
mod row_text;
mod rows;
pub mod run_folder;
mod save_config;
mod stamp;
mod summaries;
mod summariser;
mod written;
mod xml;
mod xml_names;
mod xml_text;

#[cfg(test)]
mod testing;

pub use file_writers::{FileWrite, FileWriters, OnWriteError};
pub use files::{FileOptions, OpenError, ResultFiles, same_file};
pub use flexible::flexible_writer_factory;
pub use format::{RowFormat, SavedVariable};
pub use kinds::kinds;
pub use lag::DiskWaits;
pub use listener::{CountingListener, jtl_listener, result_collector_factory};
pub use machines::rows_in;
pub use observation::observe;
#[cfg(feature = "simulated")]
pub use output::simulated;
pub use output::{OnFailure, WriteFailure};
pub use place::{
    Folders, NEW_FILE_MODE, PRIVATE_FILE_MODE, check_place, place_of, set_file_mode, write_private,
    write_whole,
};
pub use response_saver::response_saver_factory;
pub use rotation::{Keep, OnTrouble, Rotation};
pub use save_config::{Save, SaveConfig, Stamp};
pub use stamp::StampPattern;
pub use summariser::{counts_transactions, summariser_factory};
pub use written::{Writing, check_named, open_named};
