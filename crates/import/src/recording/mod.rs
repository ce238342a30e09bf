//! From recorded exchanges to a plan as people write it.

mod correlate;
mod data;
mod noise;
mod steps;

use crate::model::{Exchange, Flow};
use crate::notes::Notes;
use crate::options::Options;

/// Makes flows of recordings. Two of the same steps become one.
pub(crate) fn finish(recordings: Vec<Flow>, options: &Options, notes: &mut Notes) -> Vec<Flow> {
    let scripts = recordings.first().filter(|_| options.makes_data).map(data::scripts).unwrap_or_default();
    let mut all: Vec<Flow> =
        recordings.into_iter().map(|recording| noise::without(recording, options, notes)).collect();
    let is_twice = all.len() == 2 && are_the_same(&all[0], &all[1]);
    let second = if is_twice { all.pop().map(|mut flow| flow.take_exchanges()) } else { None };
    let second = second.unwrap_or_default();
    let mut out = Vec::with_capacity(all.len());
    for flow in all {
        out.push(finished(flow, &second, (options, &scripts), notes));
    }
    out
}

/// Whether two recordings have at least half of their requests in common.
fn are_the_same(first: &Flow, second: &Flow) -> bool {
    let first = first.exchanges();
    let second = second.exchanges();
    let common = correlate::pairs(&first, &second).iter().flatten().count();
    common * 2 >= first.len().max(second.len()) && common > 0
}

fn finished(
    mut flow: Flow,
    second: &[Exchange],
    (options, scripts): (&Options, &str),
    notes: &mut Notes,
) -> Flow {
    let mut first = flow.take_exchanges();
    let pairs = if second.is_empty() {
        vec![None; first.len()]
    } else {
        correlate::pairs(&first.iter().collect::<Vec<_>>(), &second.iter().collect::<Vec<_>>())
    };
    if !second.is_empty() {
        note_extra(&first, second, &pairs, notes);
    }
    correlate::correlate(&mut first, second, &pairs, options.keeps_secrets, notes);
    let data = if options.makes_data { data::of(&mut first, second, &pairs, scripts) } else { Vec::new() };
    without_zstd(&mut first, notes);
    let items = Flow::of(&flow.name, first).items;
    steps::with_steps(Flow { items, data, ..flow }, options)
}

/// Requests that only one of two recordings has.
fn note_extra(first: &[Exchange], second: &[Exchange], pairs: &[Option<usize>], notes: &mut Notes) {
    let what = |exchange: &Exchange| {
        let url: String = exchange.url.leading().chars().take(100).collect();
        format!("{} {url}", exchange.method)
    };
    for (exchange, _) in first.iter().zip(pairs).filter(|(_, pair)| pair.is_none()) {
        let reason = "only this recording has it, so it is sent as recorded";
        notes.changed(&exchange.place, what(exchange), reason);
    }
    for (index, exchange) in second.iter().enumerate() {
        if !pairs.contains(&Some(index)) {
            notes.dropped(&exchange.place, what(exchange), "the first recording does not have it");
        }
    }
}

/// A site that answers in zstd would be asked for it again, and JMeter does not decode it, so no
/// extractor would find anything.
fn without_zstd(exchanges: &mut [Exchange], notes: &mut Notes) {
    let is_zstd = |exchange: &Exchange| {
        let coding = exchange.response.as_ref().and_then(|response| response.header("Content-Encoding"));
        coding.is_some_and(|coding| coding.contains("zstd"))
    };
    let extracts = exchanges.iter().any(|exchange| !exchange.captures.is_empty());
    if !extracts || !exchanges.iter().any(is_zstd) {
        return;
    }
    let mut first = None;
    for exchange in exchanges {
        for header in
            exchange.headers.iter_mut().filter(|header| header.name.eq_ignore_ascii_case("accept-encoding"))
        {
            let value = header.value.as_literal().unwrap_or_default();
            if !value.split(',').any(|coding| coding.trim() == "zstd") {
                continue;
            }
            let kept: Vec<&str> =
                value.split(',').map(str::trim).filter(|coding| *coding != "zstd").collect();
            header.value = kept.join(", ").into();
            first.get_or_insert(exchange.place.clone());
        }
    }
    if let Some(place) = first {
        notes.changed(
            &place,
            "header Accept-Encoding",
            "zstd is taken out: JMeter cannot decode it, so extractors would find nothing",
        );
    }
}
