//! Bodies of `multipart/form-data` as text, in parts.

use crate::inside::inside_path;
use crate::model::{Part, PartValue, Text};

/// The parts of a body; none if it has something that JMeter's parts cannot say, so that it is sent
/// as it is.
pub(super) fn parts(mime: &str, body: &[u8]) -> Option<Vec<Part>> {
    let delimiter = format!("--{}", boundary(mime)?);
    let mut rest = body.strip_prefix(delimiter.as_bytes())?;
    let delimiter = format!("\r\n{delimiter}");
    let mut all = Vec::new();
    while let Some(content) = rest.strip_prefix(b"\r\n") {
        let end = find(content, delimiter.as_bytes())?;
        all.push(part(&content[..end])?);
        rest = &content[end + delimiter.len()..];
    }
    let is_text = |part: &Part| matches!(part.value, PartValue::Text(_));
    // JMeter sends texts before files, and adds a charset to the type of a text.
    let is_sent_so = all.is_sorted_by_key(|part| !is_text(part))
        && all.iter().all(|part| !is_text(part) || part.mime.is_empty());
    (matches!(rest, b"--" | b"--\r\n") && is_sent_so && !all.is_empty()).then_some(all)
}

fn boundary(mime: &str) -> Option<&str> {
    let (kind, parameters) = mime.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let named = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let (_, value) = named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?;
    Some(value.trim_matches('"')).filter(|value| !value.is_empty())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn part(bytes: &[u8]) -> Option<Part> {
    let end = find(bytes, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let content = &bytes[end + 4..];
    let mut disposition = None;
    let mut mime = String::new();
    for line in head.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        match &*name.to_ascii_lowercase() {
            "content-disposition" => disposition = Some(value.trim()),
            "content-type" => value.trim().clone_into(&mut mime),
            _ => return None,
        }
    }
    let disposition = disposition?.strip_prefix("form-data")?;
    let name = quoted(disposition, "name")?.to_owned();
    let value = match quoted(disposition, "filename") {
        Some(file) => PartValue::Bytes(inside_path(file).ok()?, content.to_vec()),
        // A name that is spelled another way is none that could be kept.
        None if disposition.contains("filename") => return None,
        None => PartValue::Text(Text::literal(std::str::from_utf8(content).ok()?)),
    };
    Some(Part { name, value, mime })
}

/// The value of a parameter in quotes. Browsers write `%22` for a quote, which JMeter would not.
fn quoted<'t>(parameters: &'t str, name: &str) -> Option<&'t str> {
    let start = parameters.find(&format!("; {name}=\""))? + name.len() + 4;
    let value = &parameters[start..];
    let value = &value[..value.find('"')?];
    (!value.contains(['\\', '%']) && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(parts: &[&str]) -> String {
        format!("--b\r\n{}\r\n--b--\r\n", parts.join("\r\n--b\r\n"))
    }

    #[test]
    fn parts_are_texts_and_files() {
        let text = "Content-Disposition: form-data; name=\"a\"\r\n\r\nx\r\ny";
        let file = "Content-Disposition: form-data; name=\"f\"; filename=\"n.txt\"\r\nContent-Type: text/plain\r\n\r\n";
        let found = parts("multipart/form-data; boundary=b", body(&[text, file]).as_bytes()).unwrap();
        let text = Part { name: "a".into(), value: PartValue::Text("x\r\ny".into()), mime: String::new() };
        let value = PartValue::Bytes("n.txt".into(), Vec::new());
        assert_eq!(found, [text, Part { name: "f".into(), value, mime: "text/plain".into() }]);
    }

    #[test]
    fn bodies_with_other_things_stay_texts() {
        let with = |part: &str| parts("multipart/form-data; boundary=\"b\"", body(&[part]).as_bytes());
        assert!(with("Content-Disposition: form-data; name=\"a\"\r\n\r\n").is_some());
        for part in [
            "Content-Disposition: form-data; name=\"a%22b\"\r\n\r\nx",
            "Content-Disposition: form-data; name=\"a\"; filename=\"\"\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\"; filename=\"../x\"\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\"; filename*=UTF-8''x\r\n\r\n",
            "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json\r\n\r\n{}",
            "Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\nx",
            "Content-Disposition: form-data; name=\"a\"",
        ] {
            assert_eq!(with(part), None, "{part}");
        }
        let file = "Content-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\n";
        let text = "Content-Disposition: form-data; name=\"a\"\r\n\r\nx";
        assert_eq!(parts("multipart/form-data; boundary=b", body(&[file, text]).as_bytes()), None);
        let whole = body(&["Content-Disposition: form-data; name=\"a\"\r\n\r\nx"]);
        for mime in ["multipart/form-data", "multipart/mixed; boundary=b", "multipart/form-data; boundary=c"]
        {
            assert_eq!(parts(mime, whole.as_bytes()), None, "{mime}");
        }
        assert_eq!(parts("multipart/form-data; boundary=b", &whole.as_bytes()[..whole.len() - 4]), None);
    }
}
