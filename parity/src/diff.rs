//! Compares two texts line by line.

use std::fmt::Write as _;

/// Number of lines shown around a difference.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Keep,
    Remove,
    Add,
}

/// Returns the differences in unified form: `-` is expected, `+` is actual, and `@@` precedes the
/// heading of the place. At most `limit` lines; empty if the texts are equal.
pub fn diff(expected: &str, actual: &str, limit: usize) -> String {
    let old: Vec<&str> = expected.lines().collect();
    let new: Vec<&str> = actual.lines().collect();
    let edits = edits(&old, &new);
    let shown = near_changes(&edits);
    let mut at_old = 0;
    let mut at_new = 0;
    let mut place = String::new();
    let mut lines: Vec<String> = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let line = if *edit == Edit::Add { new[at_new] } else { old[at_old] };
        if is_heading(line) {
            line.trim().clone_into(&mut place);
        }
        if shown[index] {
            if index == 0 || !shown[index - 1] {
                lines.push(format!("@@ {place}"));
            }
            let sign = match edit {
                Edit::Keep => ' ',
                Edit::Remove => '-',
                Edit::Add => '+',
            };
            lines.push(format!("{sign}{line}"));
        }
        at_old += usize::from(*edit != Edit::Add);
        at_new += usize::from(*edit != Edit::Remove);
    }
    let mut out = String::new();
    for line in lines.iter().take(limit) {
        let _ = writeln!(out, "{line}");
    }
    if lines.len() > limit {
        let _ = writeln!(out, "... {} more lines", lines.len() - limit);
    }
    out
}

/// Whether a line is a heading: a section, a request or a sample.
fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    ["===", "<httpSample ", "<sample "].iter().any(|start| line.starts_with(start))
        || line.ends_with(" HTTP/1.1")
}

fn near_changes(edits: &[Edit]) -> Vec<bool> {
    let mut shown = vec![false; edits.len()];
    for (index, _) in edits.iter().enumerate().filter(|(_, edit)| **edit != Edit::Keep) {
        let end = (index + CONTEXT + 1).min(edits.len());
        shown[index.saturating_sub(CONTEXT)..end].fill(true);
    }
    shown
}

/// Returns the fewest edits, by the longest common subsequence between equal starts and ends.
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let old_rest = &old[head..];
    let new_rest = &new[head..];
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - tail];
    let new_middle = &new_rest[..new_rest.len() - tail];
    let mut edits = vec![Edit::Keep; head];
    edits.extend(middle(old_middle, new_middle));
    edits.extend(std::iter::repeat_n(Edit::Keep, tail));
    edits
}

/// Longer texts are shown as completely removed and added, because the table would be too large.
const TABLE_SIDE: usize = 4000;

fn middle(old: &[&str], new: &[&str]) -> Vec<Edit> {
    if old.len().max(new.len()) > TABLE_SIDE {
        return [vec![Edit::Remove; old.len()], vec![Edit::Add; new.len()]].concat();
    }
    let width = new.len() + 1;
    // common[i * width + j]: length of the longest common subsequence of old[i..] and new[j..].
    let mut common = vec![0u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let mut i = 0;
    let mut j = 0;
    let mut edits = Vec::new();
    while i < old.len() || j < new.len() {
        let edit = if i < old.len() && j < new.len() && old[i] == new[j] {
            Edit::Keep
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            Edit::Remove
        } else {
            Edit::Add
        };
        i += usize::from(edit != Edit::Add);
        j += usize::from(edit != Edit::Remove);
        edits.push(edit);
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(diff("a\nb\n", "a\nb\n", 10), "");
    }

    #[test]
    fn shows_the_change_with_its_place() {
        let old = "=== requests: 1\nGET /a HTTP/1.1\n1\n2\n3\n4\n5\n6\n7\n8\n";
        let new = "=== requests: 1\nGET /a HTTP/1.1\n1\n2\n3\n4\nfive\n6\n7\n8\n";
        let expected = "@@ GET /a HTTP/1.1\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(diff(old, new, 100), expected);
        assert_eq!(diff(old, new, 2), "@@ GET /a HTTP/1.1\n 2\n... 7 more lines\n");
    }

    #[test]
    fn lines_that_are_missing_or_new() {
        assert_eq!(diff("a\nb\nc\n", "a\nc\n", 9), "@@ \n a\n-b\n c\n");
        assert_eq!(diff("a\n", "a\nb\n", 9), "@@ \n a\n+b\n");
        assert_eq!(diff("", "x\n", 9), "@@ \n+x\n");
    }
}
