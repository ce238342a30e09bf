use super::*;

fn shown(script: &str, when: ScriptWhen) -> (Vec<String>, Vec<String>) {
    let meaning = read(script, when, BTreeSet::new());
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
            "var j = JSON.parse(responseBody); tests['a'] = j && j['data'] && j.data.id === 1",
            concat!(
                r#"JsonPath("$", Exists) JsonPath("$['data']", Exists) "#,
                r#"JsonPath("$[?($['data'] == null || $['data'] == false || $['data'] === 0 || $['data'] === '')]", Missing) "#,
                r#"JsonPath("$.data.id", Equals("1"))"#
            ),
        ),
        (
            "var j = JSON.parse(responseBody); tests['a'] = (j && 'b' in j) && j.c === 'd'",
            r#"JsonPath("$", Exists) JsonPath("$['b']", Exists) JsonPath("$.c", Equals("d"))"#,
        ),
        ("console.log(pm.response.json()); // nothing", ""),
    ] {
        let (found, left) = shown(script, ScriptWhen::After);
        assert_eq!((&*found.join(" "), left.len()), (wanted, 0), "{script}");
    }
}

#[test]
fn types_lengths_and_orders_are_conditions() {
    for (chain, wanted) in [
        (".to.be.a('string')", r#"JsonPath("$[?($.a >= '')]", Exists)"#),
        (".to.be.an('array')", r#"JsonPath("$[?($.a == [] || $.a[0] == $.a[0])]", Exists)"#),
        (".to.be.above(3)", r#"JsonPath("$[?($.a > 3)]", Exists)"#),
        (
            ".to.be.within(3, 4.5)",
            r#"JsonPath("$[?($.a >= 3)]", Exists) JsonPath("$[?($.a <= 4.5)]", Exists)"#,
        ),
        (".to.have.lengthOf(2)", r#"JsonPath("$[?($.a size 2)]", Exists)"#),
        (
            ".to.have.length.above(0)",
            r#"JsonPath("$[?($.a[0] == $.a[0] || $.a =~ /[\\s\\S]{1,}/)]", Exists)"#,
        ),
        (".to.be.null", r#"JsonPath("$[?($.a == null)]", Exists)"#),
        (".to.not.be.null", r#"JsonPath("$[?($.a == null)]", Missing)"#),
        (".to.be.empty", r#"JsonPath("$[?($.a size 0)]", Exists)"#),
        (
            ".to.be.a('string').and.to.equal('x', 'why')",
            r#"JsonPath("$[?($.a >= '')]", Exists) JsonPath("$.a", Equals("x"))"#,
        ),
        (
            ".to.have.property('b').that.equals(1)",
            r#"JsonPath("$.a['b']", Exists) JsonPath("$.a['b']", Equals("1"))"#,
        ),
        (
            ".to.eql({b: 'c', d: [1, true, null]})",
            r#"JsonPath("$.a", Equals("{\"b\":\"c\",\"d\":[1,true,null]}"))"#,
        ),
        (".to.eql(pm.environment.get('x'))", r#"JsonPath("$.a", Equals("${x}"))"#),
        (".to.eql(`a${pm.globals.get('x')}\\`b`)", r#"JsonPath("$.a", Equals("a${x}`b"))"#),
    ] {
        let script = format!("pm.expect(pm.response.json().a){chain}");
        let (found, left) = shown(&script, ScriptWhen::After);
        assert_eq!((&*found.join(" "), left.len()), (wanted, 0), "{script}");
    }
    for (script, wanted) in [
        ("pm.expect(pm.response.json()).to.be.an('array')", r#"Body(Matches("\\A\\s*\\["))"#),
        ("pm.expect(pm.response.json().length).to.eql(0)", r#"Body(Matches("\\A\\s*\\[\\s*\\]"))"#),
        (
            "pm.expect(pm.response.json()).to.have.lengthOf(2)",
            r#"Body(Matches("\\A\\s*\\[")) JsonPath("$[1]", Exists) JsonPath("$[2]", Missing)"#,
        ),
        ("pm.expect(pm.response.code).to.be.below(400)", r#"Status(IsMatch("[1-3]\\d\\d"))"#),
        ("pm.expect(pm.response.code).to.be.within(200, 299)", r#"Status(IsMatch("[2-2]\\d\\d"))"#),
        ("pm.expect(pm.response).to.have.property('code', 200)", r#"Status(Equals("200"))"#),
        ("pm.expect(pm.environment.get('v')).to.equal('x')", r#"Variable("v", Equals("x"))"#),
        (
            "tests['v'] = environment.v === 'x' && globals['w'] != 'y'",
            r#"Variable("v", Equals("x")) Variable("w", Differs("y"))"#,
        ),
        ("pm.expect('x').to.equal(pm.response.json().a)", r#"JsonPath("$.a", Equals("x"))"#),
        ("pm.test('to be written'); pm.test.skip('a', () => { f() })", ""),
        ("if (pm.response.code > 1) { console.log('a') } else console.log('b')", ""),
    ] {
        let (found, left) = shown(script, ScriptWhen::After);
        assert_eq!((&*found.join(" "), left.len()), (wanted, 0), "{script}");
    }
}

#[test]
fn texts_have_variables_in_them() {
    let script = "
        const url = pm.environment.get('base') + '/items/' + 7;
        let when = Date.now();
        pm.environment.set('url', url);
        pm.environment.set('body', JSON.stringify({ 'a \"b\"': url, when }));
        pm.variables.set('id', pm.variables.replaceIn('x{{$guid}}'));
        pm.variables.set('sum', 1 + 2);";
    let meaning = read(script, ScriptWhen::Before, BTreeSet::new());
    let sets: Vec<_> =
        meaning.sets.iter().map(|(name, value)| format!("{name}={}", value.to_plan())).collect();
    assert_eq!(
        sets,
        [
            "url=${base}/items/7",
            r#"body={"a \\"b\\"":"${base}/items/7","when":${__time(,)}}"#,
            "id=x${__UUID}",
        ]
    );
    assert_eq!(meaning.left_out.len(), 1);
}

fn sent(script: &str, when: ScriptWhen) -> (Vec<String>, Vec<String>) {
    let meaning = read(script, when, BTreeSet::new());
    let shown = |(_, one): &(usize, crate::model::Exchange)| {
        let headers =
            one.headers.iter().map(|header| format!(" {}: {}", header.name, header.value.to_plan()));
        let captures = one.captures.iter().map(|one| format!(" {}", one.variable));
        let checks = one.checks.iter().map(|one| format!(" {}={:?}", one.name, one.of));
        let sets = one.sets.iter().map(|(name, _)| format!(" sets {name}"));
        let body = match &one.body {
            crate::model::Body::None => String::new(),
            crate::model::Body::Text(text) => format!(" {}", text.to_plan()),
            body => format!(" {body:?}"),
        };
        let parts: String = headers.chain([body]).chain(captures).chain(checks).chain(sets).collect();
        format!("{} {}{parts}", one.method, one.url.to_plan())
    };
    let left = meaning.left_out.iter().map(|(start, end)| script[*start..*end].trim().to_owned());
    (meaning.requests.iter().map(shown).collect(), left.collect())
}

#[test]
fn requests_of_scripts_are_requests_of_the_plan() {
    let script = "
        const link = pm.environment.get('url') + '/login';
        pm.environment.set('user', 'u');
        pm.sendRequest({
            url: link, method: 'POST', header: { 'Content-Type': 'application/json' },
            body: { mode: 'raw', raw: JSON.stringify({ user: { name: pm.environment.get('user') } }) }
        }, function (err, res) {
            if (err) { console.log(err); return; }
            pm.test('is in', () => {
                pm.expect(res.code).to.eql(200);
                pm.environment.set('token', res.json().token);
            });
            pm.sendRequest('{{url}}/me', (error, answer) => {
                if (!error) { pm.expect(answer).to.have.status(200) }
            });
        });
        pm.environment.set('later', 'x');";
    let (found, left) = sent(script, ScriptWhen::Before);
    assert_eq!(
        found,
        [
            concat!(
                "POST ${url}/login Content-Type: application/json ",
                r#"{"user":{"name":"${user}"}} token is in=Status(Equals("200")) sets user"#
            ),
            r#"GET ${url}/me =Status(Equals("200"))"#,
        ]
    );
    assert!(left.is_empty(), "{left:?}");
    let (found, _) = sent(
        "pm.sendRequest({url: 'a.test/x', header: [{key: 'X', value: '1'}], body: {mode: 'urlencoded', urlencoded: [{key: 'a', value: 2}]}})",
        ScriptWhen::After,
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("GET http://a.test/x X: 1 Form([Field"), "{found:?}");
}

#[test]
fn what_a_plan_would_do_at_another_time_is_left_out() {
    for (script, wanted) in [
        // Checks run after extractors: they would see the new value.
        (
            "pm.expect(pm.response.json().a).to.eql(pm.globals.get('a')); pm.globals.set('a', 'b')",
            "pm.globals.set('a', 'b')",
        ),
        // The request would be sent with the new value.
        (
            "pm.sendRequest('http://h/' + pm.globals.get('a')); pm.globals.set('a', 'b')",
            "pm.globals.set('a', 'b')",
        ),
        (
            "const old = pm.globals.get('a'); pm.globals.set('a', 'b'); pm.globals.set('c', old)",
            "pm.globals.set('c', old)",
        ),
        (
            "pm.sendRequest('http://h', (e, r) => { pm.globals.set('a', r.json().a) }); pm.sendRequest('http://h/' + pm.globals.get('a'))",
            "pm.sendRequest('http://h/' + pm.globals.get('a'))",
        ),
        // About the response of another request.
        ("pm.sendRequest('http://h', (e, r) => { pm.response.to.be.ok })", "pm.response.to.be.ok"),
        (
            "pm.sendRequest('http://h', (e, r) => { tests['a'] = responseCode.code === 200 })",
            "tests['a'] = responseCode.code === 200",
        ),
        (
            "if (pm.response.code === 200) { return } else { }",
            "if (pm.response.code === 200) { return } else { }",
        ),
        ("pm.sendRequest({url: 'http://h', auth: {}})", "pm.sendRequest({url: 'http://h', auth: {}})"),
        (
            "pm.sendRequest({url: 'http://h', method: 'PUT', body: f()})",
            "pm.sendRequest({url: 'http://h', method: 'PUT', body: f()})",
        ),
    ] {
        let (_, left) = sent(script, ScriptWhen::After);
        assert_eq!(left.join(" | "), wanted, "{script}");
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
        ("let j = pm.response.json(); tests['a'] = j.a > j.b;", "", &["tests['a'] = j.a > j.b;"]),
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
    let names: Vec<_> =
        read(script, ScriptWhen::After, BTreeSet::new()).checks.into_iter().map(|check| check.name).collect();
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
    let meaning = read(script, ScriptWhen::Before, BTreeSet::new());
    let pair = |name: &str, value: &str| (name.to_owned(), Text::literal(value));
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
        format!("tests['a'] = {}", "[{a:".repeat(20_000)),
        "pm.sendRequest('http://h', (e, r) => {".repeat(5_000),
        "if (a) {".repeat(20_000),
        format!("pm.globals.set('a', {})", "`${".repeat(20_000)),
    ] {
        let _ = read(&script, ScriptWhen::After, BTreeSet::new());
    }
}
