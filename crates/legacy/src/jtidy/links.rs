//! How nodes are put into the tree and taken out again, link by link as JTidy does it.

use super::node::{Id, Tree};

impl Tree {
    pub(super) fn append(&mut self, parent: Id, node: Id) {
        let last = self[parent].last;
        self[node].parent = Some(parent);
        self[node].prev = last;
        match last {
            Some(last) => self[last].next = Some(node),
            None => self[parent].first = Some(node),
        }
        self[parent].last = Some(node);
    }

    pub(super) fn prepend(&mut self, parent: Id, node: Id) {
        let first = self[parent].first;
        self[node].parent = Some(parent);
        match first {
            Some(first) => self[first].prev = Some(node),
            None => self[parent].last = Some(node),
        }
        self[node].next = first;
        self[node].prev = None;
        self[parent].first = Some(node);
    }

    /// The node takes the place of the element, which goes into it.
    pub(super) fn wrap(&mut self, element: Id, node: Id) {
        self[node].first = Some(element);
        self[node].last = Some(element);
        let parent = self[element].parent;
        self[node].parent = parent;
        self[element].parent = Some(node);
        if let Some(parent) = parent {
            if self[parent].first == Some(element) {
                self[parent].first = Some(node);
            }
            if self[parent].last == Some(element) {
                self[parent].last = Some(node);
            }
        }
        let (prev, next) = (self[element].prev.take(), self[element].next.take());
        self[node].prev = prev;
        if let Some(prev) = prev {
            self[prev].next = Some(node);
        }
        self[node].next = next;
        if let Some(next) = next {
            self[next].prev = Some(node);
        }
    }

    pub(super) fn insert_before(&mut self, element: Id, node: Id) {
        let (parent, prev) = (self[element].parent, self[element].prev);
        self[node].parent = parent;
        self[node].next = Some(element);
        self[node].prev = prev;
        self[element].prev = Some(node);
        if let Some(prev) = prev {
            self[prev].next = Some(node);
        }
        if let Some(parent) = parent
            && self[parent].first == Some(element)
        {
            self[parent].first = Some(node);
        }
    }

    pub(super) fn insert_after(&mut self, element: Id, node: Id) {
        let parent = self[element].parent;
        self[node].parent = parent;
        match parent {
            Some(parent) if self[parent].last == Some(element) => self[parent].last = Some(node),
            _ => {
                let next = self[element].next;
                self[node].next = next;
                if let Some(next) = next {
                    self[next].prev = Some(node);
                }
            }
        }
        self[element].next = Some(node);
        self[node].prev = Some(element);
    }

    pub(super) fn remove(&mut self, node: Id) {
        let (parent, prev, next) = (self[node].parent.take(), self[node].prev.take(), self[node].next.take());
        if let Some(prev) = prev {
            self[prev].next = next;
        }
        if let Some(next) = next {
            self[next].prev = prev;
        }
        if let Some(parent) = parent {
            if self[parent].first == Some(node) {
                self[parent].first = next;
            }
            if self[parent].last == Some(node) {
                self[parent].last = prev;
            }
        }
    }

    /// The only child of an element goes, what is in it stays.
    pub(super) fn strip_only_child(&mut self, node: Id) {
        let Some(child) = self[node].first else { return };
        let (first, last) = (self[child].first.take(), self[child].last);
        self[node].first = first;
        self[node].last = last;
        self.adopt(node);
    }

    /// An element goes, what is in it stays in its place; gives what comes next.
    pub(super) fn discard_container(&mut self, element: Id) -> Option<Id> {
        let parent = self[element].parent?;
        let (prev, next) = (self[element].prev, self[element].next);
        let (first, last) = (self[element].first, self[element].last);
        let goes_on = if let (Some(first), Some(last)) = (first, last) {
            self[last].next = next;
            match next {
                Some(next) => self[next].prev = Some(last),
                None => self[parent].last = Some(last),
            }
            if prev.is_some() {
                self[first].prev = prev;
            }
            self.join(parent, prev, Some(first));
            for child in self.siblings(Some(first)).collect::<Vec<_>>() {
                self[child].parent = Some(parent);
            }
            Some(first)
        } else {
            match next {
                Some(next) => self[next].prev = prev,
                None => self[parent].last = prev,
            }
            self.join(parent, prev, next);
            next
        };
        self[element].next = None;
        self[element].first = None;
        goes_on
    }

    fn join(&mut self, parent: Id, prev: Option<Id>, next: Option<Id>) {
        match prev {
            Some(prev) => self[prev].next = next,
            None => self[parent].first = next,
        }
    }

    pub(super) fn adopt(&mut self, parent: Id) {
        for child in self.siblings(self[parent].first).collect::<Vec<_>>() {
            self[child].parent = Some(parent);
        }
    }

    /// Whether all links agree (`checkNodeIntegrity`).
    pub(super) fn is_whole(&self, root: Id) -> bool {
        let mut waiting = vec![root];
        let mut left = self.len() * 4 + 16;
        while let Some(node) = waiting.pop() {
            left = left.saturating_sub(1);
            if left == 0 || !self.agrees(node) {
                return false;
            }
            for child in self.siblings(self[node].first) {
                left = left.saturating_sub(1);
                if left == 0 || self[child].parent != Some(node) {
                    return false;
                }
                waiting.push(child);
            }
        }
        true
    }

    fn agrees(&self, id: Id) -> bool {
        let node = &self[id];
        let prev_agrees = node.prev.is_none_or(|prev| self[prev].next == Some(id));
        let next_agrees = node.next.is_none_or(|next| next != id && self[next].prev == Some(id));
        let parent_agrees = node.parent.is_none_or(|parent| {
            (node.prev.is_some() || self[parent].first == Some(id))
                && (node.next.is_some() || self[parent].last == Some(id))
        });
        prev_agrees && next_agrees && parent_agrees
    }
}
