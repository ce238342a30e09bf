//! Numbers of messages, and the account of samples.

use std::collections::{BTreeMap, BTreeSet};

use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::ledger::{Account, Ledger, ReceivedNumbers};

use super::{Checked, equal, one_of};

const AGENTS: [&str; 3] = ["a", "b", "c"];
const SHARES: [&str; 4] = ["a.1", "a.2", "b.1", "c.1"];

#[derive(Clone, Copy, Default)]
struct Share {
    counted: u64,
    fine: u64,
    told: u64,
    has_ended: bool,
}

/// Messages and counts in any order.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    numbers(draws, operations)?;
    let mut ledger = Ledger::default();
    let mut seen: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    let mut duplicates = 0;
    for _ in 0..operations {
        let (agent, name) = (one_of(draws, &AGENTS), one_of(draws, &SHARES));
        let samples = draws.random_range(0..5) * one_of(draws, &[1, 1_000, 1_000_000]);
        match draws.random_range(0..10) {
            0..4 => {
                let number = draws.random_range(0..12);
                let is_new = seen.entry(agent).or_default().insert(number);
                duplicates += u64::from(!is_new);
                equal("whether a message is new", &ledger.message(agent, number), &is_new)?;
            }
            4 | 5 => {
                ledger.count(name, samples);
                shares.entry(name).or_default().counted += samples;
            }
            6 => {
                ledger.refine(name, samples);
                shares.entry(name).or_default().fine += samples;
            }
            7 => {
                ledger.tell(name, samples);
                let share = shares.entry(name).or_default();
                share.told = share.told.max(samples);
            }
            // A share that is right at its end, now and then.
            8 => {
                let share = shares.entry(name).or_default();
                ledger.refine(name, share.counted.saturating_sub(share.fine));
                ledger.end(name, share.counted);
                (share.fine, share.told) = (share.fine.max(share.counted), share.counted);
                share.has_ended = true;
            }
            _ => {
                ledger.end(name, samples);
                let share = shares.entry(name).or_default();
                (share.told, share.has_ended) = (samples, true);
            }
        }
        let before = draws.random_range(0..13);
        let has_all = seen.get(agent).is_some_and(|seen| (0..before).all(|number| seen.contains(&number)));
        equal("whether all before came", &ledger.has_all_before(agent, before), &(before == 0 || has_all))?;
        let counted = shares.get(name).map_or(0, |share| share.counted);
        equal("counted of a share", &ledger.counted(name), &counted)?;
        account(&ledger.account(), &shares, duplicates)?;
    }
    Ok(())
}

fn numbers(draws: &mut SmallRng, operations: u32) -> Checked {
    let mut numbers = ReceivedNumbers::default();
    let mut seen = BTreeSet::new();
    for _ in 0..operations {
        let number = draws.random_range(0..40);
        equal("whether a number is new", &numbers.note(number), &seen.insert(number))?;
        let missing = seen.last().map_or(0, |last| last + 1 - seen.len() as u64);
        equal("missing", &numbers.missing(), &missing)?;
    }
    Ok(())
}

fn account(is: &Account, shares: &BTreeMap<&str, Share>, duplicates: u64) -> Checked {
    let named = |wanted: fn(&Share) -> bool| -> Vec<String> {
        shares.iter().filter(|(_, share)| wanted(share)).map(|(name, _)| (*name).to_owned()).collect()
    };
    let sum = |of: fn(&Share) -> u64| shares.values().map(of).sum::<u64>();
    let wanted = Account {
        counted: sum(|share| share.counted),
        told: sum(|share| share.told),
        lost: named(|share| !share.has_ended),
        wrong: named(|share| {
            let Share { counted, fine, told, has_ended } = *share;
            counted < told || fine > counted || (has_ended && (counted > told || fine < counted))
        }),
        duplicates,
        coarse: sum(|share| share.counted.saturating_sub(share.fine)),
    };
    equal("the account", is, &wanted)?;
    equal("the account in words", &is.to_string(), &in_words(&wanted))
}

/// What the controller says of an account.
fn in_words(account: &Account) -> String {
    let told = if account.lost.is_empty() { account.told } else { account.told.max(account.counted) };
    let mut parts = vec![format!("accounted: {} of {} samples", thousands(account.counted), thousands(told))];
    if !account.wrong.is_empty() {
        parts.push(format!("incomplete: {}", account.wrong.join(", ")));
    }
    if !account.lost.is_empty() {
        parts.push(format!("lost, and not counted after their last report: {}", account.lost.join(", ")));
    }
    if account.coarse > 0 {
        let coarse = thousands(account.coarse);
        parts.push(format!("{coarse} of them are in percentiles within 1/128, all others within 1/1024"));
    }
    parts.join("; ")
}

fn thousands(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1_000), number % 1_000),
    }
}
