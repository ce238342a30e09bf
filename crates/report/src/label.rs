//! Labels in columns: shortened in the middle if they are too long, and still different from each
//! other.

use std::collections::HashMap;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::plain::plain;
use swell_secrets::without_passwords;

/// The labels as plain text of at most `most` columns each; no limit if none. What was different
/// stays different, but for secrets, which go first: half of one is not for people either.
pub(crate) fn fit(labels: &[&str], most: Option<usize>) -> Vec<String> {
    let whole: Vec<_> = labels.iter().map(|label| without_passwords(&plain(label)).into_owned()).collect();
    let Some(most) = most else { return whole };
    let mut fitted: Vec<_> = whole.iter().map(|label| shorten(label, most, most / 2)).collect();
    for alike in groups(&fitted, &whole) {
        // Less of the head shows more of the tail, where they may differ.
        let apart = (0..most).map(|head| cut_all(&whole, &alike, most, head)).find(|cut| all_differ(cut));
        let apart = apart.filter(|cut| !cut.iter().any(|text| fitted.contains(text)));
        let apart = apart.unwrap_or_else(|| numbered(&whole, &alike, most));
        alike.into_iter().zip(apart).for_each(|(place, text)| fitted[place] = text);
    }
    fitted
}

/// A text padded with spaces to that many columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// At most that many columns: about `head` of them from the start, the others from the end.
fn shorten(text: &str, most: usize, head: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let head = head.min(most - 1);
    let start = take(text.chars(), head);
    let tail: String = take(text.chars().rev(), most - 1 - start.width()).chars().rev().collect();
    format!("{start}…{tail}")
}

fn take(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut left = columns;
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left -= if fits { wide } else { left };
        fits
    };
    chars.take_while(fits).collect()
}

/// Places of different labels that look the same.
fn groups(fitted: &[String], labels: &[String]) -> Vec<Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    fitted.iter().enumerate().for_each(|(place, text)| places.entry(text).or_default().push(place));
    let differ = |places: &Vec<usize>| places.iter().any(|place| labels[*place] != labels[places[0]]);
    let mut groups: Vec<_> = places.into_values().filter(differ).collect();
    groups.sort_unstable();
    groups
}

fn cut_all(whole: &[String], places: &[usize], most: usize, head: usize) -> Vec<String> {
    places.iter().map(|place| shorten(&whole[*place], most, head)).collect()
}

fn all_differ(texts: &[String]) -> bool {
    let mut seen = std::collections::HashSet::new();
    texts.iter().all(|text| seen.insert(text))
}

/// Labels that would look equal after shortening get numbers.
fn numbered(whole: &[String], places: &[usize], most: usize) -> Vec<String> {
    let number = |(number, place): (usize, &usize)| {
        let end = format!("~{}", number + 1);
        let room = most.saturating_sub(end.len()).max(2);
        shorten(&whole[*place], room, room / 2) + &end
    };
    places.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_keep_head_and_tail() {
        let table =
            [("short", 5, "short"), ("GET /api/orders/list", 11, "GET /…/list"), ("äöüäöüäöü", 5, "äö…öü")];
        for (label, most, fitted) in table {
            assert_eq!(fit(&[label], Some(most)), [fitted]);
        }
        assert_eq!(fit(&["GET /api/orders/list"], None), ["GET /api/orders/list"]);
    }

    #[test]
    fn different_labels_stay_different() {
        let near_the_tail = ["GET /shop/a/items/of/today", "GET /shop/b/items/of/today"];
        let same_ends: Vec<_> = (0..300).map(|i| format!("GET /api/v1/{i:03}/of/the/day")).collect();
        let same_ends: Vec<_> = same_ends.iter().map(String::as_str).collect();
        for labels in [&near_the_tail[..], &same_ends] {
            let fitted = fit(labels, Some(16));
            assert!(all_differ(&fitted), "{fitted:?}");
            assert!(fitted.iter().all(|text| width(text) <= 16), "{fitted:?}");
        }
    }

    #[test]
    fn a_label_that_is_cut_does_not_show_the_end_of_a_secret() {
        let label = "GET /account/sessions?token=abcdefghij0123456789";
        assert_eq!(fit(&[label], Some(20)), ["GET /accou…token=***"]);
        assert_eq!(fit(&[label], None), ["GET /account/sessions?token=***"]);
    }

    #[test]
    fn a_label_twice_is_shown_twice() {
        assert_eq!(fit(&["a long label of a transaction"; 2], Some(12)), ["a long…ction"; 2]);
    }

    #[test]
    fn columns_count_and_not_characters() {
        assert_eq!(fit(&["可以使用中文的標籤"], Some(9)), ["可以…標籤"]);
        assert_eq!(width(&pad("中文", 6)), 6);
        assert_eq!(fit(&["a\u{1b}[2J"], None), ["a␛[2J"]);
    }
}
