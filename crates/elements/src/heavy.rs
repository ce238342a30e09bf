//! Work on large texts runs on a helper thread, with limits for the work and its results. Work on
//! the event loop is bounded to a millisecond. So the time of a check only affects its user.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use swell_api::{Bodies, MAX_BYTES_TOTAL, Placement, SampleResult};
use swell_budget::{Budget, Exceeded, Room};
use swell_expr::{Context, Heavy, Level};

use crate::field::TextField;
use crate::json_document::Outlined;
use crate::markup::Parsed;
use crate::subject::{Piece, Subject, SubjectText};

/// The cost of work, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// A text is looked for as it is, or a digest is made.
    Bytes,
    /// A regular expression.
    Regex,
    /// JSON is gone over and a path followed; what a tree takes where that is needed.
    Outline,
    /// JSON is read as a tree and a path followed.
    Json,
    /// XML is read and asked.
    Xml,
    /// A page is read as a browser reads it, and asked.
    Html,
}

/// What a value of JSON takes in a tree that grows, bytes.
const JSON_VALUE: usize = 72;
/// What an element and the text after it take in one, bytes.
const MARKUP: usize = 160;
/// What an attribute takes in one, bytes.
const ATTRIBUTE: usize = 64;

/// What work on the loop may take, nanoseconds.
const ON_LOOP_NS: usize = 1_000_000;

impl Cost {
    /// The cost of a byte in ordinary texts, nanoseconds, with room to spare for slower machines.
    /// `heavy_tests::costs_of_a_byte` measures it.
    const fn ns_per_byte(self) -> usize {
        match self {
            Self::Bytes => 3,
            Self::Outline => 8,
            Self::Regex => 10,
            Self::Json | Self::Xml => 50,
            Self::Html => 100,
        }
    }

    /// What is made of a text before it is asked anything, bytes: its characters where it is not
    /// UTF-8, and a tree. It is estimated from what the text has most of, and rather too high.
    fn takes(self, text: &[u8]) -> u64 {
        let count = |of: &[u8]| text.iter().filter(|byte| of.contains(byte)).count();
        let decoded = if std::str::from_utf8(text).is_ok() { 0 } else { text.len() * 3 };
        let tree = match self {
            Self::Bytes | Self::Regex => 0,
            // A value comes before each of these, or at the end.
            Self::Outline | Self::Json => count(b",[{:") * JSON_VALUE + text.len(),
            // An element or what closes it, text after it, attributes.
            Self::Xml | Self::Html => count(b"<") * MARKUP + count(b"=") * ATTRIBUTE + text.len(),
        };
        (decoded + tree) as u64
    }

    /// Whether work on `bytes` is expected to take a millisecond at most.
    pub const fn is_small(self, bytes: usize) -> bool {
        bytes <= ON_LOOP_NS / self.ns_per_byte()
    }

    /// Whether it takes so little that nothing about it needs a limit, whatever the text is like: a
    /// sixteenth of that.
    pub const fn is_tiny(self, bytes: usize) -> bool {
        bytes <= ON_LOOP_NS / self.ns_per_byte() / 16
    }
}

/// A compiled value that a helper thread may share. Constants are borrowed, so that the loop counts
/// no references to them.
pub enum Shared<'a, M> {
    /// Compiled before the run.
    Constant(&'a Arc<M>),
    /// Compiled while the test runs.
    Owned(Arc<M>),
}

impl<M> Shared<'_, M> {
    /// To be sent to a helper thread.
    pub fn share(&self) -> Arc<M> {
        match self {
            Self::Constant(matcher) => Arc::clone(matcher),
            Self::Owned(matcher) => Arc::clone(matcher),
        }
    }
}

impl<M> Deref for Shared<'_, M> {
    type Target = M;
    fn deref(&self) -> &M {
        match self {
            Self::Constant(matcher) => matcher,
            Self::Owned(matcher) => matcher,
        }
    }
}

static NOTHING: LazyLock<Arc<()>> = LazyLock::new(Arc::default);

impl Shared<'_, ()> {
    /// Nothing is compiled.
    pub fn nothing() -> Self {
        Self::Constant(&NOTHING)
    }
}

/// A piece of work: the element, the operation and the texts.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The element, for the log.
    pub name: &'a TextField,
    /// What the work costs.
    pub cost: Cost,
    /// Where it may be done.
    pub placement: Placement,
    /// The texts.
    pub subject: &'a Subject,
}

impl Task<'_> {
    /// Asks a question about the texts: on the loop if that is expected to be short, and on a
    /// helper thread if it is not, or turns out not to be.
    pub async fn ask<M, A>(
        self,
        cx: &mut Context,
        sample: &mut SampleResult,
        matcher: &Shared<'_, M>,
        question: impl Fn(&M, &[Piece<'_>], &Budget) -> A + Send + 'static,
    ) -> A
    where
        M: Send + Sync + 'static,
        A: Send + 'static,
    {
        let here = |budget: &Budget| self.subject.read(sample, |pieces| question(matcher, pieces, budget));
        if self.placement == Placement::OnLoop {
            return here(&Budget::unlimited());
        }
        if self.cost.is_small(self.subject.bytes(sample)) || self.is_read(sample) {
            let budget = cx.heavy.on_loop();
            let answer = here(&budget);
            if budget.exceeded().is_none() {
                return answer;
            }
        }
        let matcher = matcher.share();
        self.aside(cx, sample, move |pieces, budget| question(&matcher, pieces, budget)).await
    }

    /// Whether the text is read already, so that only the question is left: most take little then.
    fn is_read(self, sample: &SampleResult) -> bool {
        match self.cost {
            Cost::Xml => self.subject.has_reading::<Parsed>(sample),
            Cost::Outline => self.subject.has_reading::<Outlined>(sample),
            _ => false,
        }
    }

    async fn aside<A: Send + 'static>(
        self,
        cx: &mut Context,
        sample: &mut SampleResult,
        work: impl FnOnce(&[Piece<'_>], &Budget) -> A + Send + 'static,
    ) -> A {
        let bytes = self.subject.bytes(sample);
        let taken = self.subject.take(sample).await;
        // What the check before this one found is in variables now.
        sample.room = None;
        let limits = cx.heavy.limits;
        let meter = cx.heavy.meter.clone();
        let mut room = Room::new(cx.heavy.account.clone());
        let cost = self.cost;
        let job = move || {
            let pieces: Vec<_> = taken.iter().map(SubjectText::piece).collect();
            let takes = pieces.iter().map(|piece| cost.takes(piece.bytes())).sum();
            let fits = room.grow_to(takes);
            let budget = Budget::metered(limits, meter).within(room);
            if !fits {
                budget.refuse();
            }
            let beginnings: Vec<_> = pieces.iter().map(|piece| piece.beginning(Bodies::FREE)).collect();
            let found = work(if fits { &pieces } else { &beginnings }, &budget);
            let exceeded = budget.exceeded();
            drop((pieces, beginnings));
            let room = budget.into_room().map(|mut room| {
                room.set(room.bytes().saturating_sub(takes));
                room
            });
            (taken, found, exceeded, room)
        };
        let (taken, found, exceeded, room) = cx.heavy.elsewhere(job).await;
        self.subject.give_back(sample, taken);
        sample.room = room.filter(|room| room.bytes() > 0).map(Arc::new);
        sample.unread |= exceeded == Some(Exceeded::Room);
        if let Some(why) = exceeded {
            self.log(cx, bytes, why);
        }
        found
    }

    fn log(self, cx: &mut Context, bytes: usize, why: Exceeded) {
        let hint = match why {
            Exceeded::Work => format!("; the limit is the property {}", Heavy::WORK),
            Exceeded::Results => format!("; the limit is the property {}", Heavy::RESULTS),
            Exceeded::Bytes => format!("; the limit is the property {}", Heavy::BYTES),
            Exceeded::Room => format!("; the limit is the property {MAX_BYTES_TOTAL}"),
            Exceeded::Stopped => String::new(),
        };
        let name = self.name.get(cx);
        cx.host.log(
            Level::Warn,
            &format!("{}: stopped evaluating a text of {bytes} bytes: {why}{hint}", &*name),
        );
    }
}

/// Results that are freed on the loop at most: more than a tiny text can have, whose results are
/// not awaited.
const FREED_HERE: usize = 10_000;

/// Frees results that are no longer wanted; very many of them on a helper thread.
pub async fn let_go<T: Send + 'static>(cx: &Context, results: Vec<T>) {
    if results.len() > FREED_HERE {
        (cx.heavy.aside)(Box::new(move || drop(results))).await;
    }
}

/// The bytes that a variable needs in addition to its text.
pub const VARIABLE_BYTES: usize = 100;

/// What an extractor says where its search was given up.
pub fn search_given_up(why: Exceeded) -> String {
    format!("the search was stopped: {why}")
}
