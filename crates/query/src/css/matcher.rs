//! Matches selectors with documents.

use std::collections::{HashMap, HashSet};

use swell_budget::Budget;

use super::selector::{Chain, Comparison, Compound, Condition, Part, Relation, Selector};
use super::{CssError, attribute};
use crate::html::{jsoup_own_text, jsoup_text};
use crate::tree::{Document, NodeId, NodeKind};

/// What a look at an element costs, in units of work.
const ELEMENT: u64 = 10;

pub(super) fn select(
    document: &Document,
    selector: &Selector,
    budget: &Budget,
) -> Result<Vec<NodeId>, CssError> {
    Matcher { document, budget }.selected(selector, 0)
}

struct Matcher<'d> {
    document: &'d Document,
    budget: &'d Budget,
}

/// Places of an element among the others of its parent, and among those with its name, from 1.
#[derive(Clone, Copy)]
struct Place {
    at: i64,
    of: i64,
    at_of_name: i64,
    of_name: i64,
}

impl Matcher<'_> {
    fn work(&self, amount: usize) -> Result<(), CssError> {
        let work = self.budget.work(ELEMENT.saturating_mul(amount as u64));
        work.map_err(|_| CssError::new("the selector visits too many elements of this page"))
    }

    /// What a selector finds in and below an element, which is the one that is asked about.
    fn selected(&self, selector: &Selector, scope: NodeId) -> Result<Vec<NodeId>, CssError> {
        let mut all = Vec::new();
        for chain in &selector.0 {
            all.append(&mut self.chain(chain, scope)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn chain(&self, chain: &Chain, scope: NodeId) -> Result<Vec<NodeId>, CssError> {
        let all: Vec<NodeId> = self.elements(scope).collect();
        self.work(all.len() + 1)?;
        let mut found = match chain.leading {
            None => self.compound(&chain.first, all.clone(), scope)?,
            Some(relation) => {
                self.compound(&chain.first, self.related(&all, &[scope], relation, scope), scope)?
            }
        };
        for (relation, compound) in &chain.rest {
            self.work(all.len())?;
            found = self.compound(compound, self.related(&all, &found, *relation, scope), scope)?;
        }
        Ok(found)
    }

    /// An element and all below it.
    fn elements(&self, scope: NodeId) -> impl Iterator<Item = NodeId> {
        let is_element = |&node: &NodeId| self.document.kind(node) == NodeKind::Element;
        std::iter::once(scope).chain(self.document.descendants(scope).filter(is_element))
    }

    /// Those elements of a scope that are so related to one of some others. All lists are in
    /// document order.
    fn related(&self, all: &[NodeId], found: &[NodeId], relation: Relation, scope: NodeId) -> Vec<NodeId> {
        let is_found = |node: &NodeId| found.binary_search(node).is_ok();
        let parent = |node: NodeId| self.document.parent(node);
        let mut last_of_parent: HashMap<NodeId, NodeId> = HashMap::new();
        let mut later: HashMap<NodeId, bool> = HashMap::new();
        let mut covered = 0;
        let mut next_found = 0;
        let keep = |&node: &NodeId| match relation {
            Relation::Descendant => {
                while next_found < found.len() && found[next_found] < node {
                    covered = covered.max(self.document.end(found[next_found]));
                    next_found += 1;
                }
                node < covered
            }
            Relation::Child => node != scope && is_found(&parent(node)),
            Relation::Next => {
                let before = last_of_parent.insert(parent(node), node);
                node != scope && before.is_some_and(|before| is_found(&before))
            }
            Relation::Later => {
                let seen = later.entry(parent(node)).or_default();
                let is_later = *seen && node != scope;
                *seen |= is_found(&node);
                is_later
            }
        };
        all.iter().copied().filter(keep).collect()
    }

    fn compound(
        &self,
        compound: &Compound,
        among: Vec<NodeId>,
        scope: NodeId,
    ) -> Result<Vec<NodeId>, CssError> {
        let mut found = among;
        for condition in compound {
            found = self.condition(condition, found, scope)?;
        }
        Ok(found)
    }

    fn condition(
        &self,
        condition: &Condition,
        mut found: Vec<NodeId>,
        scope: NodeId,
    ) -> Result<Vec<NodeId>, CssError> {
        self.work(found.len())?;
        match condition {
            Condition::Not(inner) | Condition::Is(inner) => {
                let inside = self.selected(inner, scope)?;
                let wanted = matches!(condition, Condition::Is(_));
                found.retain(|node| inside.binary_search(node).is_ok() == wanted);
            }
            Condition::Has(inner) => return self.having(inner, found),
            Condition::NthChild(_)
            | Condition::NthLastChild(_)
            | Condition::NthOfType(_)
            | Condition::NthLastOfType(_)
            | Condition::FirstChild
            | Condition::LastChild
            | Condition::OnlyChild
            | Condition::FirstOfType
            | Condition::LastOfType
            | Condition::OnlyOfType
            | Condition::Index(..) => {
                let places = self.places(&found)?;
                found.retain(|node| {
                    places.get(node).is_some_and(|&place| self.by_place(condition, *node, place))
                });
            }
            Condition::Contains(part, text) => {
                let wanted = Self::searched(*part, text);
                return self.by_text(found, *part, |text| Ok(text.contains(&*wanted)));
            }
            Condition::Matches(part, regex) => {
                return self.by_text(found, *part, |text| {
                    regex.is_match(text).map_err(|error| CssError::new(error.to_string()))
                });
            }
            Condition::Attribute(name, Comparison::Matches(regex)) => {
                let mut kept = Vec::new();
                for node in found {
                    if let Some(value) = attribute(self.document, node, name)
                        && regex.is_match(value).map_err(|error| CssError::new(error.to_string()))?
                    {
                        kept.push(node);
                    }
                }
                return Ok(kept);
            }
            simple => found.retain(|&node| self.simple(simple, node, scope)),
        }
        Ok(found)
    }

    /// Those elements below which a selector finds something.
    fn having(&self, inner: &Selector, found: Vec<NodeId>) -> Result<Vec<NodeId>, CssError> {
        let alone = inner.0.iter().all(|chain| chain.leading.is_none() && chain.rest.is_empty());
        if alone {
            let inside = self.selected(inner, 0)?;
            let has = |&node: &NodeId| {
                let next = inside.partition_point(|&other| other <= node);
                inside.get(next).is_some_and(|&other| other < self.document.end(node))
            };
            return Ok(found.into_iter().filter(has).collect());
        }
        let mut kept = Vec::new();
        for node in found {
            if self.selected(inner, node)?.iter().any(|&inside| inside != node) {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    fn simple(&self, condition: &Condition, node: NodeId, scope: NodeId) -> bool {
        let document = self.document;
        let name = document.name(node);
        let get = |attribute_name: &str| attribute(document, node, attribute_name);
        match condition {
            Condition::Any => true,
            Condition::Asked => node == scope,
            Condition::Tag(wanted) => name == wanted,
            Condition::TagInAny(wanted) => name.rsplit(':').next() == Some(wanted),
            Condition::Id(wanted) => get("id") == Some(wanted),
            Condition::Class(wanted) => get("class").is_some_and(|classes| {
                classes.split_ascii_whitespace().any(|class| class.eq_ignore_ascii_case(wanted))
            }),
            Condition::HasAttribute(wanted) => get(wanted).is_some(),
            Condition::HasAttributeStart(start) => document
                .attributes(node)
                .any(|attribute| document.name(attribute).to_lowercase().starts_with(start)),
            Condition::Attribute(name, comparison) => compares(comparison, get(name)),
            Condition::Empty => self.is_empty(node),
            Condition::Root => document.document_element() == Some(node),
            _ => false,
        }
    }

    /// Without anything but comments and white space.
    fn is_empty(&self, node: NodeId) -> bool {
        self.document.children(node).all(|child| match self.document.kind(child) {
            NodeKind::Comment => true,
            NodeKind::Text => self.document.value(child).trim().is_empty(),
            _ => false,
        })
    }

    fn by_text(
        &self,
        found: Vec<NodeId>,
        part: Part,
        holds: impl Fn(&str) -> Result<bool, CssError>,
    ) -> Result<Vec<NodeId>, CssError> {
        let mut kept = Vec::new();
        for node in found {
            self.work((self.document.end(node) - node) as usize)?;
            if holds(&self.text(node, part))? {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    /// A text to be searched for, as the texts of elements are made.
    fn searched(part: Part, text: &str) -> String {
        match part {
            Part::WholeText | Part::WholeOwn => text.to_owned(),
            Part::Data => text.to_lowercase(),
            Part::Text | Part::Own => {
                let words: Vec<_> = text.split([' ', '\t', '\n', '\u{C}', '\r', '\u{A0}']).collect();
                words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
            }
        }
    }

    fn text(&self, node: NodeId, part: Part) -> String {
        let document = self.document;
        let own = |keep: fn(&str) -> bool| -> String {
            let texts = document.children(node).filter(|&child| document.is_text(child));
            texts.map(|child| document.value(child)).filter(|text| keep(text)).collect()
        };
        match part {
            Part::Text => jsoup_text(document, node).to_lowercase(),
            Part::Own => jsoup_own_text(document, node).to_lowercase(),
            Part::WholeText => document.string_value(node),
            Part::WholeOwn => own(|_| true),
            Part::Data if matches!(document.name(node), "script" | "style") => own(|_| true).to_lowercase(),
            Part::Data => String::new(),
        }
    }

    /// Where elements are among those of the same parent.
    fn places(&self, found: &[NodeId]) -> Result<HashMap<NodeId, Place>, CssError> {
        let mut places = HashMap::new();
        let mut done = HashSet::new();
        for &node in found {
            let parent = self.document.parent(node);
            if node == 0 || !done.insert(parent) {
                continue;
            }
            let siblings: Vec<NodeId> = self
                .document
                .children(parent)
                .filter(|&child| self.document.kind(child) == NodeKind::Element)
                .collect();
            self.work(siblings.len())?;
            let mut of_name: HashMap<&str, i64> = HashMap::new();
            for &sibling in &siblings {
                *of_name.entry(self.document.name(sibling)).or_default() += 1;
            }
            let mut at_of_name: HashMap<&str, i64> = HashMap::new();
            for (at, &sibling) in siblings.iter().enumerate() {
                let name = self.document.name(sibling);
                let mine = at_of_name.entry(name).or_default();
                *mine += 1;
                let place = Place {
                    at: at as i64 + 1,
                    of: siblings.len() as i64,
                    at_of_name: *mine,
                    of_name: of_name.get(name).copied().unwrap_or(0),
                };
                places.insert(sibling, place);
            }
        }
        Ok(places)
    }

    fn by_place(&self, condition: &Condition, node: NodeId, place: Place) -> bool {
        let Place { at, of, at_of_name, of_name } = place;
        // The document element has no parent for jsoup, but it has an index.
        if let Condition::Index(order, wanted) = condition {
            return (at - 1).cmp(wanted) == *order;
        }
        if self.document.parent(node) == 0 {
            return false;
        }
        match condition {
            Condition::NthChild(nth) => nth.has(at),
            Condition::NthLastChild(nth) => nth.has(of - at + 1),
            Condition::NthOfType(nth) => nth.has(at_of_name),
            Condition::NthLastOfType(nth) => nth.has(of_name - at_of_name + 1),
            Condition::FirstChild => at == 1,
            Condition::LastChild => at == of,
            Condition::OnlyChild => of == 1,
            Condition::FirstOfType => at_of_name == 1,
            Condition::LastOfType => at_of_name == of_name,
            Condition::OnlyOfType => of_name == 1,
            _ => false,
        }
    }
}

fn compares(comparison: &Comparison, value: Option<&str>) -> bool {
    let value = value.map(str::to_lowercase);
    if let Comparison::NotEqual(wanted) = comparison {
        return value.is_none_or(|value| value != *wanted);
    }
    let Some(value) = value else { return false };
    match comparison {
        Comparison::Equal(wanted) => value.trim() == wanted,
        Comparison::Starts(wanted) => value.starts_with(wanted),
        Comparison::Ends(wanted) => value.ends_with(wanted),
        Comparison::Contains(wanted) => value.contains(wanted),
        Comparison::NotEqual(_) | Comparison::Matches(_) => false,
    }
}
