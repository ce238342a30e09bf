//! Fixed documents.

/// Content type and body of a document, by its name.
pub(super) fn page(name: &str) -> Option<(&'static str, &'static [u8])> {
    Some(match name {
        "json" => ("application/json", JSON.as_bytes()),
        "html" => ("text/html; charset=utf-8", HTML.as_bytes()),
        "page" => ("text/html", PAGE.as_bytes()),
        "frame" => ("text/html", b"<html><body><img src=\"inner.png\"></body></html>\n"),
        "sound" => ("text/html; charset=utf-8", SOUND.as_bytes()),
        "faults" => ("text/html; charset=utf-8", FAULTS.as_bytes()),
        "xhtml" => ("text/html; charset=utf-8", XHTML.as_bytes()),
        "unclosed" => ("application/xml", b"<a><b>x</a></b><c d=e></a>\n"),
        "xml" => ("application/xml", XML.as_bytes()),
        "tags" => ("text/html; charset=utf-8", TAGS.as_bytes()),
        "broken" => ("text/html", BROKEN.as_bytes()),
        "self" => ("text/html", b"<html><frameset><frame src=\"/self\"></frameset></html>\n"),
        "cookied" => ("text/html", b"<img src=\"/cookie?set=a=1\"><img src=\"/cookie?set=b=2\"><img src=\"/end\">\n"),
        "cacheable" => ("text/html", b"<img src=\"/cache/etag\"><img src=\"/cache/maxage\">\n"),
        "lost" => ("text/html", b"<base href=\"foo:bar\"><img src=\"/image.png\">\n"),
        "importing" => ("text/html", b"<link rel=stylesheet href=\"/imports.css\">\n"),
        "imports.css" => ("text/css", b"@charset \"UTF-8\"; @import \"style.css\"; @import url(/image.png) print;\nb { background: url(back.png) }\n"),
        "style.css" => ("text/css", b"body { background: url('back.png') }\n"),
        "script.js" => ("application/javascript", b"var x = 1;\n"),
        "image.png" | "back.png" | "inner.png" => ("image/png", b"\x89PNG\r\n\x1a\n\0\0"),
        "cp1252" => ("text/plain; charset=windows-1252", b"caf\xe9 \x80\n"),
        "utf16" => ("text/plain; charset=UTF-16", b"\xfe\xff\0c\0a\0f\0\xe9\0\n"),
        "bom" => ("text/plain", b"\xef\xbb\xbfcaf\xc3\xa9\n"),
        "meta" => ("text/html", b"<html><meta charset=\"ISO-8859-1\"><p>caf\xe9</p></html>\n"),
        "metaless" => ("text/html", b"<html><p>caf\xe9</p></html>\n"),
        "xml1" => ("application/xml", b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>caf\xe9</a>\n"),
        "no-such-charset" => ("text/plain; charset=nonsense", b"caf\xc3\xa9\n"),
        "quoted-charset" => ("text/plain; charset=\"utf-8\"", b"caf\xc3\xa9\n"),
        "latin1" => ("text/plain; charset=ISO-8859-1", b"caf\xe9\n"),
        _ => return None,
    })
}

/// In it, JTidy finds nothing wrong.
const SOUND: &str = r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html lang="en">
<head><title>Sound</title><meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head>
<body>
<h1>Sound</h1>
<p>Everything is <em>in order</em>, <a href="/next?a=1&amp;b=2">everywhere</a>.</p>
<table summary="two"><tr><td>1</td><td>2</td></tr></table>
</body>
</html>
"#;

/// In it, JTidy finds much, but nothing about access and layout, on which it has advice.
const FAULTS: &str = r#"<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html>
<head><title>Faults</title><script>var a = "<b>" + "</b>";</script><meta name=x></head>
<body bgcolor=reddish>
<section id=1>text</section><foo bar=baz>
<p>one <b>two <i>three</b> four</i> &unknown; &amp five & six
<ul>text<li>a<li>b<p>c</ul>
<h1>head<div>split</div>tail</h1>
<table summary=s>moved<tr><td width=10%>1<td>2</form><tr></table>
<a name=x>y</a><a name=X>z</a><a href="a b\c">w</a><br clear=no><input value="a"b>
<p style="color:red" style=x align=MIDDLE foo></p><!-- a -- b --->
<a href=x>open
</body>
</html>
"#;

const XHTML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head><title>XHTML</title></head>
<body>
<p ALIGN="CENTER" id="_1">x<br>y<br/>z</p>
<p><input type="checkbox" checked="CHECKED" /></p>
</body>
</html>
"#;

const TAGS: &str = r#"<!DOCTYPE html>
<base href="/sub/">
<body background="body.png">
<!-- <img src="comment.png"> --><!--[if lt IE 9]><script src="explorer.js"></script><![endif]-->
<script src="a.js">document.write('<img src="script.png">')</script>
<noscript><img src="noscript.png"></noscript><textarea><img src="textarea.png"></textarea>
<link rel="Shortcut Icon" href="icon.ico"><link rel="alternate" href="feed.xml"><link rel=preload href=pre.js>
<input type="IMAGE" src="input.png"><input type="text" src="text.png">
<object codebase="/base/" data="object.swf"></object><embed src="embed.swf"><bgsound src="sound.mid">
<applet code="Applet.class" codebase="/applets" archive="applet.jar"></applet>
<table background="table.png"><td style="background: url('style one.png')">x</td></table>
<img src="a&amp;b=1"><img src=" /x/../up.png?q "><IMG SRC=unquoted.png><img src="up.png#part"><img src="data:image/png;base64,AA">
<a href="link"></a><video poster="poster.png" src="video.mp4"></video>
"#;

const BROKEN: &str = r#"<html>
<img src="/status/404"><img src="/image.png"><img src="/redirect-to?url=/back.png"><img src="/status/500">
</html>
"#;

const JSON: &str = r#"{
  "name": "Ann",
  "age": 41,
  "ratio": 1.50,
  "big": 12345678901234567890,
  "active": true,
  "nothing": null,
  "empty": "",
  "list": [1, 2, 3],
  "none": [],
  "address": {"city": "Bern", "zip": "3000"},
  "items": [
    {"id": 7, "label": "first", "price": 10.0, "tags": ["a", "b"]},
    {"id": 8, "label": "second", "price": 25.5, "tags": []},
    {"id": 9, "label": "third \"quoted\"", "price": 5, "tags": ["c"]}
  ]
}
"#;

const HTML: &str = r#"<!DOCTYPE html>
<html>
<head><title>Small &amp; plain</title></head>
<body>
<h1 id="top">Orders</h1>
<form action="/submit" method="post">
<input type="hidden" name="token" value="abc-123"/>
<input type="text" name="user" value=""/>
</form>
<ul class="orders">
<li class="order" data-id="1">alpha: 10</li>
<li class="order" data-id="2">beta: 20</li>
<li class="order" data-id="3">gamma: 30</li>
</ul>
<a href="/next?page=2">next</a>
</body>
</html>
"#;

const PAGE: &str = r#"<html>
<head>
<link rel="stylesheet" href="style.css">
<script src="/script.js"></script>
</head>
<body background="/back.png">
<img src="/image.png">
<img src="image.png">
<iframe src="/frame"></iframe>
</body>
</html>
"#;

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<shop>
  <item id="1"><name>pen</name><price>1.5</price></item>
  <item id="2"><name>book</name><price>12</price></item>
</shop>
"#;
