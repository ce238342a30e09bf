//! Finds elements and properties of a plan in its document.

use super::{EditError, PropertyPlace, SAVE_AGAIN};
use crate::element::NodeId;
use crate::read::is_hash_tree;
use crate::tag_kind::TagKind;
use crate::xml::{Document, Index};

/// The elements of the tree, by their identities.
pub(super) struct Places {
    elements: Vec<Index>,
}

impl Places {
    /// Numbers the elements as reading the plan does.
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut elements = Vec::new();
        let top = document.children(document.root()).find(|child| is_hash_tree(document, *child));
        // The depth of a document is limited, so this recursion is.
        fn take(document: &Document<'_>, tree: Index, elements: &mut Vec<Index>) {
            for child in document.children(tree) {
                if is_hash_tree(document, child) {
                    take(document, child, elements);
                } else {
                    elements.push(child);
                }
            }
        }
        if let Some(top) = top {
            take(document, top, &mut elements);
        }
        Self { elements }
    }

    pub(super) fn element(&self, node: NodeId) -> Result<Index, EditError> {
        self.elements.get(node.0 as usize).copied().ok_or_else(|| {
            let hint = "only elements of the file itself can be edited, not those of included files";
            EditError::new("the element is not in the file", hint)
        })
    }

    /// The element of the tree or in a property that a place names.
    pub(super) fn owner(&self, document: &Document<'_>, place: &PropertyPlace) -> Result<Index, EditError> {
        let mut at = self.element(place.node)?;
        for step in &place.steps {
            at = member(document, at, *step)?;
        }
        Ok(at)
    }

    /// The property with a simple value that a place names.
    pub(super) fn property(
        &self,
        document: &Document<'_>,
        place: &PropertyPlace,
    ) -> Result<Index, EditError> {
        let found = self.owner(document, place)?;
        let tag = document.tag(found);
        if TagKind::of_tag(tag).is_some_and(|kind| !kind.has_members()) {
            return Ok(found);
        }
        let message = format!("`{tag}` in line {} has no single value", document.line(found));
        Err(EditError::new(message, "name a property in it; `--set list` shows them"))
    }
}

/// The property of that position in an element or a list.
fn member(document: &Document<'_>, at: Index, position: usize) -> Result<Index, EditError> {
    let line = document.line(at);
    if document.attribute(at, "reference").is_some() {
        let message = format!("line {line} refers to another place of the file");
        return Err(EditError::new(message, SAVE_AGAIN));
    }
    document.children(at).nth(position).ok_or_else(|| {
        let message = format!("the property is not in the file: it is made of older ones of line {line}");
        EditError::new(message, SAVE_AGAIN)
    })
}
