//! Matches the elements below two elements.

use std::collections::{BTreeMap, VecDeque};

use swell_plan::Node;

/// Elements of two plans that belong together.
pub(super) enum Pair<'p> {
    Both(&'p Node, &'p Node),
    /// The same, at another place among their siblings.
    Moved(&'p Node, &'p Node),
    Before(&'p Node),
    After(&'p Node),
}

/// What two elements have to share.
fn key(node: &Node) -> (&str, &str) {
    (&node.element.class, node.element.name())
}

/// Pairs in the order of the second plan; what only the first has comes before what follows it
/// there.
///
/// First those with the same class and name, the first of each with the first; then, between two
/// matched neighbours, those with the same class, whose name has changed. The time is that of
/// sorting.
pub(super) fn pairs<'p>(before: &'p [Node], after: &'p [Node]) -> Vec<Pair<'p>> {
    let mut partner: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    take_matching(before, after, &mut partner, &mut taken);
    let in_order = longest_rise(&partner);
    rename(before, after, &in_order, &mut partner, &mut taken);
    in_order_of_second(before, after, &partner, &in_order)
}

fn take_matching(before: &[Node], after: &[Node], partner: &mut [Option<usize>], taken: &mut [bool]) {
    let mut waiting: BTreeMap<(&str, &str), VecDeque<usize>> = BTreeMap::new();
    for (at, node) in after.iter().enumerate() {
        waiting.entry(key(node)).or_default().push_back(at);
    }
    for (at, node) in before.iter().enumerate() {
        let found = waiting.get_mut(&key(node)).and_then(VecDeque::pop_front);
        if let Some(found) = found {
            partner[at] = Some(found);
            taken[found] = true;
        }
    }
}

/// Which pairs keep their order: a longest row of rising partners.
fn longest_rise(partner: &[Option<usize>]) -> Vec<bool> {
    // The pair that ends the best row of each length, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; partner.len()];
    for (at, target) in partner.iter().enumerate() {
        let Some(target) = target else { continue };
        let length = ends.partition_point(|end| partner[*end].is_some_and(|other| other < *target));
        previous[at] = length.checked_sub(1).map(|before| ends[before]);
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut is_kept = vec![false; partner.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        is_kept[place] = true;
        at = previous[place];
    }
    is_kept
}

/// How many places an element with a new name is looked for.
const NEAR: usize = 20;

/// Between two pairs that keep their order: elements of the same class whose name has changed, in
/// order.
fn rename(
    before: &[Node],
    after: &[Node],
    in_order: &[bool],
    partner: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let mut next = 0;
    for at in 0..before.len() {
        if in_order[at] {
            next = partner[at].map_or(next, |found| found + 1);
            continue;
        }
        if partner[at].is_some() {
            continue;
        }
        let mut free = (next..after.len()).take(NEAR).take_while(|place| !taken[*place]);
        let free = free.find(|place| after[*place].element.class == before[at].element.class);
        if let Some(place) = free {
            partner[at] = Some(place);
            taken[place] = true;
            next = place + 1;
        }
    }
}

fn in_order_of_second<'p>(
    before: &'p [Node],
    after: &'p [Node],
    partner: &[Option<usize>],
    in_order: &[bool],
) -> Vec<Pair<'p>> {
    let mut of_second: Vec<Option<usize>> = vec![None; after.len()];
    for (at, found) in partner.iter().enumerate() {
        if let Some(found) = found {
            of_second[*found] = Some(at);
        }
    }
    // Renamed ones are in order by construction.
    let is_moved = |at: usize| {
        !in_order[at] && before[at].element.name() == after[partner[at].unwrap_or(0)].element.name()
    };
    let mut all = Vec::with_capacity(before.len().max(after.len()));
    let mut next = 0;
    for (place, node) in after.iter().enumerate() {
        match of_second[place] {
            None => all.push(Pair::After(node)),
            Some(at) if is_moved(at) => all.push(Pair::Moved(&before[at], node)),
            Some(at) => {
                while next < at {
                    if partner[next].is_none() {
                        all.push(Pair::Before(&before[next]));
                    }
                    next += 1;
                }
                next = at + 1;
                all.push(Pair::Both(&before[at], node));
            }
        }
    }
    all.extend((next..before.len()).filter(|at| partner[*at].is_none()).map(|at| Pair::Before(&before[at])));
    all
}
