//! Headers that change a user's next request (cookies, cache, challenges), and content types.

use swell_http::fuzz;

use super::parts;

/// Whether a text from a response cannot end a line, and so a header, of a request.
fn is_one_line(text: &str) -> bool {
    !text.contains(['\r', '\n', '\0'])
}

/// A policy, a host, a path and one or more `Set-Cookie` headers.
pub(super) fn cookies(input: &[u8]) {
    let [policy, host, path, headers] = parts::<4>(input);
    // A header contains no line ends.
    let set: Vec<&str> = headers.split(['\r', '\n', '\0']).collect();
    let host = if host.trim().is_empty() { "www.a.example".into() } else { host.to_lowercase() };
    let (sent, count) = fuzz::cookies(&policy, &set, &host, &path, &[&host, "other.invalid"]);
    assert!(count <= set.len());
    assert!(sent.iter().flatten().all(|header| is_one_line(header)), "{sent:?}");
    let foreign = "other.invalid".ends_with(&*host)
        || host.ends_with("invalid")
        || set.iter().any(|h| h.contains("invalid"));
    // The Netscape rules compare only the end of the name.
    assert!(foreign || sent[1].is_none() || policy.len() > 2, "another host gets {:?}", sent[1]);
    let twice: Vec<&str> = set.iter().chain(&set).copied().collect();
    if set.len() == 1 {
        let (again, _) = fuzz::cookies(&policy, &twice, &host, &path, &[&host, "other.invalid"]);
        assert_eq!(again, sent, "a cookie that comes twice is there once");
    }
}

/// The six headers that the cache reads.
pub(super) fn cache(input: &[u8]) {
    let all = parts::<6>(input);
    let fields = all.each_ref().map(|text| (!text.is_empty()).then_some(&**text));
    let urls = ["http://a/", "http://a/b", "http://a/c", "http://a/"];
    let headers = [("Accept", "text/html"), ("Cookie", "a=b")];
    let (count, _) = fuzz::cached(fields, &urls, &headers, 2);
    assert!(count <= 2, "the cache keeps its limit");
    let (_, fresh) = fuzz::cached(fields, &urls[..1], &headers, 5);
    let control = fields[3].unwrap_or_default();
    assert!(!(fresh && control.contains("no-store")), "what must not be stored is not fresh");
    // Cookies also contain dates.
    for text in &all {
        std::hint::black_box(fuzz::dates(text));
    }
}

/// A `WWW-Authenticate` header, and a realm quoted into one.
pub(super) fn challenge(input: &[u8]) {
    let [header, realm] = parts::<2>(input);
    let (scheme, _) = fuzz::challenge(&header, ["realm", "nonce", "qop"]);
    assert_eq!(scheme, scheme.to_ascii_lowercase());
    let quoted = realm.replace('\\', "\\\\").replace('"', "\\\"");
    let (_, values) = fuzz::challenge(&format!("Digest realm=\"{quoted}\", nonce=x"), ["realm", "nonce"]);
    if realm.trim() == realm {
        assert_eq!(
            values,
            [Some(realm.into_owned()), Some("x".to_owned())],
            "a realm comes out of its quotes"
        );
    }
}

/// A content type. HttpClient drops one empty trailing parameter per reading, so several readings
/// may be needed until it is stable.
pub(super) fn content_type(input: &[u8]) {
    let [value] = parts::<1>(input);
    let mut text = value.into_owned();
    for reading in 0..input.len() + 3 {
        let Some(next) = fuzz::content_type(&text) else { return };
        assert!(is_one_line(&next) || !is_one_line(&text), "a line end that was not there: {next:?}");
        if next == text {
            return;
        }
        assert!(reading == 0 || next.len() < text.len(), "it grows with each reading: {next:?}");
        text = next;
    }
}
