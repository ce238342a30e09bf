//! JSON texts as elements read them: by an outline, which is kept with the body for the elements
//! after this one, or as a tree where only that says what json-smart reads.

use std::borrow::Cow;
use std::sync::Arc;

use swell_api::Reading;
use swell_budget::Budget;
use swell_query::json::{self, Json, Outline};
use swell_query::jsonpath::{self, JsonPath, PathError};

use crate::heavy::{Cost, search_given_up};
use crate::subject::Piece;

/// Shorter texts are gone over again for a path that only names members: that costs less than to
/// keep an outline.
const SHORT: usize = 2 << 10;

/// The outline of a body, or that it has none.
pub(crate) struct Outlined(Option<Outline>);

impl Reading for Outlined {
    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, Outline::bytes)
    }
}

impl Outlined {
    fn outline(&self) -> &Outline {
        self.0.as_ref().expect("paths are read only where there is an outline")
    }
}

/// What paths that only name members find, without an outline: where the text is short, or nothing
/// else has asked yet. None: a [`JsonDocument`] is needed.
pub(crate) fn find_all<'d>(paths: &[&JsonPath], piece: &Piece<'_>, text: &'d str) -> Option<Vec<Json<'d>>> {
    is_for_one_walk(piece, text).then(|| jsonpath::find_all(paths, text))?
}

/// [`find_all`] of one path.
pub(crate) fn find<'d>(path: &JsonPath, piece: &Piece<'_>, text: &'d str) -> Option<Json<'d>> {
    is_for_one_walk(piece, text).then(|| jsonpath::find(path, text))?
}

fn is_for_one_walk(piece: &Piece<'_>, text: &str) -> bool {
    text.len() <= SHORT || !piece.note_reader(text)
}

/// A text that paths are read from.
pub(crate) enum JsonDocument<'d> {
    Outlined(&'d str, Arc<Outlined>),
    /// The whole of it; or json-smart's message.
    Tree(Result<Json<'d>, String>),
}

impl<'d> JsonDocument<'d> {
    /// `paths`: those that will be read from it. A budget that is brief is given up where a tree of
    /// a large text has to be built.
    pub(crate) fn of(paths: &[&JsonPath], piece: &Piece<'_>, text: &'d str, budget: &Budget) -> Self {
        if paths.iter().all(|path| path.reads_outlines()) {
            let reading = piece.reading(text, |_: &Outlined| true, || Outlined(Outline::of(text)));
            if reading.0.is_some() {
                return Self::Outlined(text, reading);
            }
        }
        if budget.is_brief() && !Cost::Json.is_small(text.len()) {
            return Self::Tree(Err(search_given_up(budget.give_up())));
        }
        Self::Tree(json::parse(text))
    }

    /// Why it is not JSON.
    pub(crate) fn fault(&self) -> Option<&str> {
        match self {
            Self::Tree(Err(message)) => Some(message),
            _ => None,
        }
    }

    /// All that a path finds.
    ///
    /// # Errors
    /// The text is not JSON, or what the path says to it.
    pub(crate) fn list<'m>(
        &'m self,
        path: &JsonPath,
        budget: &'m Budget,
    ) -> Result<Vec<Cow<'m, Json<'d>>>, PathError> {
        match self {
            Self::Outlined(text, reading) => {
                let found = path.read_list_outlined(text, reading.outline(), budget)?;
                Ok(found.into_iter().map(Cow::Owned).collect())
            }
            Self::Tree(tree) => path.read_list(tree.as_ref().map_err(PathError::other)?, budget),
        }
    }

    /// What a definite path finds, or the array of what an indefinite one finds.
    ///
    /// # Errors
    /// The text is not JSON, or what the path says to it.
    pub(crate) fn value<'m>(
        &'m self,
        path: &JsonPath,
        budget: &'m Budget,
    ) -> Result<Cow<'m, Json<'d>>, PathError> {
        match self {
            Self::Outlined(text, reading) => {
                path.read_outlined(text, reading.outline(), budget).map(Cow::Owned)
            }
            Self::Tree(tree) => path.read(tree.as_ref().map_err(PathError::other)?, budget),
        }
    }
}
