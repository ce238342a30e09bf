//! Tokens.

/// Whether a text is a token (RFC 9110 §5.6.2), as methods and names of headers are.
pub fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_and_names_of_headers_are_tokens() {
        assert!(is_token("GET") && is_token("M-SEARCH") && is_token("x_y"));
        assert!(!is_token("") && !is_token("GE T") && !is_token("G\n") && !is_token("\u{fc}"));
    }
}
