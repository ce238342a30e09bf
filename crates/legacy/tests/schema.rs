//! What the XML Schema Assertion of JMeter 5.6.3, which is Xerces 2.12, makes of documents.

#[path = "../../query/tests/tables/mod.rs"]
mod tables;

use std::path::Path;

use swell_legacy::xsd::{Schema, Severity};
use tables::{differences, escaped, unescaped};

fn judged(schema: &str, document: &str) -> String {
    if document.is_empty() {
        return "f Response was null".to_owned();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/xsd");
    let schema = Schema::read(schema, &|path| std::fs::read(folder.join(path)));
    let Err(fault) = schema.validate(document) else { return "valid".to_owned() };
    let severity = match fault.severity {
        Severity::Error => "error",
        Severity::Fatal => "fatal",
    };
    let place = fault.place.map_or(String::new(), |(line, column)| format!("line={line} col={column} "));
    format!("e {severity}: {place}{}", escaped(&fault.message))
}

#[test]
fn documents_are_judged_as_xerces_judges() {
    differences(include_str!("tables/xsd.tsv"), |row| {
        let [schema, document] = row else { panic!("two columns: {row:?}") };
        judged(schema, &unescaped(document))
    });
}

#[test]
fn schemas_that_go_round_in_circles_end() {
    let head = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="T"/>"#;
    let circles = [
        r#"<xs:simpleType name="T"><xs:union memberTypes="xs:int T"/></xs:simpleType>"#,
        r#"<xs:simpleType name="T"><xs:list itemType="U"/></xs:simpleType><xs:simpleType name="U"><xs:restriction base="T"/></xs:simpleType>"#,
        r#"<xs:complexType name="T"><xs:group ref="g"/></xs:complexType><xs:group name="g"><xs:sequence><xs:group ref="g"/></xs:sequence></xs:group>"#,
        r#"<xs:complexType name="T"><xs:attributeGroup ref="g"/></xs:complexType><xs:attributeGroup name="g"><xs:attributeGroup ref="g"/></xs:attributeGroup>"#,
        r#"<xs:complexType name="T"><xs:sequence><xs:element ref="b"/></xs:sequence></xs:complexType><xs:element name="b" substitutionGroup="c"/><xs:element name="c" substitutionGroup="b"/>"#,
        r#"<xs:complexType name="T"><xs:sequence minOccurs="4000000000" maxOccurs="unbounded"><xs:sequence/><xs:element name="x"/><xs:element name="y"/></xs:sequence></xs:complexType>"#,
        r#"<xs:include schemaLocation="s.xsd"/><xs:simpleType name="T"><xs:restriction base="xs:int"/></xs:simpleType>"#,
    ];
    for circle in circles {
        let text = format!("{head}{circle}</xs:schema>");
        let schema = Schema::read("s.xsd", &|_| Ok(text.clone().into_bytes()));
        for document in ["<a>1 2</a>", "<a><b/><x/></a>", "<a/>"] {
            assert!(schema.validate(document).is_err(), "{circle}");
        }
    }
    // Xerces has an error for this one.
    let text = format!(
        "{head}{}</xs:schema>",
        r#"<xs:complexType name="T"><xs:complexContent><xs:extension base="T"/></xs:complexContent></xs:complexType>"#
    );
    let schema = Schema::read("s.xsd", &|_| Ok(text.clone().into_bytes()));
    assert_eq!(schema.validate("<a/>"), Ok(()));
}

#[test]
fn large_documents_are_judged_in_time() {
    let schema = |body: &str| {
        let text = format!(r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{body}</xs:schema>"#);
        Schema::read("s.xsd", &|_| Ok(text.clone().into_bytes()))
    };
    let wide = schema(
        r#"<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" maxOccurs="unbounded">
           <xs:complexType><xs:attribute name="n" type="xs:int"/></xs:complexType></xs:element></xs:sequence></xs:complexType>
           <xs:key name="k"><xs:selector xpath="b"/><xs:field xpath="@n"/></xs:key></xs:element>"#,
    );
    let mut document: String =
        (0..5_000).flat_map(|n| ["<b n='".to_owned(), n.to_string(), "'/>".to_owned()]).collect();
    assert_eq!(wide.validate(&format!("<a>{document}</a>")), Ok(()));
    document.push_str("<b n='7'/>");
    assert!(wide.validate(&format!("<a>{document}</a>")).is_err_and(|fault| fault.message.contains("4.2.2")));
    let deep = schema(
        r#"<xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="a" minOccurs="0"/></xs:sequence></xs:complexType>
           <xs:unique name="k"><xs:selector xpath=".//a"/><xs:field xpath="a"/></xs:unique></xs:element>"#,
    );
    let depth = 6_000;
    assert_eq!(deep.validate(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth))), Ok(()));
}
