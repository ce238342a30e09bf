//! The cases of JMeter's TestCacheManagerBase and TestCacheManagerHC4.

use swell_http1::date::parse_http;

use super::*;

const URL: &str = "http://jakarta.apache.org/";
const NOW: i64 = 1_700_000_000_000;
const YEAR: i64 = 365 * 24 * 60 * 60 * 1000;

fn response(fields: &[(&str, &str)]) -> Response {
    let mut out = Response::default();
    for (name, value) in fields {
        let field = match *name {
            "lm" => &mut out.last_modified,
            "etag" => &mut out.etag,
            "exp" => &mut out.expires,
            "cc" => &mut out.cache_control,
            "date" => &mut out.date,
            _ => &mut out.vary,
        };
        *field = Some((*value).to_owned());
    }
    out
}

#[test]
fn expiry_by_header() {
    let past = "Sun, 06 Nov 1994 08:49:37 GMT";
    let later = "Sun, 06 Nov 1994 09:49:37 GMT";
    let at = parse_http(past);
    let table = [
        (response(&[("etag", "x")]), Ok(CacheUse::Until(Some(NOW + YEAR)))),
        (response(&[("cc", "max-age=10")]), Ok(CacheUse::Until(Some(NOW + 10_000)))),
        (response(&[("cc", "public, max-age=5, x"), ("exp", past)]), Ok(CacheUse::Until(Some(NOW + 5_000)))),
        (response(&[("cc", "max-age=x")]), Err("For input string: \"x\"".to_owned())),
        (response(&[("cc", "private")]), Ok(CacheUse::Until(Some(NOW + YEAR)))),
        (response(&[("cc", "no-cache")]), Ok(CacheUse::Until(None))),
        (response(&[("cc", "no-cache, max-age=5"), ("exp", past)]), Ok(CacheUse::Until(at))),
        (response(&[("cc", "no-store"), ("etag", "x")]), Ok(CacheUse::No)),
        (response(&[("exp", past)]), Ok(CacheUse::Until(at))),
        (response(&[("exp", "0")]), Ok(CacheUse::Until(None))),
        (response(&[("lm", past), ("date", later)]), Ok(CacheUse::Until(Some(NOW + 360_000)))),
        (response(&[("lm", past)]), Ok(CacheUse::Until(Some(NOW + YEAR)))),
    ];
    for (response, wanted) in table {
        assert_eq!(expiry(&response, true, NOW), wanted, "{response:?}");
    }
    assert_eq!(expiry(&response(&[("cc", "no-store")]), false, NOW), Ok(CacheUse::Until(None)));
}

#[test]
fn validators_are_remembered_and_the_first_stays() {
    let mut cache = Cache::new(10);
    cache.save(URL, &[], &response(&[("etag", "e1"), ("lm", "l1")]), false, NOW).unwrap();
    cache.save(URL, &[], &response(&[("etag", "e2")]), false, NOW).unwrap();
    let validators = cache.validators(URL, &[]).unwrap();
    assert_eq!((validators.etag.as_deref(), validators.last_modified.as_deref()), (Some("e1"), Some("l1")));
    assert!(!cache.is_fresh(URL, &[], NOW));
    assert_eq!(cache.validators("http://other/", &[]), None);
    cache.clear();
    assert_eq!(cache.validators(URL, &[]), None);
}

#[test]
fn nothing_to_remember_is_not_remembered() {
    let mut cache = Cache::new(10);
    cache.save(URL, &[], &response(&[("date", "x"), ("vary", "a")]), true, NOW).unwrap();
    cache.save(URL, &[], &response(&[("etag", "x"), ("vary", "*")]), true, NOW).unwrap();
    assert_eq!(cache.len(), 0);
}

#[test]
fn fresh_until_it_expires() {
    let mut cache = Cache::new(10);
    cache.save(URL, &[], &response(&[("cc", "max-age=5")]), true, NOW).unwrap();
    assert!(cache.is_fresh(URL, &[], NOW + 4_999));
    assert!(!cache.is_fresh(URL, &[], NOW + 5_000));
}

#[test]
fn varying_responses_depend_on_the_request() {
    let mut cache = Cache::new(10);
    let plain = [("Accept-Encoding", "plain")];
    let gzip = [("Accept-Encoding", "gzip"), ("X", "1")];
    let vary = response(&[("cc", "max-age=5"), ("etag", "g"), ("vary", "Accept-Encoding, Accept")]);
    cache.save(URL, &gzip, &vary, true, NOW).unwrap();
    assert!(cache.is_fresh(URL, &gzip, NOW));
    assert!(!cache.is_fresh(URL, &plain, NOW) && !cache.is_fresh(URL, &[], NOW));
    assert_eq!(cache.validators(URL, &plain), None);
    assert!(cache.validators(URL, &gzip).is_some());
    assert_eq!(cache.len(), 2);
}

#[test]
fn the_least_recently_used_goes() {
    let mut cache = Cache::new(2);
    let one = response(&[("etag", "x")]);
    for url in ["a", "b"] {
        cache.save(url, &[], &one, false, NOW).unwrap();
    }
    assert!(cache.validators("a", &[]).is_some());
    cache.save("c", &[], &one, false, NOW).unwrap();
    let left = ["a", "b", "c"].map(|url| cache.validators(url, &[]).is_some());
    assert_eq!((left, cache.len()), ([true, false, true], 2));
}
