//! Tests are skipped where Java or JMeter is not installed.

use swell_jvm::{HomeError, JavaError, StartError};

/// What it started, or none with the reason printed where Java or JMeter is not installed.
pub(crate) fn installed<T>(started: Result<T, StartError>) -> Option<T> {
    match started {
        Ok(started) => Some(started),
        Err(
            error @ (StartError::Java(JavaError::Nowhere)
            | StartError::Home(HomeError { named_by: None, .. })),
        ) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
