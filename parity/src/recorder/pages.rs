//! Fixed documents.

/// Content type and body of a document, by its name.
pub(super) fn page(name: &str) -> Option<(&'static str, &'static [u8])> {
    Some(match name {
        "json" => ("application/json", JSON.as_bytes()),
        "html" => ("text/html; charset=utf-8", HTML.as_bytes()),
        "page" => ("text/html", PAGE.as_bytes()),
        "frame" => ("text/html", b"<html><body><img src=\"inner.png\"></body></html>\n"),
        "xml" => ("application/xml", XML.as_bytes()),
        "style.css" => ("text/css", b"body { background: url('back.png') }\n"),
        "script.js" => ("application/javascript", b"var x = 1;\n"),
        "image.png" | "back.png" | "inner.png" => ("image/png", b"\x89PNG\r\n\x1a\n\0\0"),
        "latin1" => ("text/plain; charset=ISO-8859-1", b"caf\xe9\n"),
        _ => return None,
    })
}

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
