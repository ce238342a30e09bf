//! bzm - Random CSV Data Set Config (`com.blazemeter.jmeter.RandomCSVDataSetConfig`): returns each
//! record of a file once, in file order or in random order.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::Rng;
use swell_api::IterationElement;
use swell_expr::{Context, Level, StopRequest, Template};
use swell_plan::Node;

use super::is_true;
use super::lines::Lines;
use super::split;
use crate::compile_context::GroupCompileContext;

/// A compiled element.
struct RandomDataSet {
    name: String,
    filename: Template,
    encoding: Template,
    names: Template,
    delimiter: Template,
    random: Template,
    ignore_first: Template,
    rewind: Template,
    independent: Template,
    deck: Arc<Mutex<Option<RecordOrder>>>,
}

/// Records that are handed out, by all users together. With "independent list per thread" too:
/// release 0.8 of the plug-in gives every thread the same list.
struct RecordOrder {
    names: Vec<String>,
    records: Vec<Vec<String>>,
    /// Places of records; those before `next` were handed out.
    order: Vec<u32>,
    next: usize,
}

pub(crate) fn data_set(node: &Node, context: &GroupCompileContext<'_>) -> Box<dyn IterationElement> {
    let element = &node.element;
    let text = |property: &str| context.compile.template(element, property, "");
    let key = format!("random csv {}", node.id.0);
    Box::new(RandomDataSet {
        name: element.name().to_owned(),
        filename: text("filename"),
        encoding: text("fileEncoding"),
        names: text("variableNames"),
        delimiter: text("delimiter"),
        random: text("randomOrder"),
        ignore_first: text("ignoreFirstLine"),
        rewind: text("rewindOnTheEndOfList"),
        independent: text("independentListPerThread"),
        deck: context.compile.expr.shared.get(&key, Mutex::default),
    })
}

impl IterationElement for RandomDataSet {
    fn iteration_start(&self, cx: &mut Context) {
        let mut deck = self.deck.lock();
        let made = match deck.take() {
            Some(deck) => Ok(deck),
            None => self.load(cx),
        };
        let deck = match made {
            Ok(made) => deck.insert(made),
            // The function that threw, or has no answer yet, is what counts.
            Err(_) if cx.thrown.is_some() => return,
            Err(problem) => {
                cx.host.log(Level::Error, &format!("{}: {problem}", self.name));
                cx.stop = Some(StopRequest::User);
                return;
            }
        };
        let random = is_true(&self.random.eval(cx));
        let rewind = is_true(&self.rewind.eval(cx));
        let Some(record) = deck.draw(random, rewind, &mut cx.random) else {
            cx.host.log(Level::Info, &format!("{}: all records have been used, the user stops", self.name));
            cx.stop = Some(StopRequest::User);
            return;
        };
        for (name, value) in deck.names.iter().zip(&deck.records[record]) {
            cx.vars.put(name, value.as_str());
        }
    }
}

impl RandomDataSet {
    /// Reads the whole file.
    fn load(&self, cx: &mut Context) -> Result<RecordOrder, String> {
        let filename = self.filename.eval(cx).into_owned();
        let delimiter = match &*self.delimiter.eval(cx) {
            "\\t" => '\t',
            other => other.chars().next().unwrap_or(','),
        };
        let encoding = self.encoding.eval(cx).into_owned();
        let names = self.names.eval(cx).into_owned();
        let skip_first = is_true(&self.ignore_first.eval(cx)) || names.is_empty();
        // Evaluated as the plug-in would, though nothing depends on it.
        let _ = is_true(&self.independent.eval(cx));
        if cx.thrown.is_some() {
            return Err("a function of its fields has thrown".to_owned());
        }
        let source = cx
            .host
            .open(filename.as_ref())
            .map_err(|problem| format!("cannot read `{filename}`: {problem}"))?;
        let mut records = read(Lines::new(source, &encoding, cx.host.file_limits())?, delimiter)
            .map_err(|problem| format!("cannot read `{filename}`: {problem}"))?;
        let first = if skip_first && !records.is_empty() { Some(records.remove(0)) } else { None };
        let names = if names.is_empty() {
            first.unwrap_or_default()
        } else {
            names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let order = (0..records.len() as u32).collect();
        Ok(RecordOrder { names, records, order, next: 0 })
    }
}

fn read(mut lines: Lines, delimiter: char) -> Result<Vec<Vec<String>>, split::SplitError> {
    let mut records = Vec::new();
    let mut held = 0;
    let limits = lines.limits();
    while !lines.at_end()? {
        let record = split::quoted(&mut lines, delimiter)?;
        let texts: usize = record.iter().map(|value| size_of::<String>() + value.len()).sum();
        held += (size_of::<Vec<String>>() + texts) as u64;
        limits.check_whole(held)?;
        records.push(record);
    }
    Ok(records)
}

impl RecordOrder {
    /// The place of the next record; none if all are used.
    fn draw(&mut self, random: bool, rewind: bool, lots: &mut impl Rng) -> Option<usize> {
        if self.next == self.order.len() && rewind {
            self.next = 0;
        }
        let left = self.order.len() - self.next;
        if left == 0 {
            return None;
        }
        if random {
            let chosen = self.next + lots.random_range(0..left);
            self.order.swap(self.next, chosen);
        }
        let record = self.order[self.next];
        self.next += 1;
        Some(record as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;
    use swell_expr::FileLimits;

    fn deck(count: u32) -> RecordOrder {
        RecordOrder {
            names: Vec::new(),
            records: vec![Vec::new(); count as usize],
            order: (0..count).collect(),
            next: 0,
        }
    }

    fn drawn(deck: &mut RecordOrder, random: bool, rewind: bool, times: usize) -> Vec<Option<usize>> {
        let mut lots = SmallRng::seed_from_u64(5);
        (0..times).map(|_| deck.draw(random, rewind, &mut lots)).collect()
    }

    #[test]
    fn each_record_comes_once_before_any_comes_again() {
        assert_eq!(drawn(&mut deck(2), false, true, 5), [0, 1, 0, 1, 0].map(Some));
        assert_eq!(drawn(&mut deck(2), false, false, 3), [Some(0), Some(1), None]);
        assert_eq!(drawn(&mut deck(0), true, true, 1), [None]);
        let mut shuffled = deck(50);
        let rounds: Vec<Vec<_>> = (0..3).map(|_| drawn(&mut shuffled, true, true, 50)).collect();
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..50).map(Some).collect::<Vec<_>>());
            assert_ne!(*round, sorted, "by lot");
        }
    }

    #[test]
    fn records_may_be_quoted_over_lines() {
        let lines = |text: &str| {
            Lines::new(Box::new(std::io::Cursor::new(text.as_bytes().to_vec())), "", FileLimits::default())
                .unwrap()
        };
        assert_eq!(read(lines("a;b\n\"c\nd\";e\n"), ';').unwrap(), [["a", "b"], ["c\nd", "e"]]);
        assert_eq!(read(lines("a\n\nb"), ';').unwrap(), [["a"], [""], ["b"]]);
    }
}
