//! Content models as automata, built as Xerces builds them (`CMBuilder`, `XSDFACM`, `XSAllCM`), since its messages name what
//! its states expect.

use std::collections::HashMap;
use std::sync::Arc;

use super::schema::{ElementId, Schema, Wildcard};

/// What may stand how often.
#[derive(Clone, Debug)]
pub(super) struct Particle {
    pub(super) least: u32,
    /// None: without limit.
    pub(super) most: Option<u32>,
    pub(super) term: Term,
}

#[derive(Clone, Debug)]
pub(super) enum Term {
    Leaf(Leaf),
    Sequence(Vec<Particle>),
    Choice(Vec<Particle>),
    All(Vec<Particle>),
}

/// An element or a wildcard.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    Element(ElementId),
    Any(Wildcard),
}

/// A content model.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Elements in any order, each once; whether each may be missing, and whether all may.
    All {
        elements: Arc<Vec<(ElementId, bool)>>,
        optional: bool,
    },
    States(Arc<Automaton>),
}

#[derive(Debug)]
pub(super) struct Automaton {
    /// What transitions are by.
    leaves: Vec<Leaf>,
    /// A state's next state by leaf.
    next: Vec<Vec<Option<usize>>>,
    is_final: Vec<bool>,
    /// Limits of a leaf that loops on a state.
    counted: Vec<Option<Counted>>,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    least: u32,
    most: Option<u32>,
    leaf: usize,
}

/// Where an element's content stands.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    All(Vec<bool>),
    State { state: usize, count: u32 },
}

/// More nodes than this are refused (`SecurityManager`).
const MOST_NODES: usize = 3000;

/// A node of the expression that the states are made of.
enum Node {
    Leaf(usize),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Optional(Box<Node>),
    Star(Box<Node>),
    Plus(Box<Node>),
}

/// What a child does to its parent's content.
pub(super) enum Step {
    Element(ElementId),
    Any(Wildcard),
    /// It does not belong there.
    Wrong,
}

/// How often the leaf of a state must and may come, and came: for messages.
pub(super) struct Occurrence {
    pub(super) least: u32,
    pub(super) most: Option<u32>,
    pub(super) count: u32,
    pub(super) name: String,
}

impl Particle {
    /// Whether it is for nothing at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.most == Some(0)
            || match &self.term {
                Term::Leaf(_) => false,
                Term::Sequence(all) | Term::All(all) => all.iter().all(Self::is_nothing),
                // A choice without anything to choose lets nothing pass, which is not nothing.
                Term::Choice(all) => !all.is_empty() && all.iter().all(Self::is_nothing),
            }
    }
}

impl Content {
    /// Any elements.
    pub(super) fn anything(any: Wildcard) -> Self {
        let particle = Particle { least: 0, most: None, term: Term::Leaf(Leaf::Any(any)) };
        Self::of(&particle).expect("it is small")
    }

    /// Of a particle; none if it is too large.
    pub(super) fn of(particle: &Particle) -> Option<Self> {
        if let Term::All(members) = &particle.term {
            let elements = members.iter().filter(|member| member.most != Some(0));
            let elements = elements.filter_map(|member| match member.term {
                Term::Leaf(Leaf::Element(id)) => Some((id, member.least == 0)),
                _ => None,
            });
            return Some(Self::All { elements: Arc::new(elements.collect()), optional: particle.least == 0 });
        }
        let mut builder =
            Builder { leaves: Vec::new(), positions: Vec::new(), compact: is_compact(particle) };
        let node = builder.node(particle)?;
        builder.automaton(node).map(|automaton| Self::States(Arc::new(automaton)))
    }

    pub(super) fn start(&self) -> Progress {
        match self {
            Self::All { elements, .. } => Progress::All(vec![false; elements.len()]),
            Self::States(_) => Progress::State { state: 0, count: 0 },
        }
    }

    /// A child of that name comes.
    pub(super) fn step(&self, schema: &Schema, at: &mut Progress, namespace: &str, local: &str) -> Step {
        match (self, at) {
            (Self::All { elements, .. }, Progress::All(seen)) => {
                for (place, (id, _)) in elements.iter().enumerate() {
                    if !seen[place]
                        && let Some(found) = schema.matching(*id, namespace, local)
                    {
                        seen[place] = true;
                        return Step::Element(found);
                    }
                }
                Step::Wrong
            }
            (Self::States(automaton), Progress::State { state, count }) => {
                automaton.step(schema, state, count, namespace, local)
            }
            _ => Step::Wrong,
        }
    }

    /// Whether the content may end here.
    pub(super) fn may_end(&self, at: &Progress) -> bool {
        match (self, at) {
            (Self::All { elements, optional }, Progress::All(seen)) => {
                let complete = elements.iter().zip(seen).all(|((_, may_miss), seen)| *may_miss || *seen);
                complete || (*optional && !seen.contains(&true))
            }
            (Self::States(automaton), Progress::State { state, count }) => {
                automaton.is_final[*state] && automaton.counted[*state].is_none_or(|of| *count >= of.least)
            }
            _ => false,
        }
    }

    /// What may come, as messages list it; empty if nothing may.
    pub(super) fn expected(&self, schema: &Schema, at: &Progress) -> Vec<String> {
        let element = |id: ElementId| schema.elements[id].name.expected();
        match (self, at) {
            (Self::All { elements, .. }, Progress::All(seen)) => {
                let left = elements.iter().zip(seen).filter(|(_, seen)| !**seen);
                left.map(|((id, _), _)| element(*id)).collect()
            }
            (Self::States(automaton), Progress::State { state, count }) => {
                let leaves = automaton.open(*state, *count).map(|leaf| match &automaton.leaves[leaf] {
                    Leaf::Element(id) => element(*id),
                    Leaf::Any(any) => any.expected(),
                });
                leaves.collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn occurrence(&self, schema: &Schema, at: &Progress) -> Option<Occurrence> {
        let (Self::States(automaton), Progress::State { state, count }) = (self, at) else { return None };
        let Counted { least, most, leaf } = automaton.counted[*state]?;
        let name = match &automaton.leaves[leaf] {
            Leaf::Element(id) => schema.elements[*id].name.expected(),
            Leaf::Any(any) => any.expected(),
        };
        Some(Occurrence { least, most, count: *count, name })
    }
}

impl Automaton {
    fn step(
        &self,
        schema: &Schema,
        state: &mut usize,
        count: &mut u32,
        namespace: &str,
        local: &str,
    ) -> Step {
        let mut found = None;
        for (leaf, next) in self.next[*state].iter().enumerate() {
            let Some(next) = next else { continue };
            let step = match &self.leaves[leaf] {
                Leaf::Element(id) => schema.matching(*id, namespace, local).map(Step::Element),
                Leaf::Any(any) => any.takes(namespace).then(|| Step::Any(any.clone())),
            };
            let Some(step) = step else { continue };
            if let Some(of) = self.counted[*state] {
                let full = of.most.is_some_and(|most| *count >= most);
                if *next == *state && full {
                    // It may be another leaf of that name.
                    *count += 1;
                    continue;
                }
                if *next != *state && *count < of.least {
                    return Step::Wrong;
                }
            }
            found = Some((leaf, *next, step));
            break;
        }
        let Some((leaf, next, step)) = found else { return Step::Wrong };
        if next == *state && self.counted[next].is_some() {
            *count += 1;
        } else if let Some(of) = self.counted[next] {
            *count = u32::from(of.leaf == leaf);
        }
        *state = next;
        step
    }

    /// Leaves that may come.
    fn open(&self, state: usize, count: u32) -> impl Iterator<Item = usize> {
        let of = self.counted[state];
        let leaves = self.next[state].iter().enumerate();
        leaves.filter_map(move |(leaf, next)| {
            let next = (*next)?;
            let closed = of.is_some_and(|of| {
                if next == state { of.most.is_some_and(|most| count >= most) } else { count < of.least }
            });
            (!closed).then_some(leaf)
        })
    }
}

/// Whether leaves that repeat are counted and not copied (`CMBuilder.useRepeatingLeafNodes`).
fn is_compact(particle: &Particle) -> bool {
    let (Term::Sequence(members) | Term::Choice(members) | Term::All(members)) = &particle.term else {
        return true;
    };
    if (particle.least, particle.most) != (1, Some(1)) {
        return match &members[..] {
            [one] => matches!(one.term, Term::Leaf(_)) && (one.least, one.most) == (1, Some(1)),
            _ => members.is_empty(),
        };
    }
    members.iter().all(is_compact)
}

/// Least and most.
type Limits = (u32, Option<u32>);

struct Builder {
    leaves: Vec<(Leaf, Option<Limits>)>,
    /// The leaf of each position.
    positions: Vec<usize>,
    compact: bool,
}

impl Builder {
    fn node(&mut self, particle: &Particle) -> Option<Node> {
        let mut copies = HashMap::new();
        self.part(particle, &mut copies)
    }

    /// `numbers`: the leaves by the particles that they come from, so that copies of a particle share one.
    fn part(&mut self, particle: &Particle, numbers: &mut HashMap<*const Particle, usize>) -> Option<Node> {
        let (least, most) = (particle.least, particle.most);
        let repeats = !matches!((least, most), (0 | 1, None | Some(0 | 1)));
        let only = match &particle.term {
            Term::Sequence(members) | Term::Choice(members) if members.len() == 1 => Some(&members[0]),
            _ => None,
        };
        let leaf = match (&particle.term, only) {
            (Term::Leaf(leaf), _) => Some((leaf, std::ptr::from_ref(particle))),
            (_, Some(Particle { term: Term::Leaf(leaf), least: 1, most: Some(1) }))
                if self.compact && repeats =>
            {
                only.map(|only| (leaf, std::ptr::from_ref(only)))
            }
            _ => None,
        };
        if let Some((leaf, key)) = leaf {
            let counts = self.compact && repeats;
            if counts {
                let one = self.leaf(leaf, key, Some((least, most)), numbers)?;
                return Some(if least == 0 { Node::Star(Box::new(one)) } else { Node::Plus(Box::new(one)) });
            }
            return self.repeated(least, most, numbers, &|this, numbers| this.leaf(leaf, key, None, numbers));
        }
        self.repeated(least, most, numbers, &|this, numbers| {
            let (Term::Sequence(members) | Term::Choice(members) | Term::All(members)) = &particle.term
            else {
                return None;
            };
            let members = members.iter().filter(|member| member.most != Some(0));
            let nodes: Option<Vec<_>> = members.map(|member| this.part(member, numbers)).collect();
            let is_choice = matches!(particle.term, Term::Choice(_));
            nodes.map(|nodes| if is_choice { Node::Choice(nodes) } else { Node::Sequence(nodes) })
        })
    }

    fn leaf(
        &mut self,
        leaf: &Leaf,
        key: *const Particle,
        counted: Option<Limits>,
        numbers: &mut HashMap<*const Particle, usize>,
    ) -> Option<Node> {
        if self.positions.len() >= MOST_NODES {
            return None;
        }
        let number = *numbers.entry(key).or_insert_with(|| {
            self.leaves.push((leaf.clone(), counted));
            self.leaves.len() - 1
        });
        self.positions.push(number);
        Some(Node::Leaf(self.positions.len() - 1))
    }

    #[expect(clippy::type_complexity, reason = "a function that makes a copy")]
    fn repeated(
        &mut self,
        least: u32,
        most: Option<u32>,
        numbers: &mut HashMap<*const Particle, usize>,
        make: &dyn Fn(&mut Self, &mut HashMap<*const Particle, usize>) -> Option<Node>,
    ) -> Option<Node> {
        match (least, most) {
            (1, Some(1)) => return make(self, numbers),
            (0, Some(1)) => return make(self, numbers).map(|node| Node::Optional(Box::new(node))),
            (0, None) => return make(self, numbers).map(|node| Node::Star(Box::new(node))),
            (1, None) => return make(self, numbers).map(|node| Node::Plus(Box::new(node))),
            _ => {}
        }
        let mut all = Vec::new();
        let needed = if most.is_none() { least - 1 } else { least };
        if needed as usize > MOST_NODES || most.is_some_and(|most| most as usize > MOST_NODES) {
            return None;
        }
        for _ in 0..needed {
            all.push(make(self, numbers)?);
        }
        match most {
            None => all.push(Node::Plus(Box::new(make(self, numbers)?))),
            Some(most) => {
                for _ in least..most {
                    all.push(Node::Optional(Box::new(make(self, numbers)?)));
                }
            }
        }
        Some(Node::Sequence(all))
    }

    fn automaton(self, node: Node) -> Option<Automaton> {
        // The end is a position of its own.
        let end = self.positions.len();
        let mut follow = vec![Vec::new(); end + 1];
        let whole = Node::Sequence(vec![node, Node::Leaf(end)]);
        let first = ends(&whole, &mut follow).first;
        let mut automaton = Automaton {
            leaves: self.leaves.iter().map(|(leaf, _)| leaf.clone()).collect(),
            next: Vec::new(),
            is_final: Vec::new(),
            counted: Vec::new(),
        };
        let mut known: HashMap<Vec<usize>, usize> = HashMap::from([(first.clone(), 0)]);
        let mut states = vec![first];
        let mut at = 0;
        while let Some(positions) = states.get(at).cloned() {
            let mut next = vec![None; self.leaves.len()];
            for (leaf, next) in next.iter_mut().enumerate() {
                let of_leaf =
                    positions.iter().filter(|position| self.positions.get(**position) == Some(&leaf));
                let mut reached: Vec<usize> =
                    of_leaf.flat_map(|position| follow[*position].iter().copied()).collect();
                if !positions.iter().any(|position| self.positions.get(*position) == Some(&leaf)) {
                    continue;
                }
                reached.sort_unstable();
                reached.dedup();
                *next = Some(*known.entry(reached.clone()).or_insert_with(|| {
                    states.push(reached);
                    states.len() - 1
                }));
            }
            automaton.is_final.push(positions.contains(&end));
            automaton.counted.push(self.counted(at, &next));
            automaton.next.push(next);
            at += 1;
            if states.len() > 4 * MOST_NODES {
                return None;
            }
        }
        Some(automaton)
    }

    /// The limits of the leaf that loops on a state.
    fn counted(&self, state: usize, next: &[Option<usize>]) -> Option<Counted> {
        if !self.compact {
            return None;
        }
        let leaf = next.iter().position(|next| *next == Some(state))?;
        let (least, most) = self.leaves[leaf].1?;
        Some(Counted { least, most, leaf })
    }
}

/// Positions that a node may begin and end with, and whether it may be empty.
struct Ends {
    first: Vec<usize>,
    last: Vec<usize>,
    empty: bool,
}

fn ends(node: &Node, follow: &mut Vec<Vec<usize>>) -> Ends {
    match node {
        Node::Leaf(position) => Ends { first: vec![*position], last: vec![*position], empty: false },
        Node::Sequence(all) => {
            let mut so_far = Ends { first: Vec::new(), last: Vec::new(), empty: true };
            for node in all {
                let one = ends(node, follow);
                connect(&so_far.last, &one.first, follow);
                if so_far.empty {
                    so_far.first.extend(&one.first);
                }
                if !one.empty {
                    so_far.last.clear();
                }
                so_far.last.extend(one.last);
                so_far.empty &= one.empty;
            }
            so_far.first.sort_unstable();
            so_far
        }
        Node::Choice(all) => {
            let mut any = Ends { first: Vec::new(), last: Vec::new(), empty: false };
            for node in all {
                let one = ends(node, follow);
                any.first.extend(one.first);
                any.last.extend(one.last);
                any.empty |= one.empty;
            }
            any
        }
        Node::Optional(one) => Ends { empty: true, ..ends(one, follow) },
        Node::Star(one) | Node::Plus(one) => {
            let inner = ends(one, follow);
            connect(&inner.last, &inner.first, follow);
            let empty = inner.empty || matches!(node, Node::Star(_));
            Ends { empty, ..inner }
        }
    }
}

fn connect(from: &[usize], to: &[usize], follow: &mut [Vec<usize>]) {
    for position in from {
        follow[*position].extend(to);
    }
}
