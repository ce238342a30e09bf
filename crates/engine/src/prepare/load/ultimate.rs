//! `kg.apc.jmeter.threads.UltimateThreadGroup`.

use super::reader::Reader;
use crate::schedule::{Row, rows_of_property};

/// The rows. Old files have them under the other name.
const DATA: &str = "ultimatethreadgroupdata";
const OLD_DATA: &str = "threads_schedule";

/// What the columns of a row are.
const COLUMNS: [&str; 5] = ["users", "delay", "ramp", "hold", "shutdown"];

/// The rows of the property `threads_schedule` of the run if there is one, else those of the plan.
///
/// # Errors
/// A row has too few columns. The plug-in's exception (`UltimateThreadGroup.scheduleThread`) ends
/// JMeter's engine when the first user of the row is to start: users of other groups and the end of
/// the test are lost. Columns that are too many are not looked at, as there.
pub(super) fn rows(reader: &Reader<'_>) -> Result<Vec<Row>, String> {
    let given = reader.main.compile.props.get(OLD_DATA).filter(|text| !text.is_empty());
    if let Some(text) = given {
        let (rows, wrong) = rows_of_property(&text);
        for part in wrong {
            let message = format!("invalid `{part}` in the property `{OLD_DATA}`: it is ignored");
            reader.warn(
                OLD_DATA,
                message,
                "use spawn(users, delay, ramp, hold, shutdown), such as spawn(10,5s,30s,2m,5s)",
            );
        }
        return Ok(rows);
    }
    let data = if reader.group.collection(DATA).is_empty() { OLD_DATA } else { DATA };
    let row = |(number, cells): (usize, Vec<String>)| {
        if cells.len() < COLUMNS.len() {
            let number = number + 1;
            let has = cells.len();
            return Err(format!(
                "row {number} of `{data}` has {has} of 5 columns ({}); JMeter aborts the test there",
                COLUMNS.join(", ")
            ));
        }
        let whole = |column| reader.whole_cell(data, number, &cells, column);
        Ok(Row {
            users: whole(0),
            delay_s: whole(1),
            ramp_s: whole(2),
            hold_s: whole(3),
            shutdown_s: whole(4),
        })
    };
    reader.rows(data).into_iter().enumerate().map(row).collect()
}
