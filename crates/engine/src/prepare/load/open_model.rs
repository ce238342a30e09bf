//! `org.apache.jmeter.threads.openmodel.OpenModelThreadGroup`.

use super::origin::Origin;
use super::reader::Reader;
use crate::number;
use crate::schedule::OpenModel;

const SEED: &str = "OpenModelThreadGroup.random_seed";

pub(super) fn read(reader: &Reader<'_>, origin: Origin) -> Result<OpenModel, String> {
    let text = reader.text("OpenModelThreadGroup.schedule", "");
    let seed = reader.text(SEED, "");
    if !seed.is_empty() && seed.parse::<i64>().is_err() {
        let message = format!("`{seed}` is not a whole number; 0 is used: each run draws different arrivals");
        reader.warn(SEED, message, "use digits only");
    }
    OpenModel::new(&text, number::long(&seed), origin.start_ns)
}
