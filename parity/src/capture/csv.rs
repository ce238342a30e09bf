//! Masks the columns of CSV results that differ from run to run. The rest stays as written,
//! including quotes and line ends.

use super::{NO_RESPONSE, TIMES, TRANSACTION};
use crate::case::{Order, Rules};

/// Columns of a file without a header line: JMeter's default columns.
const DEFAULT: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,\
                       bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";

/// Returns the masked text. Text that is not a results file is returned unchanged.
pub(super) fn render(text: &str, rules: &Rules) -> String {
    let mut rows = split(text);
    let Some(first) = rows.first() else { return text.to_owned() };
    let has_header = first.fields.iter().any(|field| field == "label" || field == "responseCode");
    let is_default = first.fields.len() == DEFAULT.split(',').count();
    let columns = match (has_header, is_default) {
        (true, _) => first.fields.clone(),
        (false, true) => DEFAULT.split(',').map(str::to_owned).collect(),
        (false, false) => return text.to_owned(),
    };
    let data = if has_header { &mut rows[1..] } else { &mut rows[..] };
    let sums = rules.traces_in_sums && text.contains(NO_RESPONSE);
    for row in data.iter_mut() {
        mask(row, &columns, rules, sums);
    }
    match rules.order {
        Order::Run | Order::Thread => {
            let thread = columns.iter().position(|column| column == "threadName");
            data.sort_by_key(|row| thread.and_then(|at| row.fields.get(at).cloned()));
        }
        Order::None => data.sort_by_key(Row::text),
    }
    rows.iter().map(Row::text).collect()
}

/// Returns the header and the rows of threads named by this prefix and a number.
pub(super) fn of_threads(text: &str, group: &str) -> String {
    let rows = split(text);
    let header = rows.first().map(|row| row.fields.clone()).unwrap_or_default();
    let thread = header.iter().position(|column| column == "threadName");
    let wanted = |row: &Row| thread.and_then(|at| row.fields.get(at)).is_some_and(|name| is_of(name, group));
    rows.iter().enumerate().filter(|(at, row)| *at == 0 || wanted(row)).map(|(_, row)| row.text()).collect()
}

fn is_of(thread: &str, group: &str) -> bool {
    thread.trim_start_matches('"').starts_with(group)
}

/// Returns codes, success flags and threads only, as a set.
pub(super) fn shape(text: &str) -> String {
    let rows = split(text);
    let Some(header) = rows.first().map(|row| row.fields.clone()) else { return String::new() };
    let kept = |row: &Row| {
        let named = header.iter().zip(&row.fields);
        let kept =
            named.filter(|(name, _)| ["responseCode", "success", "threadName"].contains(&name.as_str()));
        kept.map(|(_, field)| field.as_str()).collect::<Vec<_>>().join(",") + "\n"
    };
    let mut lines: Vec<String> = rows.iter().map(kept).collect();
    lines[1..].sort();
    lines.concat()
}

/// A line of the file: its fields as written, and the text between and after them.
struct Row {
    fields: Vec<String>,
    delimiter: String,
    end: String,
}

impl Row {
    fn text(&self) -> String {
        self.fields.join(&self.delimiter) + &self.end
    }
}

fn mask(row: &mut Row, columns: &[String], rules: &Rules, sums: bool) {
    let starts = |text: &str| row.fields.iter().any(|field| field.trim_start_matches('"').starts_with(text));
    let failed = starts(NO_RESPONSE) || sums && starts(TRANSACTION);
    for (field, column) in row.fields.iter_mut().zip(columns) {
        let column = column.trim_matches('"');
        let is_time = TIMES.iter().any(|(name, _)| *name == column);
        if is_time || rules.masked.iter().any(|name| name == column) || (failed && column == "bytes") {
            "*".clone_into(field);
        }
    }
}

fn split(text: &str) -> Vec<Row> {
    // The delimiter follows the first name; a header always starts with one of JMeter's names.
    let delimiter = text.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '"').unwrap_or(',');
    let mut rows = Vec::new();
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '\n' if !quoted => {
                let fields = std::mem::replace(&mut fields, vec![String::new()]);
                rows.push(Row { fields, delimiter: delimiter.to_string(), end: "\n".to_owned() });
            }
            c if c == delimiter && !quoted => fields.push(String::new()),
            c => {
                quoted ^= c == '"';
                fields.last_mut().expect("there is always a field").push(c);
            }
        }
    }
    if fields.len() > 1 || !fields[0].is_empty() {
        rows.push(Row { fields, delimiter: delimiter.to_string(), end: String::new() });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "timeStamp,elapsed,label,responseCode,threadName,bytes,\"x\"\n\
                        12,3,b,200,B 1-1,7,1\n\
                        11,4,\"a,\n\"\"b\",Non HTTP response code: X,A 1-1,99,2\n";

    #[test]
    fn times_and_sizes_of_stack_traces_are_masked() {
        let expected = "timeStamp,elapsed,label,responseCode,threadName,bytes,\"x\"\n\
                        *,*,\"a,\n\"\"b\",Non HTTP response code: X,A 1-1,*,2\n\
                        *,*,b,200,B 1-1,7,1\n";
        assert_eq!(render(FILE, &Rules::default()), expected);
    }

    #[test]
    fn sums_around_stack_traces_are_masked_in_plans_of_others() {
        let sum =
            "1,2,t,,\"Number of samples in transaction : 1, number of failing samples : 1\",B 1-1,99,2\n";
        let file = FILE.replace("threadName,", "responseMessage,threadName,").replace(",200,", ",200,OK,");
        let file = file.replace(": X,", ": X,bad,") + sum;
        let foreign = Rules { traces_in_sums: true, ..Rules::default() };
        assert!(render(&file, &foreign).contains("failing samples : 1\",B 1-1,*,2"), "{file}");
        assert!(render(&file, &Rules::default()).contains("failing samples : 1\",B 1-1,99,2"));
        let fine = file.replace(NO_RESPONSE, "500");
        assert!(render(&fine, &foreign).contains("failing samples : 1\",B 1-1,99,2"));
    }

    #[test]
    fn rules_mask_and_order() {
        let masked = vec!["bytes".to_owned(), "x".to_owned(), "label".to_owned()];
        let rules = Rules { masked, order: Order::Thread, ..Rules::default() };
        let text = render(FILE, &rules);
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows, ["*,*,*,Non HTTP response code: X,A 1-1,*,*", "*,*,*,200,B 1-1,*,*"]);
    }

    #[test]
    fn the_shape_leaves_out_what_is_drawn_by_lot() {
        let expected = "responseCode,threadName\n200,B 1-1\nNon HTTP response code: X,A 1-1\n";
        assert_eq!(shape(FILE), expected);
    }

    #[test]
    fn other_delimiters_and_no_header() {
        let text = "label;elapsed\na;5\n";
        assert_eq!(render(text, &Rules::default()), "label;elapsed\na;*\n");
        let text = "1,2,a,200,OK,T 1-1,text,true,,1,2,1,1,null,3,4,5\n";
        assert_eq!(render(text, &Rules::default()), "*,*,a,200,OK,T 1-1,text,true,,1,2,1,1,null,*,*,*\n");
        assert_eq!(render("free text", &Rules::default()), "free text");
    }
}
