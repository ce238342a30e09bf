//! Scripts that need a script engine: JMeter's answers are kept for the day when there is one, and until then each of them is refused.
//! What Swell runs stands in `script_lines` and `scripts`.

use super::draft::Draft;
use super::parts::{Edit, counter, get, loops, raw, users};
use super::scripts::{WITH, bean_shell, beanshell, each, groovy, jsr223, with_parameters};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        groovy_values(),
        groovy_texts(),
        groovy_lists(),
        groovy_statements(),
        groovy_json(),
        groovy_dates(),
        bean_shell_lines(),
        languages(),
        processors(),
        functions(),
        exceptions(),
        files(),
    ]
}

fn groovy_values() -> Draft {
    let scripts = [
        "String s = 5 + 6\ns + 1",
        "(int) 7.8",
        "Math.round(2.5)",
        "Math.floor(2.7)",
        "Math.pow(2, 10)",
        "Math.sqrt(16)",
        "[] ? 'full' : 'empty'",
    ];
    Draft::new(
        "script_refused_groovy_values",
        "Values of Groovy that need a script engine.",
        [each(&scripts, groovy)],
    )
    .variables(WITH)
}

fn groovy_texts() -> Draft {
    let scripts = [
        "def m = [k: 'v']\n\"$m.k!\"",
        "vars.get('text').replaceAll('[aeiou]', '*')",
        "vars.get('text').replaceAll(/\\s+/, '_')",
        "'a.b.c'.replaceAll('\\\\.', '/')",
        "'\"quoted\"'.replaceAll(/^\"|\"$/, '')",
        "'aXbXc'.replaceFirst('X', '-')",
        "vars.get('list').split(',').length",
        "vars.get('list').split(',').size()",
        "vars.get('list').split(',')[1]",
        "vars.get('list').tokenize(',')",
        "'a1b22c'.split('\\\\d+').join('|')",
        "'a|b|c'.split('\\\\|').join('-')",
        "''.split(',').length",
        "',,'.split(',').length",
        "'a b'.split(' ')[-1]",
        "vars.get('text')[0]",
        "vars.get('text')[-1]",
        "'7'.padLeft(3, '0')",
        "'7'.padRight(3) + '|'",
        "'abc'.reverse()",
        "'abc'.capitalize()",
        "'abc'.hashCode()",
        "'12'.isNumber() && !'x'.isNumber()",
        "'2.50'.toBigDecimal() + 1",
        "String.format('%05d|%5d|%s|%.2f|%%', 42, 7, 'x', 2.345d)",
        "String.format('%.1f %.0f %.3f', 0.25d, 2.5d, 1d)",
        "new StringBuilder().append('a').append(1).append(true).append('c').toString()",
        "def b = new StringBuilder('x')\nb.append('y')\nb.length()",
        "new StringBuilder('x') + 'y'",
        "URLEncoder.encode('a b&c=ä/~*', 'UTF-8')",
        "'user:pass'.bytes.encodeBase64().toString()",
        "java.util.Base64.getEncoder().encodeToString('user:pass'.getBytes('UTF-8'))",
        "new String(java.util.Base64.getDecoder().decode('dXNlcg=='))",
        "import org.apache.commons.codec.digest.DigestUtils\nDigestUtils.md5Hex('abc') + DigestUtils.sha256Hex('abc')",
        "import org.apache.commons.lang3.RandomStringUtils\nRandomStringUtils.randomNumeric(5).matches('[0-9]{5}')",
        "import java.util.concurrent.ThreadLocalRandom\nThreadLocalRandom.current().nextInt(5, 6)",
        "'one\\ntwo'.readLines().size()",
        "'abc'.collect { it.toUpperCase() }.join('')",
        "'abcd' ==~ '[a-c]+' || null ==~ 'x'",
        "\"${UUID.randomUUID()}\".length()",
    ];
    Draft::new(
        "script_refused_groovy_texts",
        "Texts of Groovy that need a script engine.",
        [each(&scripts, groovy)],
    )
    .variables(WITH)
}

fn groovy_lists() -> Draft {
    let scripts = [
        "[1, 2, 3]",
        "['a', 'b'].join('-')",
        "def l = []\nl.add('x')\nl.add(2)\nl.size() + ' ' + l",
        "def l = ['a', 'b', 'c']\nl[1] + l[-1] + l.get(0)",
        "def l = ['a', 'b']\nl[0] = 'z'\nl",
        "[1, 2] + [3] + 4",
        "[1, 2, 3].contains(2)",
        "(1..5).collect { it * 2 }",
        "('a'..'e').join()",
        "[1, 2, 3, 4].findAll { it % 2 == 0 }",
        "[1, 2, 3].find { it > 1 }",
        "[1, 2, 3].any { it > 2 } && [1, 2].every { it > 0 }",
        "def s = 0\n[1, 2, 3].each { s += it }\ns",
        "def s = ''\n['a', 'b'].eachWithIndex { v, i -> s += i + v }\ns",
        "[1, 2, 3].sum()",
        "[3, 1, 2].first() + [3, 1, 2].last()",
        "[1, 2, 3].reverse()",
        "def m = [a: 1, 'b': 'two']\nm.a + m['b'] + m.get('c')",
        "def m = [a: 1, b: 'x']\n\"$m\"",
        "[a: 1, b: 'x'].toString()",
        "def m = [:]\nm.k = 5\nm['l'] = 6\nm.put('m', 7)\nm.size() + m.k + m.l",
        "def m = [a: 1, b: 2]\ndef s = ''\nm.each { k, v -> s += k + v }\ns",
        "[a: 1].containsKey('a')",
        "[a: 1, b: 2].keySet().join(',')",
        "def t = ''\n3.times { t += it }\nt",
        "def l = ['x', 'y']\nl[new Random().nextInt(l.size())].length()",
        "[1, 2] == [1, 2]",
        "[[1, 2], ['a']]",
        "[null, true, 1.5]",
        "Arrays.asList('a', 'b').size()",
        "def l = new ArrayList<String>()\nl.add('q')\nl.isEmpty() ? 'none' : l.get(0)",
        "def r = (1..3).collect { n -> \"n$n\" }\nr.join(' ')",
        "'a,b;c'.split('[,;]').collect { it + it }.join()",
        "[1, 2, 3].take(2) + [1, 2, 3].drop(2) + 'a,b'.split(',').toList()",
        "['a', 'b'].collect { String s -> s * 2 }",
    ];
    Draft::new("script_refused_groovy_lists", "Lists, maps and closures of Groovy.", [each(&scripts, groovy)])
        .variables(WITH)
}

fn groovy_statements() -> Draft {
    let scripts = [
        "def s = ''\nfor (i in 1..3) { s += i }\ns",
        "def s = ''\nfor (x in ['a', 'b']) s += x\ns",
        "def s = ''\nfor (String x : 'a,b'.split(',')) { s = s + x }\ns",
        "def s = ''\nfor (i in 1..5) { if (i % 2 == 0) continue\n s += i }\ns",
        "def r\nswitch (vars.get('five')) {\n case '4': r = 'four'; break\n case '5': r = 'five'; break\n default: r = 'none' }\nr",
        "def r = ''\nswitch (2) { case 1: r += 'a'\n case 2: r += 'b'\n case 3: r += 'c'\n break\n default: r += 'd' }\nr",
        "def r\nif (vars.get('five') == '4') {\n r = 'a'\n}\nelse if (vars.get('five') == '5') {\n r = 'b'\n}\nelse {\n r = 'c'\n}\nr",
        "try { Integer.parseInt('x') } catch (Exception e) { 'caught' }",
        "def r = ''\ntry { r += 'a' } finally { r += 'b' }\nr",
        "for (i in 0..2) { vars.put('item_' + i, \"value $i\") }\nvars.get('item_1')",
        "def l = ['a',\n 'b',\n]\nl.size()",
        "boolean b = 'x'\nb",
        "prev.getURL() == null ? 'none' : prev.getURL().toString().length() > 0",
    ];
    Draft::new(
        "script_refused_groovy_statements",
        "Statements of Groovy that need a script engine.",
        [each(&scripts, groovy)],
    )
    .variables(WITH)
}

fn groovy_json() -> Draft {
    let read = "import groovy.json.JsonSlurper\ndef json = new JsonSlurper().parseText(vars.get('page'))\n";
    let page = r#"{"id": 7, "name": "Ann \"A\" \u00e4", "price": 12.50, "big": 12345678901, "ok": true, "none": null, "tags": ["x", "y"], "inner": {"deep": [{"k": "v1"}, {"k": "v2"}]}}"#;
    let asked = [
        "json.id + 1",
        "json.name",
        "json.price",
        "json.big",
        "json.ok ? json.none : 'no'",
        "json.tags[1] + json.tags.size()",
        "json.inner.deep[0].k",
        "json.inner.deep.size()",
        "json.missing",
        "json.missing?.deeper",
        "\"${json.tags}\"",
        "json.inner.deep.collect { it.k }.join(',')",
        "json.inner.deep.find { it.k == 'v2' }.k",
        "vars.put('id', json.id.toString())\nvars.get('id')",
        "vars.put('id', json.name)\nvars.get('id')",
        "json['id']",
    ];
    let with_page =
        asked.iter().enumerate().map(|(at, asked)| groovy(&format!("{at:02}"), &format!("{read}{asked}")));
    let written = [
        "new groovy.json.JsonBuilder([a: 1, b: ['x']]).toString()",
        "groovy.json.JsonOutput.toJson([a: 1, b: 'x \"y\" ä', c: [true, null, 1.5], d: [:]])",
        "import groovy.json.JsonOutput\nJsonOutput.toJson('text')",
        "import groovy.json.*\nJsonOutput.toJson(new JsonSlurper().parseText('[1, {\"a\": []}]'))",
    ];
    let written = written.iter().enumerate().map(|(at, script)| groovy(&format!("written {at}"), script));
    let all: Vec<_> = with_page.chain(written).collect();
    Draft::new("script_refused_groovy_json", "JSON read and written by Groovy.", [users(all)])
        .variables(&[("page", page)])
}

fn groovy_dates() -> Draft {
    let scripts = [
        "import java.text.SimpleDateFormat\nnew SimpleDateFormat(\"yyyy-MM-dd'T'HH:mm:ss.SSSZ\").format(new Date(0))",
        "import java.text.SimpleDateFormat\nnew SimpleDateFormat('EEE, d MMM yyyy hh:mm a').format(new Date(1234567890123L))",
        "new Date(86400000L * 40).format('dd/MM/yyyy')",
        "new Date(5L).getTime() + new Date(6L).time",
        "import java.text.SimpleDateFormat\ndef f = new SimpleDateFormat('HH:mm Z')\nf.setTimeZone(TimeZone.getTimeZone('UTC'))\nf.format(new Date(60000L))",
        "(System.currentTimeMillis() - new Date().getTime()) < 1000",
        "import java.time.LocalDate\nLocalDate.now().plusDays(1).toString().length()",
        "import java.time.*\nimport java.time.format.DateTimeFormatter\nLocalDateTime.now().plusHours(2).minusDays(1).format(DateTimeFormatter.ofPattern('yyyyMMddHHmmss')).length()",
    ];
    Draft::new("script_refused_groovy_dates", "Dates of Groovy.", [each(&scripts, groovy)]).variables(WITH)
}

fn bean_shell_lines() -> Draft {
    let scripts = [
        "var link; link = \"x\"; link",
        "vars.get(\"five\") == \"5\"",
        "long l = 5; l * 2",
        "double d = 5; d",
        "\"a,b,c\".split(\",\").length",
        "String[] p = \"a,b,c\".split(\",\"); p[1]",
        "\"a\\\\/b\".replaceAll(\"\\\\\\\\/\",\"/\")",
        "\"say \\\"hi\\\"\".replaceAll(\"\\\"\", \"'\")",
        "StringBuilder b = new StringBuilder(); b.append(\"x\"); b.append(1); b.toString()",
        "import org.apache.commons.codec.binary.Base64; new String(Base64.encodeBase64(\"user:pass\".getBytes()))",
        "byte[] b = org.apache.commons.codec.binary.Base64.encodeBase64(\"ab\".getBytes()); new String(b)",
        "import org.apache.jmeter.util.JMeterUtils; JMeterUtils.setProperty(\"bsh.set\", \"z\"); JMeterUtils.getPropDefault(\"bsh.set\", \"\")",
        "org.apache.jmeter.util.JMeterUtils.getPropDefault(\"bsh.none\", \" d \")",
        "java.util.Random r = new java.util.Random(); r.nextInt(1)",
        "String s = \"\"; for (x : \"a,b\".split(\",\")) { s += x; } s",
        "switch (vars.get(\"five\")) { case \"4\": r = \"four\"; break; case \"5\": r = \"five\"; break; default: r = \"none\"; } 1",
        "try { Integer.parseInt(\"x\"); } catch (Exception e) { vars.put(\"caught\", \"it\"); } vars.get(\"caught\")",
        "ArrayList l = new ArrayList(); l.add(\"a\"); l.add(\"b\"); l.get(1) + l.size()",
        "ResponseCode = 2 * 100; ResponseMessage = Label;",
    ];
    Draft::new(
        "script_refused_beanshell",
        "BeanShell that needs a script engine.",
        [each(&scripts, beanshell)],
    )
    .variables(WITH)
}

/// BeanShell and Java in JSR223 elements.
fn languages() -> Draft {
    let names = "Label + \"|\" + Parameters + \"|\" + args.length + args[1] + \"|\" + FileName";
    Draft::new(
        "script_refused_languages",
        "Languages that need a script engine.",
        [loops(
            users([
                counter("count", "n"),
                with_parameters("beanshell", "bsh", names),
                with_parameters("java", "java", names),
                with_parameters("bsh", "short", "return Label;"),
                jsr223("JSR223Sampler", "beanshell", "never cached", "\"${n} \" + vars.get(\"n\")"),
            ]),
            "2",
        )],
    )
}

fn processors() -> Draft {
    let pre = |script: &str| jsr223("JSR223PreProcessor", "groovy", "pre", script);
    let post = |script: &str| jsr223("JSR223PostProcessor", "groovy", "post", script);
    Draft::new(
        "script_refused_processors",
        "Scripts before and after samples that need a script engine.",
        [users([
            get("first", "/first").of([pre("vars.put('seen', prev == null ? 'none' : prev.getSampleLabel())")]),
            raw("token", "POST", "/echo", "{\"token\": \"t-1\"}").of([post(
                "def body = prev.getResponseDataAsString()\ndef json = new groovy.json.JsonSlurper().parseText(body.substring(body.indexOf('{')))\nvars.put('token', json.token)\nprops.put('token', vars.get('token'))",
            )]),
            get("with it", "/${seen}/${token}/${__P(token)}"),
        ])],
    )
}

fn functions() -> Draft {
    Draft::new(
        "script_refused_functions",
        "Functions whose scripts need a script engine.",
        [users([
            get("date", "/${__groovy(new Date(0L).format('yyyy'))}"),
            get("list", "/${__groovy([1\\, 2\\, 3].join('-'))}"),
            get("same text", "/${__BeanShell(\"a\" == \"a\")}"),
        ])],
    )
}

/// Calls with arguments that a method does not take.
fn exceptions() -> Draft {
    Draft::new(
        "script_refused_exceptions",
        "What a script did before a call that there is not stays done.",
        [users([
            get("no text", "/a").of([jsr223(
                "JSR223PreProcessor",
                "groovy",
                "pre",
                "vars.put('b', 'kept')\nvars.put('b', 5)",
            )]),
            get("bean", "/${b}").of([bean_shell(
                "BeanShellPreProcessor",
                "bean",
                "vars.put(\"e\", \"kept\"); vars.put(\"e\", 5); vars.put(\"e\", \"lost\");",
            )]),
            get("last", "/${e}"),
        ])],
    )
}

fn files() -> Draft {
    let read =
        |name: &str, file: &str| get(name, &format!("/${{__urlencode(${{__FileToString({file},,)}})}}"));
    Draft::new(
        "script_refused_files",
        "Files that scripts write.",
        [users([
            groovy("written", "def f = new File('out-1.txt')\nf.write('one ')\nf.append('two')\nf.toString()"),
            read("read", "out-1.txt"),
            groovy(
                "appended",
                "FileWriter w = new FileWriter('out-1.txt', true)\nBufferedWriter b = new BufferedWriter(w)\nb.write(' three')\nb.newLine()\nb.close()\nw.close()",
            ),
            read("read again", "out-1.txt"),
            beanshell(
                "BeanShell",
                "import java.io.*; File f = new File(\"out-2.txt\"); FileWriter w = new FileWriter(f, true); PrintWriter p = new PrintWriter(w); p.println(vars.get(\"v\")); p.print(\"end\"); p.close(); w.close();",
            ),
            read("of BeanShell", "out-2.txt"),
            groovy("anew", "def w = new FileWriter('out-2.txt')\nw.write('anew')\nw.flush()"),
            read("emptied first", "out-2.txt"),
        ])],
    )
    .variables(&[("v", "a value")])
}
