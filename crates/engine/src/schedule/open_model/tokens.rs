//! Tokens of a schedule (`scheduleTokenizer.kt`).

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    Open,
    Close,
    Per,
}

/// A token with its position in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenPosition<'t> {
    pub(super) at: usize,
    pub(super) token: Token<'t>,
}

/// All tokens without comments and spaces. The error is the position of an invalid token.
pub(super) fn tokens(text: &str) -> Result<Vec<TokenPosition<'_>>, usize> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(length) = blank(rest) {
            at += length;
            continue;
        }
        let (token, length) = word(rest).ok_or(at)?;
        all.push(TokenPosition { at, token });
        at += length;
    }
    Ok(all)
}

/// Length of the space or comment at the start.
fn blank(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find(['\n', '\r']).unwrap_or(rest.len()));
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return comment.find("*/").map(|end| end + 4);
    }
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0B', '\x0C']).len();
    (spaces > 0).then_some(spaces)
}

fn word(rest: &str) -> Option<(Token<'_>, usize)> {
    let single = |token| Some((token, 1));
    match rest.as_bytes().first()? {
        b'(' => single(Token::Open),
        b')' => single(Token::Close),
        b'/' => single(Token::Per),
        b'0'..=b'9' | b'.' => number(rest).map(|length| (Token::Number(&rest[..length]), length)),
        first if first.is_ascii_alphabetic() => {
            let length = span(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            Some((Token::Word(&rest[..length]), length))
        }
        _ => None,
    }
}

/// Length of `12`, `1.5` or `.5` at the start.
fn number(rest: &str) -> Option<usize> {
    let whole = span(rest, |byte| byte.is_ascii_digit());
    let part = match rest[whole..].strip_prefix('.') {
        Some(after) => span(after, |byte| byte.is_ascii_digit()),
        None => 0,
    };
    match (whole, part) {
        (0, 0) => None,
        (whole, 0) => Some(whole),
        (whole, part) => Some(whole + 1 + part),
    }
}

fn span(text: &str, is_in: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !is_in(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_comments() {
        let text = "rate(1.5/min)// to the end\n/* between\n */ .5 x_1 7.";
        let found: Vec<_> =
            tokens(&text[..text.len() - 1]).unwrap().iter().map(|placed| placed.token).collect();
        let wanted = [
            Token::Word("rate"),
            Token::Open,
            Token::Number("1.5"),
            Token::Per,
            Token::Word("min"),
            Token::Close,
            Token::Number(".5"),
            Token::Word("x_1"),
            Token::Number("7"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(tokens(text), Err(text.len() - 1), "a point without digits");
        assert_eq!((tokens("a ü"), tokens("-1"), tokens("")), (Err(2), Err(0), Ok(Vec::new())));
        // An open comment is a stroke and more, as in JMeter.
        assert_eq!(tokens("/* x"), Err(1));
    }
}
