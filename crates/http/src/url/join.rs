//! Resolves the location of a redirect (`HTTPSamplerBase.followRedirects`, `ConversionUtils`,
//! `java.net.URLStreamHandler.parseURL`).

use std::fmt::Write as _;
use std::rc::Rc;

use super::java::{MalformedUrl, Scheme, Url, split_protocol};
use super::syntax::{in_path, in_query, is_other};
use super::target;

/// The URL of a `Location`, seen from the URL that answered with it, brought to a form that is a
/// URI.
///
/// # Errors
/// Not a URL.
pub(crate) fn redirect_url(base: &Url, location: &str) -> Result<Url, MalformedUrl> {
    let url = relative_url(base, location)?;
    if url.check().is_ok() { Ok(url) } else { sanitize(&url) }
}

/// The URL of a reference in a page (`ConversionUtils.makeRelativeURL`).
///
/// # Errors
/// Not a URL.
pub(crate) fn relative_url(base: &Url, reference: &str) -> Result<Url, MalformedUrl> {
    let first = join(base, without_own_protocol(base, reference))?;
    without_leading_dots(base, reference, first)
}

/// `http:/path`, which `java.net.URL` takes as a path where the base has the same protocol.
fn without_own_protocol<'r>(base: &Url, reference: &'r str) -> &'r str {
    let Some((protocol, rest)) = split_protocol(reference.trim_matches(|c| c <= ' ')) else {
        return reference;
    };
    let same = Scheme::of(protocol).is_ok_and(|scheme| scheme == base.scheme());
    if same && rest.starts_with('/') && !rest.starts_with("//") { rest } else { reference }
}

/// Where HttpClient's own redirects lead (`DefaultRedirectStrategy.getLocationURI`): dot segments
/// are taken out, and path segments escaped again.
///
/// # Errors
/// Not a URI, or not an HTTP URI; HttpClient's message.
pub(crate) fn client_redirect(base: &Url, location: &str) -> Result<Url, String> {
    let invalid = || format!("Invalid redirect URI: {location}");
    if location.contains(|c: char| c.is_ascii() && !in_query(c) && c != '%' && c != '#') {
        return Err(invalid());
    }
    let joined = match location.strip_prefix('?') {
        Some(query) => Ok(base.with_only_query(query)),
        None => join(base, location),
    };
    let url = joined.map_err(|error| error.0)?;
    if url.target_host().is_none() {
        return Err(format!("Redirect URI does not specify a valid host name: {location}"));
    }
    url.check().map_err(|_| invalid())?;
    let mut kept: Vec<String> = Vec::new();
    let segments = target::segments(url.path());
    let last = segments.len() - 1;
    for (i, segment) in segments.into_iter().enumerate() {
        match segment.as_str() {
            "." => {}
            "" if i < last => {}
            ".." => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    if kept.is_empty() {
        kept.push(String::new());
    }
    let mut file = String::new();
    target::push_segments(kept.iter(), &mut file);
    if let Some(query) = url.query() {
        write!(file, "?{query}").expect("writing to a String cannot fail");
    }
    let authority = url.authority().to_ascii_lowercase();
    Url::with_authority(url.scheme(), &authority, &file).map_err(|error| error.0)
}

impl Url {
    /// The same path with another query.
    fn with_only_query(&self, query: &str) -> Self {
        let file = format!("{}?{query}", self.path());
        Self::with_authority(self.scheme(), self.authority(), &file).expect("the authority was valid before")
    }

    /// In a form that is a URI, if there is one (`HTTPSamplerBase.escapeIllegalURLCharacters`).
    pub(crate) fn escaped(self) -> Self {
        if self.is_file() || self.check().is_ok() {
            return self;
        }
        sanitize(&self).unwrap_or(self)
    }

    /// Without `.`, `..` and empty segments in the path (`URI.normalize`). A `..` above the root
    /// stays.
    pub(crate) fn normalized(self) -> Self {
        let path = self.path();
        let plain = !path.contains("//") && !path.split('/').any(|part| matches!(part, "." | ".."));
        if plain || !path.starts_with('/') {
            return self;
        }
        let mut kept: Vec<&str> = Vec::new();
        let mut folder = path.ends_with('/');
        for part in path.split('/').filter(|part| !part.is_empty()) {
            folder = path.ends_with('/') || matches!(part, "." | "..");
            match part {
                "." => {}
                ".." if kept.last().is_some_and(|last| *last != "..") => drop(kept.pop()),
                _ => kept.push(part),
            }
        }
        let mut file = String::with_capacity(self.as_str().len());
        for part in &kept {
            file.extend(["/", part]);
        }
        if folder && (path.ends_with('/') || kept.last().is_none_or(|last| *last != "..")) {
            file.push('/');
        }
        file.push_str(&self.as_str()[self.as_str().len() - self.after_path().len()..]);
        Self::with_authority(self.scheme(), self.authority(), &file).unwrap_or(self)
    }

    /// Built again from the request that HttpClient sent: no fragment, no user, no empty segments
    /// in the path.
    pub(crate) fn as_sent(self: &Rc<Self>) -> Rc<Self> {
        let path = self.path();
        let (_, host) = self.authority().rsplit_once('@').unwrap_or(("", self.authority()));
        let same = self.fragment().is_none() && !path.is_empty() && !path.contains("//");
        let same = same && host.len() == self.authority().len();
        if same {
            return self.clone();
        }
        let mut file = String::with_capacity(self.as_str().len());
        target::push_path(path, &mut file);
        if let Some(query) = self.query() {
            file.extend(["?", query]);
        }
        let url = Self::with_authority(self.scheme(), host, &file);
        Rc::new(url.expect("the authority was valid before"))
    }

    /// With more parameters at the end of the query.
    pub(crate) fn with_query(&self, more: &str) -> Self {
        match (self.query(), more) {
            (_, "") => self.clone(),
            (Some(query), more) if !query.is_empty() => self.with_only_query(&format!("{query}&{more}")),
            (_, more) => self.with_only_query(more),
        }
    }
}

/// `ConversionUtils.makeRelativeURL`: leading `../` that lead above the root are dropped.
fn without_leading_dots(base: &Url, location: &str, url: Url) -> Result<Url, MalformedUrl> {
    if !location.starts_with("../") {
        return Ok(url);
    }
    let mut rest = url.path().strip_prefix('/').unwrap_or_default();
    let mut dropped = 0;
    while let Some(more) = rest.strip_prefix("../") {
        rest = more;
        dropped += 3;
    }
    if dropped > 0
        && location.get(..dropped).is_some_and(|l| l.bytes().eq("../".bytes().cycle().take(dropped)))
    {
        return join(base, &location[dropped..]);
    }
    Ok(url)
}

/// `new URL(context, spec)`.
fn join(base: &Url, spec: &str) -> Result<Url, MalformedUrl> {
    let spec = spec.trim_matches(|c| c <= ' ');
    let rest = match split_protocol(spec) {
        Some((protocol, rest)) => {
            let same = Scheme::of(protocol)? == base.scheme();
            if !same || rest.starts_with('/') {
                return Url::parse(spec);
            }
            rest
        }
        None => spec,
    };
    if let Some(after) = rest.strip_prefix("//") {
        let authority = &after[..after.find(['/', '?', '#']).unwrap_or(after.len())];
        return Url::with_authority(base.scheme(), authority, &after[authority.len()..]);
    }
    let file = join_file(base, rest);
    Url::with_authority(base.scheme(), base.authority(), &file)
}

/// Path, query and fragment of a relative reference.
fn join_file(base: &Url, spec: &str) -> String {
    let (spec, fragment) = spec.split_once('#').map_or((spec, None), |(s, f)| (s, Some(f)));
    let (path, query) = spec.split_once('?').map_or((spec, None), |(p, q)| (p, Some(q)));
    let base_path = base.path();
    // A local path may be relative: it has no folder then.
    let folder = match base_path.rfind('/') {
        Some(end) => &base_path[..=end],
        None if base.is_file() && base.authority().is_empty() => "",
        None => "/",
    };
    let mut file = if path.starts_with('/') {
        path.to_owned()
    } else if !path.is_empty() {
        normalize(format!("{folder}{path}"))
    } else if query.is_some() {
        folder.to_owned()
    } else {
        base_path.to_owned()
    };
    let inherited = if path.is_empty() { base.query() } else { None };
    if let Some(query) = query.or(inherited) {
        write!(file, "?{query}").expect("writing to a String cannot fail");
    }
    if let Some(fragment) = fragment {
        write!(file, "#{fragment}").expect("writing to a String cannot fail");
    }
    file
}

/// Takes `/./` and `/../` out of a path where Java does.
fn normalize(mut path: String) -> String {
    while let Some(at) = path.find("/./") {
        path.replace_range(at..at + 2, "");
    }
    let mut from = 0;
    while let Some(at) = path[from..].find("/../").map(|i| from + i) {
        match path[..at].rfind('/').filter(|up| at > 0 && !path[*up..].starts_with("/../")) {
            Some(up) => {
                path.replace_range(up..at + 3, "");
                from = 0;
            }
            None => from = at + 3,
        }
    }
    while path.ends_with("/..") {
        let at = path.find("/..").expect("checked by ends_with");
        match path[..at].rfind('/') {
            Some(up) => path.truncate(up + 1),
            None => break,
        }
    }
    if path.starts_with("./") && path.len() > 2 {
        path.drain(..2);
    }
    if path.ends_with("/.") {
        path.pop();
    }
    path
}

/// `ConversionUtils.sanitizeUrl`: Java's constructor of a URI from parts quotes what is not
/// allowed, every `%` included.
fn sanitize(url: &Url) -> Result<Url, MalformedUrl> {
    let mut file = String::new();
    quote(url.path(), in_path, &mut file);
    if let Some(query) = url.query() {
        file.push('?');
        quote(query, in_query, &mut file);
    }
    if let Some(fragment) = url.fragment() {
        file.push('#');
        quote(fragment, in_query, &mut file);
    }
    Url::with_authority(url.scheme(), url.authority(), &file)
}

fn quote(text: &str, allowed: fn(char) -> bool, out: &mut String) {
    for c in text.chars() {
        if allowed(c) || is_other(c) {
            out.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| crate::text::form::push_escaped(b, out));
        }
    }
}

/// `ConversionUtils.removeSlashDotDot`: collapses `/x/..` in the path of a location.
pub(crate) fn remove_slash_dot_dot(location: &str) -> String {
    let url = location.trim_matches(|c| c <= ' ');
    if url.len() < 4 || !url.contains("/..") {
        return url.to_owned();
    }
    let start = match url.find("://") {
        Some(at) => url[at + 3..].find('/').map_or(url.len(), |i| at + 3 + i),
        None => 0,
    };
    let end = url.find('?').filter(|at| *at > 0).or_else(|| url.find('#').filter(|at| *at > 0));
    let end = end.unwrap_or(url.len()).max(start);
    let path = &url[start..end];
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|p| !p.is_empty()) {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let mut out = url[..start].to_owned();
    if path.starts_with('/') {
        out.push('/');
    }
    out.push_str(&parts.join("/"));
    if path.ends_with('/') && !parts.is_empty() {
        out.push('/');
    }
    out.push_str(&url[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_lead_where_jmeter_goes() {
        let base = Url::parse("http://h:1/r/up").unwrap();
        let table = [
            ("http://other/end", Ok("http://other/end")),
            ("end", Ok("http://h:1/r/end")),
            ("../../end", Ok("http://h:1/end")),
            ("../end", Ok("http://h:1/end")),
            ("/end?x=1/../y#f", Ok("http://h:1/end?x=1/../y#f")),
            ("/a%20b?c%20d", Ok("http://h:1/a%20b?c%20d")),
            ("/a|b{c}?d|e", Ok("http://h:1/a%7Cb%7Bc%7D?d%7Ce")),
            ("?z=1", Ok("http://h:1/r/?z=1")),
            ("", Ok("http://h:1/r/up")),
            ("//o:2/dd", Ok("http://o:2/dd")),
            ("/%41%zz", Ok("http://h:1/%2541%25zz")),
            ("/./a/./b//c", Ok("http://h:1/./a/./b//c")),
            ("./a/./b/../c/.", Ok("http://h:1/r/a/c/")),
            ("/\u{e9}", Ok("http://h:1/\u{e9}")),
            ("http:x", Ok("http://h:1/r/x")),
            ("https://s/x", Ok("https://s/x")),
            ("http://[zz/", Err("Invalid authority field: [zz")),
            ("foo:bar", Err("unknown protocol: foo")),
        ];
        for (location, wanted) in table {
            let got = redirect_url(&base, location);
            assert_eq!(got.as_ref().map(Url::as_str).map_err(|e| e.0.as_str()), wanted, "{location}");
        }
    }

    #[test]
    fn references_of_local_pages() {
        let table = [
            ("file:d/page.html", "e/i.png", "file:d/e/i.png"),
            ("file:d/page.html", "./e/../i.png", "file:d/i.png"),
            ("file:page.html", "i.png", "file:i.png"),
            ("file:page.html", "../i.png", "file:../i.png"),
            ("file:/a/page.html", "../../i.png", "file:/i.png"),
            ("file:/a/page.html", "/i.png", "file:/i.png"),
            ("file:///a/page.html", "i.png", "file:/a/i.png"),
            ("file:d/page.html", "http://h/i.png", "http://h/i.png"),
        ];
        for (base, reference, wanted) in table {
            let base = Url::parse(base).unwrap();
            assert_eq!(relative_url(&base, reference).unwrap().as_str(), wanted, "{reference}");
        }
        assert_eq!(Url::parse("file:/a/./b/../c d").unwrap().escaped().normalized().as_str(), "file:/a/c d");
        assert_eq!(Url::parse("file:a/../c").unwrap().normalized().as_str(), "file:a/../c");
    }

    #[test]
    fn httpclient_goes_elsewhere() {
        let base = Url::parse("http://h:1/r/up?old").unwrap();
        let table = [
            ("http://Other:2/end", Ok("http://other:2/end")),
            ("end", Ok("http://h:1/r/end")),
            ("../../end", Ok("http://h:1/end")),
            ("?z=1", Ok("http://h:1/r/up?z=1")),
            ("/./a/./b//c", Ok("http://h:1/a/b/c")),
            ("/a/../end?x=1/../y#f", Ok("http://h:1/end?x=1/../y")),
            ("/a b", Err("Invalid redirect URI: /a b")),
            ("/a|b", Err("Invalid redirect URI: /a|b")),
            ("foo:bar", Err("unknown protocol: foo")),
        ];
        for (location, wanted) in table {
            let got = client_redirect(&base, location);
            assert_eq!(got.as_ref().map(Url::as_str).map_err(String::as_str), wanted, "{location}");
        }
        assert_eq!(base.with_query("a=b").as_str(), "http://h:1/r/up?old&a=b");
    }

    #[test]
    fn uris_are_normalized_as_java_does() {
        let table = [
            ("http://h/a/./b/../c", "http://h/a/c"),
            ("http://h/a//b?c/../d#e/./f", "http://h/a/b?c/../d#e/./f"),
            ("http://h/a/b/..", "http://h/a/"),
            ("http://h/a/.", "http://h/a/"),
            ("http://h/../a", "http://h/../a"),
            ("http://h//", "http://h/"),
            ("http://h", "http://h"),
            ("http://h:1/a/b/?x", "http://h:1/a/b/?x"),
        ];
        for (url, wanted) in table {
            assert_eq!(Url::parse(url).unwrap().normalized().as_str(), wanted, "{url}");
        }
        assert_eq!(Url::parse("http://h/a b|c").unwrap().escaped().as_str(), "http://h/a%20b%7Cc");
        assert_eq!(Url::parse("http://h/a%20b").unwrap().escaped().as_str(), "http://h/a%20b");
    }

    #[test]
    fn slash_dot_dot_is_collapsed() {
        // Mostly from JMeter's TestHTTPUtils.
        let table = [
            ("/path/", "/path/"),
            ("http://host/one/../one", "http://host/one"),
            ("http://host/one/two/../three?query#anchor", "http://host/one/three?query#anchor"),
            ("http://host:8080/one/../two/", "http://host:8080/two/"),
            ("/one/../two/../three", "/three"),
            ("../../end", "../../end"),
            ("/a/../end?x=1/../y#f", "/end?x=1/../y#f"),
            ("/x/..//y", "/y"),
            ("one/../../two", "../two"),
            ("http://host/path/?url=/a/..", "http://host/path/?url=/a/.."),
        ];
        for (location, wanted) in table {
            assert_eq!(remove_slash_dot_dot(location), wanted, "{location}");
        }
    }
}
