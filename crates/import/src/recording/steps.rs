//! Transactions and think times of a recording.

use crate::model::{Exchange, Flow, Folder, FolderKind, Item, Pause};
use crate::options::{Options, Pauses};
use crate::write::path_label;

/// A longer pause begins a new transaction, unless the recording has pages.
const STEP_MS: f64 = 2_000.0;

/// Shorter pauses are the browser's.
const LEAST_MS: f64 = 200.0;

/// The flow with a transaction for each page, or for each group of requests after a pause.
pub(super) fn with_steps(mut flow: Flow, options: &Options) -> Flow {
    let exchanges = flow.take_exchanges();
    let mut folders: Vec<Folder> = Vec::new();
    let mut page = None;
    let mut end_ms: Option<f64> = None;
    let has_pages = exchanges.iter().any(|exchange| exchange.page.is_some());
    for mut exchange in exchanges {
        let gap = exchange.at_ms.zip(end_ms).map(|((start, _), end)| start - end);
        let is_new = match (folders.last(), has_pages) {
            (None, _) => true,
            (_, true) => exchange.page.is_some() && exchange.page != page,
            (_, false) => gap.is_some_and(|gap| gap > STEP_MS),
        };
        let starts_step = is_new && !folders.is_empty();
        exchange.pause = exchange.pause.take().or_else(|| pause(gap, starts_step, options.pauses));
        if let Some((start, duration)) = exchange.at_ms {
            end_ms = Some(end_ms.unwrap_or(f64::MIN).max(start + duration));
        }
        if is_new {
            page.clone_from(&exchange.page);
            let name = step_name(&exchange);
            folders.push(Folder { name, kind: FolderKind::Transaction, items: Vec::new() });
        }
        if let Some(folder) = folders.last_mut() {
            folder.items.push(Item::Exchange(Box::new(exchange)));
        }
    }
    number(&mut folders);
    // One step is the flow itself.
    let items = match folders.len() {
        1 => folders.remove(0).items,
        _ => folders.into_iter().map(Item::Folder).collect(),
    };
    Flow { items, ..flow }
}

/// The title of the page, unless it is a URL, as Chrome has it; else the path of the first request.
fn step_name(exchange: &Exchange) -> String {
    let title = exchange.page.as_ref().map(|page| page.title.trim());
    if let Some(title) = title.filter(|title| !title.is_empty() && !title.contains("://")) {
        title.chars().take(60).collect()
    } else {
        let path = crate::write::url::target(&exchange.url).map(|target| path_label(&target.path));
        path.unwrap_or_default()
    }
}

/// Names are labels, so two steps have two names.
fn number(folders: &mut [Folder]) {
    for (index, folder) in folders.iter_mut().enumerate() {
        folder.name = format!("{:02} {}", index + 1, folder.name);
    }
}

fn pause(gap_ms: Option<f64>, starts_step: bool, wanted: Pauses) -> Option<Pause> {
    match wanted {
        Pauses::Drop => None,
        Pauses::Between(least, most) => {
            starts_step.then_some(Pause::Between((least * 1e3) as u64, (most * 1e3) as u64))
        }
        Pauses::Keep => gap_ms.filter(|gap| *gap >= LEAST_MS).map(|gap| Pause::Fixed(gap.round() as u64)),
    }
}
