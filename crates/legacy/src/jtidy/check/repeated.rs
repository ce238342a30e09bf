//! Attributes that an element has twice (`Node.repairDuplicateAttributes`): styles are joined, of others the last stays.

use super::super::node::{Attribute, Id};
use super::super::page::Page;
use super::super::words::AttributeFinding as Finding;

/// The attributes as the linked list that they are in JTidy, where one that was taken out still knows what followed it.
struct Chain {
    attributes: Vec<Attribute>,
    next: Vec<Option<usize>>,
    first: Option<usize>,
}

impl Chain {
    fn new(attributes: Vec<Attribute>) -> Self {
        let count = attributes.len();
        let next = (1..=count).map(|next| Some(next).filter(|&next| next < count)).collect();
        Self { attributes, next, first: Some(0).filter(|_| count > 0) }
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.first, |&at| self.next[at])
    }

    fn remove(&mut self, place: usize) {
        let before = self.places().find(|&at| self.next[at] == Some(place));
        match before {
            Some(before) => self.next[before] = self.next[place],
            None if self.first == Some(place) => self.first = self.next[place],
            None => {}
        }
    }

    fn into_attributes(mut self) -> Vec<Attribute> {
        let places: Vec<_> = self.places().collect();
        let taken = places.into_iter().map(|at| {
            let empty = Attribute { name: None, value: None, known: None, asp: false, php: false };
            std::mem::replace(&mut self.attributes[at], empty)
        });
        taken.collect()
    }

    fn is_same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.attributes[one], &self.attributes[other]);
        match (&one.name, &other.name) {
            (Some(name), Some(other)) => name.eq_ignore_ascii_case(other),
            _ => false,
        }
    }
}

impl Page {
    pub(in super::super) fn drop_repeated_attributes(&mut self, node: Id) {
        if self.tree[node].attributes.len() < 2 {
            return;
        }
        let mut chain = Chain::new(std::mem::take(&mut self.tree[node].attributes));
        let mut at = chain.first;
        while let Some(place) = at {
            at = if chain.attributes[place].is_server() {
                chain.next[place]
            } else {
                let last = self.drop_repeated(node, &mut chain, place);
                chain.next[last]
            };
        }
        self.tree[node].attributes = chain.into_attributes();
    }

    /// Compares one attribute with those behind it; gives the place where that ends.
    fn drop_repeated(&mut self, node: Id, chain: &mut Chain, place: usize) -> usize {
        let mut place = place;
        let mut current = chain.next[place];
        while let Some(other) = current {
            if chain.attributes[other].is_server() || !chain.is_same(place, other) {
                current = chain.next[other];
                continue;
            }
            let is_style = chain.attributes[other]
                .name
                .as_deref()
                .is_some_and(|name| name.eq_ignore_ascii_case("style"));
            if !is_style {
                self.attribute(Finding::Repeated, Some(node), Some(&chain.attributes[other]));
                current = chain.next[other];
                chain.remove(other);
                continue;
            }
            let Some(joined) = join(&chain.attributes[other], &chain.attributes[place]) else {
                self.fail();
                return place;
            };
            chain.attributes[other].value = Some(joined);
            let Some(next) = chain.next[place] else {
                self.fail();
                return place;
            };
            current = chain.next[next].and(chain.next[other]);
            self.attribute(Finding::Joining, Some(node), Some(&chain.attributes[place]));
            chain.remove(place);
            place = next;
        }
        place
    }
}

/// The style of one attribute and that of another; none where JTidy fails.
fn join(current: &Attribute, other: &Attribute) -> Option<String> {
    let value = current.value.as_deref()?;
    let other = other.value.as_deref().unwrap_or("null");
    Some(match value.chars().last()? {
        ';' => format!("{value} {other}"),
        '}' => format!("{value} {{ {other} }}"),
        _ => format!("{value}; {other}"),
    })
}
