//! Bytes as hexadecimal text, as the plug-in writes and reads them (`BinaryUtils`).

/// Reads bytes: numbers separated by spaces, each with `0x` before it or two digits a byte.
///
/// # Errors
/// Java's exception for the first invalid number.
pub(super) fn parse(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    if text.trim().is_empty() {
        return Ok(bytes);
    }
    let invalid = |number: &str| format!("java.lang.NumberFormatException: For input string: \"{number}\"");
    for element in text.trim_end_matches(' ').split(' ') {
        if let Some(digits) = element.strip_prefix("0x") {
            let number = u32::from_str_radix(digits, 16).ok().filter(|number| *number <= 0x7fff_ffff);
            bytes.push(number.ok_or_else(|| invalid(digits))? as u8);
            continue;
        }
        let digits: Vec<char> = element.chars().collect();
        for pair in digits.chunks(2) {
            let pair: String = pair.iter().collect();
            bytes.push(i32::from_str_radix(&pair, 16).map_err(|_| invalid(&pair))? as u8);
        }
    }
    Ok(bytes)
}

/// The first `most` bytes as text, and `suffix` where there are more.
pub(super) fn shown(bytes: &[u8], most: usize, suffix: &str) -> String {
    let texts: Vec<String> = bytes.iter().take(most).map(|byte| format!("{byte:#04x}")).collect();
    let suffix = if bytes.len() > most { suffix } else { "" };
    format!("{}{suffix}", texts.join(" "))
}

/// Whether `value` is in `bytes`; an empty one is not.
pub(super) fn contains(bytes: &[u8], value: &[u8]) -> bool {
    !value.is_empty() && bytes.windows(value.len()).any(|part| part == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_the_plug_in_reads_them() {
        for (text, wanted) in [
            ("0x01 02 ff", &[1, 2, 255][..]),
            ("0102ff", &[1, 2, 255]),
            ("cafe5", &[0xca, 0xfe, 5]),
            ("0x1ff", &[0xff]),
            ("", &[]),
            ("  ", &[]),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(wanted), "{text}");
        }
        let refused = "java.lang.NumberFormatException: For input string: \"zz\"";
        assert_eq!(parse("01zz"), Err(refused.to_owned()));
        assert!(parse("0x").is_err());
    }

    #[test]
    fn bytes_are_shown_and_found() {
        assert_eq!(shown(&[0, 16, 255], 100, "..."), "0x00 0x10 0xff");
        assert_eq!(shown(&[1, 2, 3], 2, "..."), "0x01 0x02...");
        assert!(contains(&[1, 2, 3], &[2, 3]) && !contains(&[1, 2, 3], &[3, 2]) && !contains(&[1], &[]));
    }
}
