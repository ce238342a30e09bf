//! Digest authentication (`DigestScheme` of HttpClient 4.5: RFC 2617, and SHA-256 of RFC 7616).

use data_encoding::HEXLOWER;
use md5::Md5;
use sha2::{Digest, Sha256};
use swell_connect::Credentials;
use swell_expr::Charset;

use super::Challenge;

/// The request to authorize.
pub(crate) struct DigestRequest<'a> {
    pub(crate) method: &'a str,
    /// Target of the request line.
    pub(crate) target: &'a str,
    /// The request can have a body, and that is it.
    pub(crate) body: Option<&'a [u8]>,
}

/// The `Authorization` that answers a challenge; `None` if it cannot be answered. `cnonce`: at
/// random, 16 hexadecimal digits.
pub(crate) fn digest(
    challenge: &Challenge,
    credentials: &Credentials,
    asked: &DigestRequest<'_>,
    cnonce: &str,
) -> Option<String> {
    let realm = challenge.get("realm")?;
    let nonce = challenge.get("nonce")?;
    let algorithm = challenge.get("algorithm").unwrap_or("MD5");
    let session = algorithm.eq_ignore_ascii_case("MD5-sess");
    let hash = hash_of(if session { "MD5" } else { algorithm })?;
    let charset = Charset::of(challenge.get("charset").unwrap_or("ISO-8859-1"))?;
    let hash_text = |text: &str| {
        let mut bytes = Vec::new();
        charset.encode_into(text, &mut bytes);
        hash(&bytes)
    };
    let quality = quality(challenge.get("qop"), asked.body.is_some())?;
    let mut secret = format!("{}:{realm}:{}", credentials.user, credentials.password);
    if session {
        secret = format!("{}:{nonce}:{cnonce}", hash_text(&secret));
    }
    let mut what = format!("{}:{}", asked.method, asked.target);
    if quality == "auth-int" {
        what = format!("{what}:{}", hash(asked.body.unwrap_or_default()));
    }
    let secret = hash_text(&secret);
    let what = hash_text(&what);
    let (response, more) = match quality {
        "" => (hash_text(&format!("{secret}:{nonce}:{what}")), String::new()),
        qop => (
            hash_text(&format!("{secret}:{nonce}:00000001:{cnonce}:{qop}:{what}")),
            format!(", qop={qop}, nc=00000001, cnonce=\"{cnonce}\""),
        ),
    };
    let [user, realm, nonce, target] = [&credentials.user, realm, nonce, asked.target].map(quoted);
    let mut out = format!(
        "Digest username={user}, realm={realm}, nonce={nonce}, uri={target}, response=\"{response}\"{more}, \
         algorithm={algorithm}"
    );
    if let Some(opaque) = challenge.get("opaque") {
        out.push_str(", opaque=");
        out.push_str(&quoted(opaque));
    }
    Some(out)
}

/// Which of the offered qualities is taken, empty where none is offered; none where none of them is
/// known.
fn quality(offered: Option<&str>, has_body: bool) -> Option<&'static str> {
    let Some(offered) = offered else { return Some("") };
    let has = |name: &str| offered.split(',').any(|one| one.trim().eq_ignore_ascii_case(name));
    if has_body && has("auth-int") {
        return Some("auth-int");
    }
    has("auth").then_some("auth")
}

/// A hash as hexadecimal digits.
fn hash_of(algorithm: &str) -> Option<fn(&[u8]) -> String> {
    match algorithm.to_ascii_uppercase().as_str() {
        "MD5" => Some(|bytes| HEXLOWER.encode(&Md5::digest(bytes))),
        "SHA-256" => Some(|bytes| HEXLOWER.encode(&Sha256::digest(bytes))),
        _ => None,
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", \
        opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";

    fn answer(
        more: &str,
        user: (&str, &str),
        asked: (&str, &str, Option<&[u8]>),
        cnonce: &str,
    ) -> Option<String> {
        let challenge = Challenge::parse(&format!("{BASE}{more}"));
        let credentials = Credentials::new("", user.0, user.1.into());
        let asked = DigestRequest { method: asked.0, target: asked.1, body: asked.2 };
        digest(&challenge, &credentials, &asked, cnonce)
    }

    /// What JMeter 5.6.3 answered.
    #[test]
    fn answers_are_jmeters() {
        let mufasa = ("Mufasa", "Circle Of Life");
        let one = answer(", qop=\"auth,auth-int\"", mufasa, ("GET", "/d", None), "d891dc70bb9033c9");
        let wanted = "Digest username=\"Mufasa\", realm=\"testrealm@host.com\", \
            nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", uri=\"/d\", response=\"81e86bfc5f583dea44a4120fc00309df\", \
            qop=auth, nc=00000001, cnonce=\"d891dc70bb9033c9\", algorithm=MD5, \
            opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";
        assert_eq!(one.as_deref(), Some(wanted));
        let response = |answer: Option<String>| {
            let answer = answer.unwrap();
            answer.split("response=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        let up = ("u", "p");
        let post = ("POST", "/dai", Some(&b"a=b"[..]));
        let get = |target| ("GET", target, None);
        let table = [
            (answer(", qop=\"auth-int\"", up, post, "a0ecd6ff2d0e4d11"), "5331a3aa639a9d1a539e4290fb2a20e2"),
            (answer("", up, get("/dnq"), ""), "7c5a78e307f897e3cdd09654e8f7115b"),
            (
                answer(", qop=\"auth\", algorithm=MD5-sess", up, get("/dsess"), "03d0d8d1cd1d190a"),
                "beace049001e3a1c29cd2cdbe9ad5857",
            ),
            (
                answer(", qop=\"auth\", algorithm=SHA-256", up, get("/dsha"), "7c4bc02feba7b8c6"),
                "898c24184250eb3a60e481e9f8e8c30d5b34f5c43f864fde10c835d5b0f09531",
            ),
        ];
        for (answer, wanted) in table {
            assert_eq!(response(answer), wanted);
        }
    }

    #[test]
    fn some_challenges_have_no_answer() {
        let none = |more: &str| answer(more, ("u", "p"), ("GET", "/", None), "c").is_none();
        assert!(none(", qop=\"auth-int\"") && none(", algorithm=MD4") && none(", charset=nope"));
        assert!(!none(", qop=auth"));
        let bare = Challenge::parse("Digest realm=x");
        let asked = DigestRequest { method: "GET", target: "/", body: None };
        assert_eq!(digest(&bare, &Credentials::new("", "u", "p".into()), &asked, "c"), None);
    }
}
