use super::*;
use crate::model::{Body, PartValue};
use crate::steps::{Imported, import};

fn read_all(text: &str) -> (Vec<Exchange>, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "r.sh", bytes: text.as_bytes() };
    let document = read(&source, &Options::default(), &mut notes).expect("commands");
    let all = document.flows[0].exchanges().into_iter().cloned().collect();
    (all, notes)
}

fn shown(text: &str) -> Vec<String> {
    let body = |exchange: &Exchange| match &exchange.body {
        Body::None => String::new(),
        Body::Text(text) => format!(" {}", text.to_plan()),
        Body::File { path, .. } => format!(" <{path}"),
        Body::Multipart(parts) => parts
            .iter()
            .map(|part| match &part.value {
                PartValue::Text(text) => format!(" {}={}({})", part.name, text.to_plan(), part.mime),
                PartValue::File(path) => format!(" {}=@{path}({})", part.name, part.mime),
                PartValue::Bytes(name, _) => format!(" {}=bytes {name}", part.name),
            })
            .collect(),
        other => format!(" {other:?}"),
    };
    let (all, notes) = read_all(text);
    let left_out: Vec<_> =
        notes.all().iter().filter(|note| !note.is_wanted && note.kind == crate::NoteKind::LeftOut).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
    all.iter().map(|one| format!("{} {}{}", one.method, one.url.to_plan(), body(one))).collect()
}

#[test]
fn methods_urls_and_bodies() {
    for (text, wanted) in [
        ("curl a.test", "GET http://a.test"),
        ("curl -XPUT https://a.test/x/../y -d a -d 'b=c'", "PUT https://a.test/y a&b=c"),
        (
            "curl -G a.test/?z -d a=1 --data-urlencode 'b=ü &' -d c",
            "GET http://a.test/?z&a=1&b=%C3%BC%20%26&c",
        ),
        ("curl -sSLI a.test", "HEAD http://a.test"),
        ("curl --json '{\"a\":' --json '1}' a.test", "POST http://a.test {\"a\":1}"),
        ("curl --data-binary @b/c.json a.test", "POST http://a.test <b/c.json"),
        ("curl -T c.txt http://a.test/d/", "PUT http://a.test/d/c.txt <c.txt"),
        (
            "curl -F 'a=1;type=text/x' -F 'f=@x/y.png;filename=y.png' -F b=2 a.test",
            "POST http://a.test a=1(text/x) f=@x/y.png(image/png) b=2()",
        ),
        ("curl -F 't=<x.txt' a.test", "POST http://a.test t=${__FileToString(x.txt,UTF-8)}()"),
        ("echo -n '{}' | curl -d @- a.test", "POST http://a.test {}"),
        ("U=http://a.test\ncurl \"$U/x\" -d 'q\\'$V", "POST ${U}/x q\\\\${V}"),
        ("curl -g 'http://a.test/{x}'", "GET http://a.test/{x}"),
        ("curl --url-query 'q=a b' a.test", "GET http://a.test?q=a%20b"),
        ("$ curl.exe -d '' a.test", "POST http://a.test"),
    ] {
        assert_eq!(shown(text), [wanted], "{text}");
    }
    assert_eq!(
        shown("curl a.test/{1,2} b.test --next -d x c.test"),
        ["GET http://a.test/1", "GET http://a.test/2", "GET http://b.test", "POST http://c.test x",]
    );
}

#[test]
fn headers_are_those_of_curl() {
    let headers = |text: &str| {
        let (all, _) = read_all(text);
        let shown = |header: &crate::Header| format!("{}: {}", header.name, header.value.to_plan());
        all[0].headers.iter().map(shown).collect::<Vec<_>>().join(" | ")
    };
    for (text, wanted) in [
        ("curl a", "Accept: */*"),
        ("curl a -d x", "Content-Type: application/x-www-form-urlencoded | Accept: */*"),
        ("curl a --json x -H 'Accept:'", "Content-Type: application/json"),
        ("curl a -HX:1 -H 'Y;' -H 'bad' -H'accept:  text/x '", "X: 1 | Y:  | accept: text/x"),
        (
            "curl a -A me -e 'r;auto' -b a=1 -r 600 --oauth2-bearer t",
            "User-Agent: me | Referer: r | Cookie: a=1 | Range: bytes=600- | Authorization: Bearer t | Accept: */*",
        ),
        ("curl a --oauth2-bearer t -u u:p", "Authorization: Bearer t | Accept: */*"),
        ("curl a --oauth2-bearer t -u u:p --digest", "Accept: */*"),
    ] {
        assert_eq!(headers(text), wanted, "{text}");
    }
}

#[test]
fn what_cannot_be_taken_over_is_left_out_with_a_reason() {
    for (text, reason) in [
        ("curl a --no-such", "unknown option"),
        ("curl \"$(cat x)\"", "output of another command"),
        ("curl a -d @/etc/passwd", "relative path"),
        ("curl a -d @-", "standard input"),
        ("curl -X", "no value"),
        ("curl -v", "no URL"),
        ("curl a --ntlm", "NTLM"),
        ("wget http://a", "only curl"),
        ("curl a --cert x", "key store"),
    ] {
        let (_, notes) = read_all(&format!("{text}\n"));
        assert!(notes.is_lossy(), "{text}");
        assert!(notes.all().iter().any(|note| note.reason.contains(reason)), "{text}: {notes:?}");
    }
}

#[test]
fn a_script_becomes_a_plan() {
    let script = "#!/bin/sh\nH=x\ncurl -u ada:pw https://a.test/a \\\n  -H \"T: $H\" --max-time 2.5\n";
    let source = Source { name: "r.sh", bytes: script.as_bytes() };
    let Imported { text, notes, formats, .. } =
        import(&[source], "r", &Options::default()).expect("a script");
    assert_eq!(formats, ["curl"]);
    assert!(!notes.is_lossy(), "{notes:?}");
    for part in [
        r#"<stringProp name="Authorization.username">ada</stringProp>"#,
        r#"<stringProp name="Authorization.password">${__P(password,)}</stringProp>"#,
        r#"<stringProp name="Header.value">${H}</stringProp>"#,
        r#"<stringProp name="HTTPSampler.response_timeout">2500</stringProp>"#,
        r#"<stringProp name="HTTPSampler.port">${__P(port,443)}</stringProp>"#,
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
