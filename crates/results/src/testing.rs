//! Samples and environments for the tests of this crate.

use std::sync::Arc;

use swell_api::{DataType, SampleResult, Text, Timing};
use swell_expr::{Compiler, Context, Properties};

use crate::format::{RowFormat, SavedVariable};
use crate::{Save, SaveConfig};

/// A user with two variables: `token` is set, `unset` has only its slot.
pub(crate) fn context() -> Context {
    let compiler = Compiler::new(Arc::default());
    let (token, _) = (compiler.names.slot("token"), compiler.names.slot("unset"));
    let mut cx = swell_expr::testing::context_for(&compiler);
    cx.vars.put_slot(token, "a,b");
    cx
}

/// The variables of [`context`].
pub(crate) fn variables() -> Vec<SavedVariable> {
    let names = ["token", "unset"].into_iter().zip(0..);
    SavedVariable::all(names.map(|(name, slot)| (name.into(), swell_expr::Slot(slot))), &format().config)
}

/// The form of `-l` by the defaults.
pub(crate) fn format() -> RowFormat {
    RowFormat {
        config: SaveConfig::from_properties(&Properties::default()).expect("defaults are valid"),
        stamp: None,
        variables: Vec::new(),
        host_name: "box".into(),
        default_encoding: "UTF-8".into(),
        functional: false,
        xml_pi: String::new(),
    }
}

/// The form of `-l` with some switches set.
pub(crate) fn format_with(switches: &[(Save, bool)]) -> RowFormat {
    let mut format = format();
    for &(switch, on) in switches {
        format.config.set(switch, on);
    }
    format
}

/// A sample with a value in each field.
pub(crate) fn sample() -> SampleResult {
    const MS: i64 = 1_000_000;
    let start_ns = 1_700_000_000_123 * MS + 900_000;
    SampleResult {
        label: Text::from("Home"),
        code: Text::from("200"),
        message: Text::from("OK"),
        success: true,
        data_type: DataType::Text,
        timing: Timing {
            intended_ns: start_ns - 3 * MS,
            ready_ns: start_ns - MS,
            scheduled: false,
            start_ns,
            connected_ns: start_ns + 2 * MS,
            first_byte_ns: start_ns + 30 * MS,
            end_ns: start_ns + 42 * MS,
            handshake_ns: MS,
            sent_ns: start_ns + 2 * MS + 20_000,
            arrived_ns: 0,
            read_ns: start_ns + 42 * MS + 5000,
            idle_ns: 0,
        },
        bytes: 1234,
        sent_bytes: 117,
        thread_name: Text::from("Thread Group 1-1"),
        group_threads: 3,
        all_threads: 5,
        url: Some(Text::from("http://localhost/a")),
        ..SampleResult::default()
    }
}
