//! Script elements whose scripts Swell runs without a script engine.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, bean, debug, element, get, loops, raw, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        groovy_values(),
        groovy_texts(),
        groovy_lists(),
        groovy_statements(),
        groovy_json(),
        groovy_dates(),
        beanshell_values(),
        beanshell_statements(),
        beanshell_sampler(),
        bound_names(),
        cached(),
        processors(),
        samples(),
        assertions(),
        timers(),
        functions(),
        empty(),
        exceptions(),
        files(),
    ]
}

fn jsr223(class: &str, language: &str, name: &str, script: &str) -> Node {
    bean(class, name, &[("scriptLanguage", language), ("cacheKey", "true"), ("script", script)])
        .text("filename", "")
        .text("parameters", "")
}

fn groovy(name: &str, script: &str) -> Node {
    jsr223("JSR223Sampler", "groovy", name, script)
}

/// A sampler of the BeanShell kind that is no bean.
fn beanshell(name: &str, script: &str) -> Node {
    element("BeanShellSampler", "BeanShellSamplerGui", name, &[("BeanShellSampler.query", script)])
        .text("BeanShellSampler.filename", "")
        .text("BeanShellSampler.parameters", "one two  three")
        .flag("BeanShellSampler.resetInterpreter", false)
}

/// A BeanShell processor.
fn bean_shell(class: &str, name: &str, script: &str) -> Node {
    bean(class, name, &[("filename", ""), ("parameters", ""), ("script", script)])
        .flag("resetInterpreter", false)
}

/// A user that takes a sample of each script.
fn each(scripts: &[&str], make: fn(&str, &str) -> Node) -> Node {
    let samplers = scripts.iter().enumerate().map(|(at, script)| make(&format!("{at:02}"), script));
    users(samplers)
}

const WITH: &[(&str, &str)] = &[
    ("text", "some text"),
    ("five", "5"),
    ("ten", "10"),
    ("list", "a,b,,c,,"),
    ("dec", "2.50"),
    ("empty", ""),
];

fn groovy_values() -> Draft {
    let scripts = [
        "1 + 2 * 3",
        "7 / 2",
        "def a = 5\na += 2\na",
        "def a = 5",
        "int a = 7.9\na",
        "long a = 7\na + 1",
        "double d = 3\nd",
        "String s = 5 + 6\ns + 1",
        "def a = 3; a++; ++a; a--; a",
        "def a = 3\na++",
        "def a = 3\n++a",
        "x = 4\nx * x",
        "if (vars.get('five') == '5') { 'yes' } else { 'no' }",
        "if (false) 1",
        "vars.get('nothing')",
        "vars.get('five').toInteger() + 1",
        "vars.five + vars['ten']",
        "(vars.get('ten') as int) - 3",
        "vars.get('five') as Integer",
        "10 - 3 as String",
        "(int) 7.8",
        "(long) 5 / 2",
        "Integer.parseInt(vars.get('ten')) % 3",
        "Math.max(3, 4) + Math.min(1, 2)",
        "Math.round(2.5)",
        "Math.floor(2.7)",
        "Math.ceil(2.1d)",
        "Math.abs(-3)",
        "Math.pow(2, 10)",
        "Math.sqrt(16)",
        "true && !false",
        "null ?: 'other'",
        "vars.get('nothing')?.length()",
        "'5' == 5.toString()",
        "5 > 3 ? \"more\" : \"less\"",
        "return 'done'\n",
        "def a = 1\nif (a == 1) { return 'left early' }\n'not reached'",
        "1 == 1 /* within */ && true // to the end",
        "// nothing but a comment",
        "'a' + 1 + 2",
        "1 + 2 + 'a'",
        "'%' * 3",
        "0.1 + 0.2",
        "1.0 / 3",
        "2147483647 + 1",
        "5L * 2",
        "def a = null\n\"$a\"",
        "ctx.getThreadNum()",
        "ctx.threadNum",
        "ctx.getThread().getThreadName()",
        "Thread.currentThread().getName()",
        "ctx.getVariables().get('five')",
        "vars.put('made', 'by script')",
        "vars.get('made')",
        "props.put('script.made', 'p1')",
        "props.get('script.made')",
        "props.getProperty('script.none', 'default')",
        "props.remove('script.made')",
        "vars.remove('made')",
        "vars.put('gone', null)\nvars.get('gone')",
        "'' ? 'full' : 'empty'",
        "0 ? 'full' : 'empty'",
        "[] ? 'full' : 'empty'",
        "'a' < 'b'",
    ];
    Draft::new("script_groovy_values", "Values of Groovy.", [each(&scripts, groovy)]).variables(WITH)
}

fn groovy_texts() -> Draft {
    let scripts = [
        "\"five is ${vars.get('five')} and ${1 + 2}\"",
        "def a = 'x'\n\"$a-${a}-\\$a\"",
        "def m = [k: 'v']\n\"$m.k!\"",
        "'single $a ${b}'",
        "'''three\nlines\n\"quoted\"'''",
        "\"\"\"value ${vars.get('five')}\nnext\"\"\"",
        "'tab\\tnew\\nend\\\\'",
        "/a\\/b\\d/",
        "vars.get('text').toUpperCase()",
        "vars.get('text').length()",
        "vars.get('text').size()",
        "vars.get('text').substring(5)",
        "vars.get('text').substring(0, 4)",
        "vars.get('text').indexOf('t')",
        "vars.get('text').replace('e', 'E')",
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
        "vars.get('text').contains('me')",
        "vars.get('text').startsWith('some') && vars.get('text').endsWith('text')",
        "'abc'.matches('[a-c]+')",
        "'abcd'.matches('[a-c]+')",
        "'  x '.trim() + '|'",
        "'7'.padLeft(3, '0')",
        "'7'.padRight(3) + '|'",
        "'abc'.reverse()",
        "'abc'.capitalize()",
        "'abc'.equalsIgnoreCase('ABC')",
        "'b'.compareTo('a')",
        "'abc'.hashCode()",
        "'12'.isNumber() && !'x'.isNumber()",
        "'12'.isInteger()",
        "'2.50'.toBigDecimal() + 1",
        "'2.5'.toDouble() * 2",
        "String.valueOf(5) + Integer.valueOf('6')",
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
        "UUID.randomUUID().toString().length()",
        "\"${UUID.randomUUID()}\".length()",
        "import org.apache.commons.lang3.RandomStringUtils\nRandomStringUtils.randomAlphanumeric(12).length()",
        "import org.apache.commons.lang3.RandomStringUtils\nRandomStringUtils.randomNumeric(5).matches('[0-9]{5}')",
        "def r = new Random()\ndef n = r.nextInt(10)\nn >= 0 && n < 10",
        "def n = (int) (Math.random() * 10) + 1\nn > 0 && n < 11",
        "import java.util.concurrent.ThreadLocalRandom\nThreadLocalRandom.current().nextInt(5, 6)",
        "'one\\ntwo'.readLines().size()",
        "'abc'.collect { it.toUpperCase() }.join('')",
        "'some' - 'me'",
        "'abc' ==~ /[a-c]+/",
        "'abcd' ==~ '[a-c]+' || null ==~ 'x'",
        "\"unicode \\u00e4\\u0041\"",
    ];
    Draft::new("script_groovy_texts", "Texts of Groovy.", [each(&scripts, groovy)]).variables(WITH)
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
    Draft::new("script_groovy_lists", "Lists, maps and closures of Groovy.", [each(&scripts, groovy)])
        .variables(WITH)
}

fn groovy_statements() -> Draft {
    let scripts = [
        "def s = ''\nfor (int i = 0; i < 3; i++) { s += i }\ns",
        "def s = ''\nfor (i in 1..3) { s += i }\ns",
        "def s = ''\nfor (x in ['a', 'b']) s += x\ns",
        "def s = ''\nfor (String x : 'a,b'.split(',')) { s = s + x }\ns",
        "def n = 0\nwhile (n < 5) { n++\n if (n == 3) break }\nn",
        "def s = ''\nfor (i in 1..5) { if (i % 2 == 0) continue\n s += i }\ns",
        "def r\nswitch (vars.get('five')) {\n case '4': r = 'four'; break\n case '5': r = 'five'; break\n default: r = 'none' }\nr",
        "def r = ''\nswitch (2) { case 1: r += 'a'\n case 2: r += 'b'\n case 3: r += 'c'\n break\n default: r += 'd' }\nr",
        "def r\nif (vars.get('five') == '4') {\n r = 'a'\n}\nelse if (vars.get('five') == '5') {\n r = 'b'\n}\nelse {\n r = 'c'\n}\nr",
        "try { Integer.parseInt('x') } catch (Exception e) { 'caught' }",
        "def r = ''\ntry { r += 'a' } finally { r += 'b' }\nr",
        "for (i in 0..2) { vars.put('item_' + i, \"value $i\") }\nvars.get('item_1')",
        "vars.put('n', (vars.get('five').toInteger() + 1).toString())\nvars.get('n')",
        "def f = vars.get('ten')\nif (f == null || f.isEmpty()) { log.warn('none') } else { log.info('it is {}', f) }",
        "log.info 'a command'\nprintln 'to stdout'\nprintln('again')",
        "log.error(\"with ${vars.get('five')}\")",
        "def a = 1\ndef b = 2\ndef c = a\n + b\nc",
        "def a = 1 +\n 2\na",
        "def l = ['a',\n 'b',\n]\nl.size()",
        "def s = 'a'\n .toUpperCase()\n .concat('b')\ns",
        "boolean b = 'x'\nb",
        "final String s = 'fixed'; s",
        "import java.text.SimpleDateFormat\nimport java.util.*\n'imported'",
        "SampleResult.setResponseData('made here', 'UTF-8')\nSampleResult.setResponseCode('201')\nSampleResult.setResponseMessage('Made')",
        "SampleResult.setSuccessful(false)\nSampleResult.setResponseCode('500')\n'failed'",
        "SampleResult.setSampleLabel('another name')",
        "SampleResult.setIgnore()",
        "SampleResult.responseCode = '299'\nSampleResult.sampleLabel",
        "prev.getResponseCode() + prev.isSuccessful() + prev.getSampleLabel()",
        "prev.responseDataAsString",
        "while (false) { }\n",
        "def i = 0\nfor (;;) { if (++i > 4) break }\ni",
        "def a = 1, b = 2\na + b",
        "String s, t = 'q'\ns = 'p'\ns + t",
        "Integer.toString(5) + Long.toString(6L)",
        "prev.getURL() == null ? 'none' : prev.getURL().toString().length() > 0",
    ];
    Draft::new("script_groovy_statements", "Statements of Groovy.", [each(&scripts, groovy)]).variables(WITH)
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
    Draft::new("script_groovy_json", "JSON read and written by Groovy.", [users(all)])
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
    Draft::new("script_groovy_dates", "Dates of Groovy.", [each(&scripts, groovy)])
}

fn beanshell_values() -> Draft {
    let scripts = [
        "1 + 2 * 3",
        "7 / 2",
        "7 / 2.0",
        "int a = 5; a",
        "int a = 5;",
        "a = 5;",
        "a = 5; a += 2; a++; a",
        "var link; link = \"x\"; link",
        "\"a\" + 1 + 2",
        "'c'",
        "\"text\".length()",
        "vars.get(\"five\").equals(\"5\")",
        "vars.get(\"five\") == \"5\"",
        "Integer.parseInt(vars.get(\"ten\")) + 1",
        "Integer i = Integer.parseInt(vars.get(\"ten\")); i + 1",
        "long l = 5; l * 2",
        "double d = 5; d",
        "boolean b = true; !b",
        "String s = null; s",
        "vars.get(\"nothing\") == null",
        "true ? \"yes\" : \"no\"",
        "\"a,b,c\".split(\",\").length",
        "String[] p = \"a,b,c\".split(\",\"); p[1]",
        "\"a\\\\/b\".replaceAll(\"\\\\\\\\/\",\"/\")",
        "\"say \\\"hi\\\"\".replaceAll(\"\\\"\", \"'\")",
        "\"abc\".substring(1).toUpperCase()",
        "new String(\"a\" + \"b\")",
        "(int) 7.9",
        "(String) vars.get(\"five\")",
        "Math.max(2, 3)",
        "Math.round(2.5)",
        "StringBuilder b = new StringBuilder(); b.append(\"x\"); b.append(1); b.toString()",
        "import org.apache.commons.codec.binary.Base64; new String(Base64.encodeBase64(\"user:pass\".getBytes()))",
        "byte[] b = org.apache.commons.codec.binary.Base64.encodeBase64(\"ab\".getBytes()); new String(b)",
        "ctx.getThreadNum()",
        "Thread.currentThread().getName()",
        "return \"done\";",
        "vars.put(\"made\", \"x\"); vars.get(\"made\")",
        "props.put(\"bsh.made\", \"y\"); props.get(\"bsh.made\")",
        "import org.apache.jmeter.util.JMeterUtils; JMeterUtils.setProperty(\"bsh.set\", \"z\"); JMeterUtils.getPropDefault(\"bsh.set\", \"\")",
        "org.apache.jmeter.util.JMeterUtils.getPropDefault(\"bsh.none\", \" d \")",
        "java.util.Random r = new java.util.Random(); r.nextInt(1)",
        "UUID.randomUUID().toString().length()",
        "// only a comment",
        "a = 1; // with a comment at the end",
        "a = 1; // with a comment and a line\n",
        "/* all\n of it */",
    ];
    Draft::new("script_beanshell_values", "Values of BeanShell.", [each(&scripts, beanshell)]).variables(WITH)
}

fn beanshell_statements() -> Draft {
    let scripts = [
        "if (vars.get(\"five\").equals(\"5\")) { r = \"yes\"; } else { r = \"no\"; }",
        "String r = \"\"; if (1 > 2) { r = \"a\"; } else if (2 > 1) { r = \"b\"; } else r = \"c\"; r",
        "String s = \"\"; for (int i = 0; i < 3; i++) { s = s + i; } s",
        "String s = \"\"; for (x : \"a,b\".split(\",\")) { s += x; } s",
        "int i = 0; while (i < 5) { i++; if (i == 3) break; } i",
        "int i = 0; do { i = i + 2; } while (i < 5); i",
        "switch (vars.get(\"five\")) { case \"4\": r = \"four\"; break; case \"5\": r = \"five\"; break; default: r = \"none\"; } 1",
        "try { Integer.parseInt(\"x\"); } catch (Exception e) { vars.put(\"caught\", \"it\"); } vars.get(\"caught\")",
        "log.info(\"a line\"); log.info(\"five is \" + vars.get(\"five\"));",
        "print(\"to stdout\");",
        "ArrayList l = new ArrayList(); l.add(\"a\"); l.add(\"b\"); l.get(1) + l.size()",
        "int n = Integer.parseInt(vars.get(\"five\")); int y = n - (n / 2) * 2; if (y == 0) { vars.put(\"kind\", \"even\"); } else { vars.put(\"kind\", \"odd\"); } vars.get(\"kind\")",
        "{ int inner = 5; } 7",
        "int i = 5; int j = i++ + 1; i + j",
    ];
    Draft::new("script_beanshell_statements", "Statements of BeanShell.", [each(&scripts, beanshell)])
        .variables(WITH)
}

fn beanshell_sampler() -> Draft {
    let scripts = [
        "ResponseCode = \"404\"; ResponseMessage = \"None\";",
        "IsSuccess = false; return \"bad\";",
        "ResponseCode = 2 * 100; ResponseMessage = Label;",
        "if (\"one\".equals(bsh.args[0])) { ResponseCode = \"299\"; } else { IsSuccess = false; } return Parameters;",
        "return bsh.args[2] + bsh.args.length + FileName;",
        "SampleResult.setResponseData(\"made here\"); SampleResult.setSampleLabel(\"renamed\");",
        "SampleResult.setResponseData(\"made here\"); return \"and returned\";",
        "prev.getSampleLabel() + prev.getResponseCode()",
        "${__setProperty(script.set,${five})}",
        "${__setProperty(script.set2,x)};\n${__setProperty(script.set3,y)}",
        "return \"${__P(script.set2)}${__P(script.set3)}\";",
        "${__StringToFile(script-out.txt,line\\n,false,)}",
    ];
    Draft::new(
        "script_beanshell_sampler",
        "What a BeanShell Sampler says of its sample.",
        [loops(each(&scripts, beanshell), "2")],
    )
    .variables(WITH)
}

fn bound_names() -> Draft {
    let with = |class: &str, language: &str, name: &str, script: &str| {
        let mut node = jsr223(class, language, name, script);
        node.element.properties.retain(|property| property.name != "parameters");
        node.text("parameters", "p1  p2")
    };
    let names = "Label + '|' + Parameters + '|' + args.length + args[1] + '|' + FileName";
    Draft::new(
        "script_names",
        "Names that scripts have before they start, in all languages.",
        [users([
            with("JSR223Sampler", "groovy", "a label", names),
            with("JSR223Sampler", "", "no language", names),
            with("JSR223Sampler", "beanshell", "bsh", &names.replace('\'', "\"")),
            with("JSR223Sampler", "java", "java", &names.replace('\'', "\"")),
            with("JSR223Sampler", "bsh", "short", "return Label;"),
            with("JSR223Sampler", "groovy", "stdout", "OUT.println('printed')"),
        ])],
    )
}

fn cached() -> Draft {
    let uncached = |name: &str, script: &str| {
        let mut node = groovy(name, script);
        node.element.properties.retain(|property| property.name != "cacheKey");
        node.text("cacheKey", "false")
    };
    let keyless = |name: &str, script: &str| {
        let mut node = groovy(name, script);
        node.element.properties.retain(|property| property.name != "cacheKey");
        node
    };
    Draft::new(
        "script_cached",
        "References in a script: evaluated once a user where the script is cached.",
        [loops(
            users([
                super::parts::counter("count", "n"),
                groovy("cached", "'${n} ' + vars.get('n')"),
                keyless("no key", "'${n} ' + vars.get('n')"),
                uncached("not cached", "'${n} ' + vars.get('n')"),
                jsr223("JSR223Sampler", "beanshell", "never cached", "\"${n} \" + vars.get(\"n\")"),
                beanshell("BeanShell", "\"${n} \" + vars.get(\"n\")"),
                groovy("not defined", "def x1 = vars.get('n')\n\"day${x1}\""),
                uncached("a number", "${n} + 1"),
            ]),
            "3",
        )],
    )
}

fn processors() -> Draft {
    let pre = |script: &str| jsr223("JSR223PreProcessor", "groovy", "pre", script);
    let post = |script: &str| jsr223("JSR223PostProcessor", "groovy", "post", script);
    Draft::new(
        "script_processors",
        "Scripts before and after samples.",
        [loops(
            users([
                get("first", "/first").of([
                    pre("vars.put('seen', prev == null ? 'none' : prev.getSampleLabel())"),
                    post("vars.put('code', prev.getResponseCode())"),
                ]),
                get("second", "/${seen}/${code}/${length}").of([
                    pre("vars.put('length', '' + prev.getResponseDataAsString().length())"),
                    bean_shell("BeanShellPreProcessor", "bean pre", "vars.put(\"b\", prev.getResponseMessage());"),
                    bean_shell("BeanShellPostProcessor", "bean post", "props.put(\"last\", vars.get(\"b\"));"),
                ]),
                raw("token", "POST", "/echo", "{\"token\": \"t-1\"}").of([post(
                    "def body = prev.getResponseDataAsString()\ndef json = new groovy.json.JsonSlurper().parseText(body.substring(body.indexOf('{')))\nvars.put('token', json.token)\nprops.put('token', vars.get('token'))",
                )]),
                get("with it", "/${token}/${__P(token)}/${__P(last)}"),
                get("renamed", "/r").of([post(
                    "prev.setSampleLabel('another'); prev.setResponseMessage('said'); prev.setResponseCode('299')",
                )]),
                get("failed", "/f").of([post("if (prev.getResponseCode() == '200') { prev.setSuccessful(false) }")]),
                get("mended", "/status/404").of([post("prev.setSuccessful(true)")]),
                get("left out", "/ignored").of([post("prev.setIgnore()")]),
                get("order", "/order").of([
                    pre("vars.put('o', 'a')"),
                    pre("vars.put('o', vars.get('o') + 'b')"),
                    bean_shell("BeanShellPreProcessor", "bean pre", "vars.put(\"o\", vars.get(\"o\") + \"c\");"),
                ]),
                get("after order", "/${o}"),
                get("body changed", "/x").of([
                    post("prev.setResponseData('made up')"),
                    super::extractors::regex("extract", "made", "made (.*)", "$1$", "1", "none"),
                ]),
                get("found", "/${made}"),
                get("url", "/path?q=1").of([post("vars.put('u', prev.getUrlAsString().substring(0, 7))")]),
                get("shown", "/${u}"),
            ]),
            "2",
        )],
    )
    .rule("mask bytes")
}

fn samples() -> Draft {
    let parts = [
        "prev.getSampleLabel()",
        "prev.getResponseCode() + prev.getResponseMessage()",
        "prev.isSuccessful()",
        "prev.isResponseCodeOK()",
        "prev.getThreadName()",
        "prev.getTime() >= 0 && prev.getLatency() >= 0 && prev.getConnectTime() >= 0",
        "prev.getEndTime() - prev.getStartTime() == prev.getTime()",
        "prev.getResponseHeaders().startsWith('HTTP/1.1 200')",
        "prev.getRequestHeaders().contains('User-Agent')",
        "prev.getSamplerData().startsWith('GET ')",
        "prev.getContentType()",
        "prev.getHeadersSize() + prev.getBodySizeAsLong() == prev.getBytesAsLong()",
        "prev.time >= 0",
        "prev.successful",
    ];
    let post = |script: &str| jsr223("JSR223PostProcessor", "groovy", "post", script);
    let steps = parts.iter().enumerate().map(|(at, part)| {
        get(&format!("part {at}"), "/part").of([post(&format!("prev.setSampleLabel('' + ({part}))"))])
    });
    Draft::new("script_samples", "What scripts read of samples.", [users(steps)])
}

fn assertions() -> Draft {
    let check = |script: &str| jsr223("JSR223Assertion", "groovy", "checked", script);
    let bean = |script: &str| {
        element(
            "BeanShellAssertion",
            "BeanShellAssertionGui",
            "bean",
            &[("BeanShellAssertion.query", script)],
        )
        .text("BeanShellAssertion.filename", "")
        .text("BeanShellAssertion.parameters", "")
        .flag("BeanShellAssertion.resetInterpreter", false)
    };
    Draft::new(
        "script_assertions",
        "Scripts that judge samples.",
        [users([
            get("passes", "/a").of([check("SampleResult.getResponseCode() == '200'")]),
            get("fails", "/b").of([check(
                "if (SampleResult.getTime() >= 0) {\n AssertionResult.setFailure(true)\n AssertionResult.setFailureMessage('too slow')\n}",
            )]),
            get("fails by property", "/c")
                .of([check("AssertionResult.failure = true\nAssertionResult.failureMessage = \"was ${prev.responseCode}\"")]),
            get("sample set", "/d").of([check("SampleResult.setSuccessful(false)")]),
            get("bean passes", "/e").of([bean("Failure = false;")]),
            get("bean fails", "/f").of([bean(
                "if (ResponseCode.equals(\"200\")) { Failure = true; FailureMessage = \"code \" + ResponseCode + SampleLabel; }",
            )]),
            get("bean message only", "/g").of([bean("FailureMessage = \"only said\";")]),
            get("bean property", "/h").of([bean("${__setProperty(asserted,yes)}")]),
            get("set", "/${__P(asserted)}"),
            get("bean successful", "/status/500").of([bean("if (!Successful) { FailureMessage = ResponseMessage; }")]),
            get("two", "/i").of([check("vars.put('checked', 'yes')"), bean("Failure = true;")]),
            get("checked", "/${checked}"),
        ])],
    )
}

fn timers() -> Draft {
    let timer = |name: &str, script: &str| jsr223("JSR223Timer", "groovy", name, script);
    Draft::new(
        "script_timers",
        "Scripts that tell how long to wait.",
        [users([
            get("waits", "/a").of([timer("a while", "vars.put('waited', 'yes')\nreturn 20")]),
            get("text", "/${waited}").of([timer("a text", "'10'")]),
            get("none", "/c").of([timer("nothing", "def a = 5\nvars.put('w2', 'x')")]),
            get("no number", "/${w2}").of([timer("no number", "'soon'")]),
            get("bean", "/e").of([bean_shell("BeanShellTimer", "bean", "return \"15\";")]),
            get("bean none", "/f").of([bean_shell("BeanShellTimer", "bean", "vars.put(\"w3\", \"z\");")]),
            get("after", "/${w3}"),
        ])],
    )
}

fn functions() -> Draft {
    Draft::new(
        "script_functions",
        "Functions whose scripts do more than compare.",
        [users([
            get("put", "/${__groovy(vars.put('f'\\, 'made'))}x"),
            get("read", "/${f}/${__groovy(vars.get('f').toUpperCase())}"),
            get("statements", "/${__groovy(def a = 5; def b = a * 2; a + b)}"),
            get("date", "/${__groovy(new Date(0L).format('yyyy'))}"),
            get("length", "/${__groovy(UUID.randomUUID().toString().length())}"),
            get("list", "/${__groovy([1\\, 2\\, 3].join('-'))}"),
            get("bean", "/${__BeanShell(int a = 5; a + 1)}/${__BeanShell(vars.put(\"g\"\\,\"h\"))}"),
            get("bean read", "/${g}"),
        ])],
    )
}

fn empty() -> Draft {
    Draft::new(
        "script_empty",
        "Scripts that are not there.",
        [users([
            get("before", "/a").of([
                jsr223("JSR223PreProcessor", "groovy", "pre", ""),
                jsr223("JSR223PostProcessor", "groovy", "post", ""),
                bean_shell("BeanShellPreProcessor", "bean pre", ""),
                bean_shell("BeanShellPostProcessor", "bean post", ""),
                jsr223("JSR223Timer", "groovy", "timer", ""),
            ]),
            get("checked", "/b").of([jsr223("JSR223Assertion", "groovy", "check", "")]),
            groovy("empty", ""),
            groovy("spaces", " \n "),
            beanshell("empty bean", ""),
            debug("variables"),
        ])],
    )
    .rule("mask bytes")
}

fn exceptions() -> Draft {
    let pre = |script: &str| jsr223("JSR223PreProcessor", "groovy", "pre", script);
    Draft::new(
        "script_exceptions",
        "What a script did before it failed stays done.",
        [users([
            get("null", "/a").of([pre("vars.put('a', 'kept')\nvars.get('none').length()\nvars.put('a', 'lost')")]),
            get("no text", "/${a}").of([pre("vars.put('b', 'kept')\nvars.put('b', 5)")]),
            get("number", "/${b}").of([pre("vars.put('c', 'kept'); Integer.parseInt('x'); vars.put('c', 'lost')")]),
            get("bounds", "/${c}").of([pre("vars.put('d', 'kept'); 'ab'.substring(5); vars.put('d', 'lost')")]),
            get("bean", "/${d}").of([bean_shell(
                "BeanShellPreProcessor",
                "bean",
                "vars.put(\"e\", \"kept\"); vars.put(\"e\", 5); vars.put(\"e\", \"lost\");",
            )]),
            get("bean null", "/${e}").of([bean_shell(
                "BeanShellPreProcessor",
                "bean",
                "vars.put(\"f\", \"kept\"); String s = vars.get(\"none\"); s.length(); vars.put(\"f\", \"lost\");",
            )]),
            get("last", "/${f}"),
        ])],
    )
}

fn files() -> Draft {
    let read =
        |name: &str, file: &str| get(name, &format!("/${{__urlencode(${{__FileToString({file},,)}})}}"));
    Draft::new(
        "script_files",
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
