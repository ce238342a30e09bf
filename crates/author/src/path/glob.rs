//! Patterns of names.

/// A name in which `*` stands for any text and `?` for one character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glob(Vec<Token>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Char(char),
    AnyChar,
    AnyText,
}

impl Glob {
    pub(super) fn push(&mut self, token: Token) {
        // Two stars in a row are one, so that matching stays fast.
        if token != Token::AnyText || self.0.last() != Some(&Token::AnyText) {
            self.0.push(token);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_wildcards(&self) -> bool {
        self.0.iter().any(|token| !matches!(token, Token::Char(_)))
    }

    /// Its text, with the signs of wildcards.
    pub(crate) fn text(&self) -> String {
        self.0
            .iter()
            .map(|token| match token {
                Token::Char(c) => *c,
                Token::AnyChar => '?',
                Token::AnyText => '*',
            })
            .collect()
    }

    /// Whether a whole name matches. The time is at most the product of both lengths.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let mut at = 0;
        let mut token = 0;
        // The last star, and where the text that it stands for may end next.
        let mut star: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.0.get(token) {
                Some(Token::AnyText) => {
                    star = Some((token, at));
                    token += 1;
                    continue;
                }
                Some(Token::AnyChar) => {}
                Some(Token::Char(c)) if *c == name[at] => {}
                _ => {
                    let Some((place, end)) = star else { return false };
                    star = Some((place, end + 1));
                    token = place + 1;
                    at = end + 1;
                    continue;
                }
            }
            at += 1;
            token += 1;
        }
        self.0[token..].iter().all(|token| *token == Token::AnyText)
    }
}
