use std::fmt::Write as _;

use super::*;
use crate::model::{Body, Exchange, PartValue};

fn read_all(text: &str, options: &Options) -> (Document, Notes) {
    let mut notes = Notes::default();
    let source = Source { name: "api.yaml", bytes: text.as_bytes() };
    let document = read(&source, options, &mut notes).expect("a contract");
    (document, notes)
}

fn shown(exchange: &Exchange) -> String {
    let mut out = format!("{} {}", exchange.method, exchange.url.to_plan());
    for header in exchange.headers.iter().filter(|header| header.name != "Accept") {
        write!(out, " {}={}", header.name, header.value.to_plan()).unwrap();
    }
    if let Some(auth) = &exchange.auth {
        write!(out, " auth({},{})", auth.user.to_plan(), auth.password.to_plan()).unwrap();
    }
    match &exchange.body {
        Body::None => {}
        Body::Text(text) => write!(out, " [{}]", text.to_plan()).unwrap(),
        Body::Form(fields) => {
            for field in fields {
                write!(out, " {}:{}", field.name.to_plan(), field.value.to_plan()).unwrap();
            }
        }
        Body::Multipart(parts) => {
            for part in parts {
                let value = match &part.value {
                    PartValue::Text(text) => text.to_plan(),
                    PartValue::Bytes(name, _) | PartValue::File(name) => format!("@{name}"),
                };
                write!(out, " {}={value}({})", part.name, part.mime).unwrap();
            }
        }
        other => write!(out, " {other:?}").unwrap(),
    }
    out
}

/// The request of a contract with one operation: `rest` is what the path has, without indentation.
fn one(rest: &str) -> (String, Notes) {
    let indented = format!("    {}\n", rest.lines().collect::<Vec<_>>().join("\n    "));
    let text = format!("openapi: 3.1.0\ninfo: {{title: t}}\npaths:\n  /p/{{id}}/x:\n{indented}");
    let (document, notes) = read_all(&text, &Options::default());
    (shown(document.flows[0].exchanges()[0]), notes)
}

const ID: &str = "{name: id, in: path, required: true, schema: {type: integer, minimum: 3}}";

#[test]
fn parameters_have_values_in_their_style() {
    for (parameter, wanted) in [
        ("{name: q, in: query, required: true, example: a b&c}", "?q=a%20b%26c"),
        ("{name: q, in: query, schema: {type: string}}", ""),
        ("{name: q, in: query, required: true, examples: {one: {value: [1, 2]}}}", "?q=1&q=2"),
        ("{name: q, in: query, required: true, explode: false, schema: {example: [1, 2]}}", "?q=1,2"),
        (
            "{name: q, in: query, required: true, style: pipeDelimited, explode: false, schema: {default: [1, 2]}}",
            "?q=1%7C2",
        ),
        ("{name: q, in: query, required: true, style: deepObject, example: {a: 1, b: x}}", "?q[a]=1&q[b]=x"),
        ("{name: q, in: query, required: true, example: {a: 1, b: x}}", "?a=1&b=x"),
        (
            "{name: q, in: query, required: true, content: {application/json: {example: {a: 1}}}}",
            "?q=%7B%22a%22%3A1%7D",
        ),
        ("{name: q, in: query, required: true, schema: {enum: [x, y]}}", "?q=x"),
        ("{name: q, in: query, required: true, schema: {type: [\"null\", boolean]}}", "?q=true"),
        (
            "{name: X-A, in: header, required: true, schema: {format: uuid}}",
            " X-A=3fa85f64-5717-4562-b3fc-2c963f66afa6",
        ),
        ("{name: c, in: cookie, required: true, example: 1}", " Cookie=c=1"),
        ("{name: Authorization, in: header, required: true, example: 1}", ""),
    ] {
        let (found, notes) = one(&format!("parameters: [{ID}]\nget: {{parameters: [{parameter}]}}"));
        assert_eq!((&*found, notes.all()), (&*format!("GET /p/${{id}}/x{wanted}"), &[][..]), "{parameter}");
    }
    for (style, wanted) in [("label", ".1.2"), ("matrix", ";id=1;id=2"), ("simple", "1,2")] {
        let parameter = format!("{{name: id, in: path, style: {style}, explode: true, example: [1, 2]}}");
        let text = format!("openapi: 3.0.0\npaths:\n  /p/{{id}}: {{get: {{parameters: [{parameter}]}}}}");
        let (document, _) = read_all(&text, &Options::default());
        assert_eq!(document.variables[0].value.to_plan(), wanted, "{style}");
    }
}

#[test]
fn bodies_come_from_examples_or_schemas() {
    let json = |schema: &str| {
        format!(
            "post: {{parameters: [{ID}], requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}}}"
        )
    };
    for (schema, wanted) in [
        ("{example: {a: 1}}", r#"{"a":1}"#),
        (
            "{type: object, required: [b], properties: {a: {type: integer}, b: {type: string, minLength: 6}, c: {readOnly: true}}}",
            r#"{"a":1,"b":"textte"}"#,
        ),
        (
            "{allOf: [{properties: {a: {const: x}}}, {properties: {b: {type: number, exclusiveMinimum: 0, maximum: 0.5}}}]}",
            r#"{"a":"x","b":0.25}"#,
        ),
        ("{oneOf: [{type: 'null'}, {type: array, minItems: 2, items: {enum: [k]}}]}", r#"["k","k"]"#),
        ("{type: string, pattern: '^[A-Z]{2}-[0-9]+$'}", r#""AA-1""#),
        ("{type: integer, minimum: 10, multipleOf: 4}", "12"),
        ("{type: number, maximum: -3}", "-3"),
        ("{additionalProperties: {type: boolean}}", r#"{"key":true}"#),
        ("{type: array, items: {type: string, format: date-time}}", r#"["2025-01-15T10:00:00Z"]"#),
        ("{enum: [a, b], default: none}", r#""a""#),
        ("{type: object, required: [x]}", r#"{"x":"text"}"#),
    ] {
        let (found, notes) = one(&json(schema));
        let wanted = format!("POST /p/${{id}}/x Content-Type=application/json [{wanted}]");
        assert_eq!((found, notes.all()), (wanted, &[][..]), "{schema}");
    }
    for (content, wanted) in [
        (
            "{application/json: {example: '{\"a\": 1}', schema: {type: object}}}",
            "Content-Type=application/json [{\"a\": 1}]",
        ),
        (
            "{application/json: {example: plain, schema: {type: string}}}",
            "Content-Type=application/json [\"plain\"]",
        ),
        (
            "{application/x-www-form-urlencoded: {schema: {properties: {a: {example: 1}, b: {example: [2, 3]}}}}}",
            "Content-Type=application/x-www-form-urlencoded a:1 b:2 b:3",
        ),
        (
            "{multipart/form-data: {schema: {properties: {f: {type: string, format: binary}, m: {properties: {k: {const: 1}}}}}, encoding: {f: {contentType: image/png}}}}",
            "f=@file.bin(image/png) m={\"k\":1}(application/json)",
        ),
        ("{text/plain: {example: hello}}", "Content-Type=text/plain [hello]"),
        (
            "{application/xml: {}, application/vnd.a+json: {example: []}}",
            "Content-Type=application/vnd.a+json [[]]",
        ),
        (
            "{image/png: {}}",
            "Content-Type=image/png Bytes([99, 111, 110, 116, 101, 110, 116, 32, 111, 102, 32, 97, 32, 102, 105, 108, 101, 10])",
        ),
    ] {
        let (found, notes) =
            one(&format!("put: {{parameters: [{ID}], requestBody: {{content: {content}}}}}"));
        assert_eq!((found, notes.is_lossy()), (format!("PUT /p/${{id}}/x {wanted}"), false), "{content}");
    }
}

#[test]
fn circles_and_alternatives_of_references_end() {
    let text = "
openapi: 3.0.3
paths:
  /pets:
    post:
      requestBody: {$ref: '#/components/requestBodies/Pet'}
  /nodes: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}}}
  /endless: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Endless'}}}}}}
  /self: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Self'}}}}}}
  /away: {post: {requestBody: {$ref: 'other.yaml#/x'}}}
components:
  requestBodies: {Pet: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
  schemas:
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat'}}
    Cat: {allOf: [{$ref: '#/components/schemas/Animal'}, {properties: {claws: {type: boolean}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Animal'}]}
    Animal: {required: [kind], properties: {kind: {type: string}}}
    Node: {properties: {name: {type: string}, children: {type: array, items: {$ref: '#/components/schemas/Node'}}, next: {$ref: '#/components/schemas/Node'}}}
    Endless: {required: [next], properties: {next: {$ref: '#/components/schemas/Endless'}}}
    Self: {$ref: '#/components/schemas/Self'}
";
    let (document, notes) = read_all(text, &Options::default());
    let all: Vec<_> = document.flows[0].exchanges().into_iter().map(shown).collect();
    assert_eq!(all[0], r#"POST /pets Content-Type=application/json [{"kind":"cat","claws":true}]"#);
    assert_eq!(all[1], r#"POST /nodes Content-Type=application/json [{"name":"text","children":[]}]"#);
    assert_eq!(all[2..], ["POST /endless", "POST /self", "POST /away"]);
    let whats: Vec<_> = notes.all().iter().map(|note| &*note.what).collect();
    assert_eq!(whats, ["body of POST /endless", "body of POST /self", "reference `other.yaml#/x`"]);
}

#[test]
fn servers_security_statuses_and_tags_are_taken() {
    let text = "
openapi: 3.1.0
info: {title: Shop}
servers: [{url: 'https://{region}.a.test/v1/', variables: {region: {default: eu}}}]
security: [{key: []}]
paths:
  /a:
    get: {operationId: listA, tags: [one], responses: {'200': {content: {application/json: {}}}, '404': {}}}
    delete: {tags: [two], security: [], responses: {'204': {}, '202': {}}}
  /b:
    post: {security: [{basic: []}], responses: {2XX: {}}}
    get: {servers: [{url: http://b.test}], tags: [one], security: [{bearer: [], query: []}], responses: {default: {}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
    query: {type: apiKey, in: query, name: k}
    basic: {type: http, scheme: basic}
    bearer: {type: oauth2}
";
    let (document, notes) = read_all(text, &Options::default());
    let flow = &document.flows[0];
    let all: Vec<_> = flow.exchanges().into_iter().map(shown).collect();
    assert_eq!(
        all,
        [
            "GET https://eu.a.test/v1/a X-Api-Key=${__P(x_api_key,)}",
            "GET http://b.test/b?k=${__P(k,)} Authorization=Bearer ${__P(token,)}",
            "DELETE https://eu.a.test/v1/a",
            "POST https://eu.a.test/v1/b auth(${__P(user,)},${__P(password,)})",
        ]
    );
    let names: Vec<_> = flow.exchanges().iter().map(|one| one.name.clone().unwrap_or_default()).collect();
    assert_eq!(names, ["listA", "GET /b", "DELETE /a", "POST /b"]);
    let checks: Vec<_> = flow
        .exchanges()
        .iter()
        .map(|one| format!("{:?}", one.checks.first().map(|check| &check.of)))
        .collect();
    assert_eq!(
        checks,
        [
            "Some(Status(Equals(\"200\")))",
            "None",
            "Some(Status(OneOf([\"204\", \"202\"])))",
            "Some(Status(IsMatch(\"2\\\\d\\\\d\")))",
        ]
    );
    assert!(
        matches!(&flow.items[0], Item::Folder(folder) if folder.name == "one" && folder.items.len() == 2)
    );
    assert_eq!((notes.is_lossy(), &*document.name), (false, "Shop"));
    let settings = [("tag".to_owned(), "two, none".to_owned())].into();
    let (document, notes) = read_all(text, &Options { settings, ..Options::default() });
    assert_eq!((document.flows[0].exchanges().len(), notes.all().len()), (1, 3));
}

#[test]
fn other_documents_are_refused() {
    for (text, wanted) in [
        ("swagger: '2.0'\npaths: {}", "Swagger 2.0"),
        ("openapi: 4.0.0", "no `openapi: 3"),
        ("{\"openapi\": ", "not JSON"),
        ("openapi: [", "not YAML"),
    ] {
        let source = Source { name: "a", bytes: text.as_bytes() };
        let error = read(&source, &Options::default(), &mut Notes::default()).expect_err("refused");
        assert!(error.message.contains(wanted), "{error:?}");
        assert!(fits(text), "{text}");
    }
    assert!(
        fits("# remark\nopenapi: 3.0.0") && fits("\"openapi\": 3.0.0") && fits("{\"openapi\":\"3.0.0\"}")
    );
    assert!(fits("---\ncomponents:\n  schemas:\n    A: {}") && fits("{\"components\":{\"schemas\":{}"));
    assert!(!fits("hello: x\n  openapi: 3") && !fits("GET http://a/openapi: x"));
}
