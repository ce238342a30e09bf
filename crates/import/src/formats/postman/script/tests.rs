use super::*;

fn shown(script: &str, when: ScriptWhen) -> (Vec<String>, Vec<String>) {
    let meaning = read(script, when);
    let captures = meaning.captures.iter().map(|one| format!("{} = {:?}", one.variable, one.from));
    let checks = meaning.checks.iter().map(|one| format!("{:?}", one.of));
    let left = meaning.left_out.iter().map(|(start, end)| script[*start..*end].trim().to_owned());
    (captures.chain(checks).collect(), left.collect())
}

#[test]
fn usual_statements_are_read() {
    for (script, wanted) in [
        (
            "pm.test(\"ok\", function () {\n  pm.response.to.have.status(200);\n});",
            r#"Status(Equals("200"))"#,
        ),
        ("pm.test('ok', () => pm.response.to.be.ok)", r#"Status(Equals("200"))"#),
        ("pm.test('a', async () => { pm.response.to.be.success })", r#"Status(IsMatch("2\\d\\d"))"#),
        ("pm.response.to.not.be.error", r#"Status(MatchesNot("[45]\\d\\d"))"#),
        ("pm.expect(pm.response.code).to.be.oneOf([201, 202]);", r#"Status(OneOf(["201", "202"]))"#),
        ("pm.expect(pm.response.responseTime).to.be.below(200);", "AtMostMs(199)"),
        ("tests['t'] = responseTime <= 200;", "AtMostMs(200)"),
        ("tests[\"s\"] = responseCode.code === 200;", r#"Status(Equals("200"))"#),
        ("tests[\"b\"] = responseBody.has(\"x\");", r#"Body(Contains("x"))"#),
        ("tests['h'] = postman.getResponseHeader('X');", r#"Header("X", Exists)"#),
        ("pm.response.to.have.header(\"Content-Type\");", r#"Header("Content-Type", Exists)"#),
        ("pm.expect(pm.response.headers.get('A')).to.eql('b')", r#"Header("A", Equals("b"))"#),
        ("pm.expect(pm.response.text()).to.include(\"x\");", r#"Body(Contains("x"))"#),
        (
            "var j = pm.response.json();\npm.expect(j.a[0]['b']).to.eql(100);",
            r#"JsonPath("$.a[0]['b']", Equals("100"))"#,
        ),
        (
            "const {a, b} = pm.response.json().x;\npm.expect(b.c).to.equal(1)",
            r#"JsonPath("$.x.b.c", Equals("1"))"#,
        ),
        (
            "var j;\ntry { j = JSON.parse(responseBody); } catch (e) { f(e); }\ntests['a'] = (responseCode.code === 200) && j.a === 1;",
            r#"Status(Equals("200")) JsonPath("$.a", Equals("1"))"#,
        ),
        (
            "let j = JSON.parse(responseBody); let a = j.a\npm.expect(a.b).to.be.true",
            r#"JsonPath("$.a.b", Equals("true"))"#,
        ),
        ("pm.expect(pm.response.json()).to.have.property('id');", r#"JsonPath("$['id']", Exists)"#),
        ("pm.expect(pm.response.json().t).to.match(/^a\\/b$/i)", r#"JsonPath("$.t", Matches("(?i)^a/b$"))"#),
        ("pm.expect(pm.response.json().x === 'y').to.be.true", r#"JsonPath("$.x", Equals("y"))"#),
        ("pm.environment.set(\"t\", pm.response.json().a.token);", r#"t = JsonPath("$.a.token")"#),
        (
            "postman.setEnvironmentVariable('t', JSON.parse(responseBody).id.toString())",
            r#"t = JsonPath("$.id")"#,
        ),
        ("pm.globals.set('h', pm.response.headers.get('X')) // why", r#"h = Header("X")"#),
        ("pm.variables.set('a', 'b');", r#"a = Constant("b")"#),
        ("var n = 5; pm.globals.set('a', n)", r#"a = Constant("5")"#),
        (
            "var j = pm.response.json(); tests['c'] = 'a' in j.c && !('b' in j);",
            r#"JsonPath("$.c['a']", Exists) JsonPath("$['b']", Missing)"#,
        ),
        (
            "var j = JSON.parse(responseBody); tests['a'] = j && j.data && j.data.id === 1",
            r#"JsonPath("$", Exists) JsonPath("$.data", Exists) JsonPath("$.data.id", Equals("1"))"#,
        ),
        (
            "var j = JSON.parse(responseBody); tests['a'] = (j && j.b) && j.c === 'd'",
            r#"JsonPath("$", Exists) JsonPath("$.b", Exists) JsonPath("$.c", Equals("d"))"#,
        ),
        ("console.log(pm.response.json()); // nothing", ""),
    ] {
        let (found, left) = shown(script, ScriptWhen::After);
        assert_eq!((&*found.join(" "), left.len()), (wanted, 0), "{script}");
    }
}

#[test]
fn what_is_not_understood_is_left_out_alone() {
    for (script, wanted, left_out) in [
        (
            "f(1);\npm.response.to.have.status(200)\nif (x) {\n pm.environment.set('a', pm.response.code)\n}\nelse { }\npm.response.to.be.json",
            r#"Status(Equals("200")) JsonPath("$", Exists)"#,
            &["f(1);", "if (x) {\n pm.environment.set('a', pm.response.code)\n}\nelse { }"][..],
        ),
        (
            "pm.test('a', function () { pm.response.to.be.ok; pm.expect(x).to.be.a('string'); })",
            r#"Status(Equals("200"))"#,
            &["pm.expect(x).to.be.a('string');"],
        ),
        // A name that may have another value is not used.
        (
            "let j = pm.response.json(); j = j.filter(f); pm.environment.set('a', j.b)",
            "",
            &["j = j.filter(f);", "pm.environment.set('a', j.b)"],
        ),
        (
            "pm.environment.set('a', 'b' + pm.response.code)",
            "",
            &["pm.environment.set('a', 'b' + pm.response.code)"],
        ),
        (
            "pm.environment.set('a', pm.response.json().a + 1)",
            "",
            &["pm.environment.set('a', pm.response.json().a + 1)"],
        ),
        (
            "pm.expect(pm.response.json().a.length).to.eql(1)",
            "",
            &["pm.expect(pm.response.json().a.length).to.eql(1)"],
        ),
        ("pm.response.to.have.status(200).and.f()", "", &["pm.response.to.have.status(200).and.f()"]),
        ("tests['a'] = responseCode.code === 200 || x", "", &["tests['a'] = responseCode.code === 200 || x"]),
        (
            "pm.test('a', function (done) { pm.response.to.be.ok })",
            "",
            &["pm.test('a', function (done) { pm.response.to.be.ok })"],
        ),
        ("} pm.response.to.be.ok", r#"Status(Equals("200"))"#, &["}"]),
        ("try { pm.response.to.be.ok } catch (e) { }", "", &["pm.response.to.be.ok"]),
        ("const {a} = 1", "", &["const {a} = 1"]),
        ("pm.test('a", "", &["pm.test('a"]),
        ("pm.variables.set('a', 'b$c')", "", &["pm.variables.set('a', 'b$c')"]),
        ("tests['a'] = (j.a && j.b) || x", "", &["tests['a'] = (j.a && j.b) || x"]),
        ("tests['a'] = !j.a", "", &["tests['a'] = !j.a"]),
        ("let j = pm.response.json(); tests['a'] = j.a > 1;", "", &["tests['a'] = j.a > 1;"]),
        ("postman.setNextRequest('x')", "", &["postman.setNextRequest('x')"]),
    ] {
        let (found, left) = shown(script, ScriptWhen::After);
        assert_eq!(
            (&*found.join(" "), left.iter().map(|text| &**text).collect::<Vec<_>>()),
            (wanted, left_out.to_vec()),
            "{script}"
        );
    }
}

#[test]
fn checks_are_named_after_their_test() {
    let script = "pm.test('all well', () => { pm.response.to.be.ok; pm.response.to.be.json })";
    let names: Vec<_> = read(script, ScriptWhen::After).checks.into_iter().map(|check| check.name).collect();
    assert_eq!(names, ["all well", "all well (2)"]);
}

#[test]
fn scripts_before_a_request_have_no_response() {
    let (found, left) =
        shown("console.log(1); pm.environment.set('a', pm.response.code)", ScriptWhen::Before);
    assert_eq!((found.len(), left.len()), (0, 1));
}

#[test]
fn scripts_before_a_request_set_constants() {
    let script = "var v = 'x'; pm.environment.set('a', v); postman.setGlobalVariable('b', '$1')";
    let meaning = read(script, ScriptWhen::Before);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(meaning.sets, [pair("a", "x"), pair("b", "$1")]);
    assert!(meaning.captures.is_empty() && meaning.left_out.is_empty());
}

#[test]
fn hostile_scripts_end() {
    for script in [
        "pm.test('x', function() {".repeat(20_000),
        "}".repeat(20_000),
        "(".repeat(20_000),
        "pm.expect(".repeat(5_000),
        format!("tests['a'] = {}", "(".repeat(50_000)),
        "try {".repeat(20_000),
        "'".repeat(9_999),
    ] {
        let _ = read(&script, ScriptWhen::After);
    }
}
