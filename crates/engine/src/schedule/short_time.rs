//! Short time formats in properties of plug-ins (`JMeterPluginsUtils.getSecondsForShortString`).

/// Seconds of a text such as `90`, `1m30s` or `2h`.
pub(crate) fn short_seconds(text: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut digits = String::new();
    for letter in text.trim().chars() {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        let seconds = match letter.to_ascii_lowercase() {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        total = total.checked_add(digits.parse::<i64>().ok()?.checked_mul(seconds)?)?;
        digits.clear();
    }
    if digits.is_empty() { Some(total) } else { total.checked_add(digits.parse().ok()?) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up_and_seconds_need_none() {
        let table = [
            ("90", Some(90)),
            (" 1m30s ", Some(90)),
            ("1M30", Some(90)),
            ("2h", Some(7200)),
            ("1d", Some(86_400)),
            ("", Some(0)),
            ("s", None),
            ("1 s", None),
            ("-1", None),
            ("1w", None),
            ("99999999999999999999", None),
        ];
        for (text, seconds) in table {
            assert_eq!(short_seconds(text), seconds, "{text}");
        }
    }
}
