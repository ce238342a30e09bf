//! Secrets, kept out of what is shown, logged and written.
//!
//! Two rules find them: by name, as in `?token=…` and `--password …` ([`without_passwords`],
//! [`masked_arguments`]), and by value, for values that their user named secret ([`protect`]).

mod names;
mod values;

pub use names::{is_secret, masked_arguments, without_passwords};
pub use values::{SHORTEST, has_protected, protect, protects, without_protected, without_protected_bytes};
