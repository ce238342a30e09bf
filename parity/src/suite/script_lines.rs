//! Scripts, one a sample, that Swell runs without a script engine. What it refuses stands in `script_refused`.

use super::draft::Draft;
use super::parts::loops;
use super::scripts::{WITH, beanshell, each, groovy};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        groovy_values(),
        groovy_texts(),
        groovy_statements(),
        beanshell_values(),
        beanshell_statements(),
        beanshell_sampler(),
    ]
}

fn groovy_values() -> Draft {
    let scripts = [
        "1 + 2 * 3",
        "7 / 2",
        "def a = 5\na += 2\na",
        "def a = 5",
        "int a = 7.9\na",
        "long a = 7\na + 1",
        "double d = 3\nd",
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
        "(long) 5 / 2",
        "Integer.parseInt(vars.get('ten')) % 3",
        "Math.max(3, 4) + Math.min(1, 2)",
        "Math.ceil(2.1d)",
        "Math.abs(-3)",
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
        "'a' < 'b'",
    ];
    Draft::new("script_groovy_values", "Values of Groovy.", [each(&scripts, groovy)]).variables(WITH)
}

fn groovy_texts() -> Draft {
    let scripts = [
        "\"five is ${vars.get('five')} and ${1 + 2}\"",
        "def a = 'x'\n\"$a-${a}-\\$a\"",
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
        "vars.get('text').contains('me')",
        "vars.get('text').startsWith('some') && vars.get('text').endsWith('text')",
        "'abc'.matches('[a-c]+')",
        "'abcd'.matches('[a-c]+')",
        "'  x '.trim() + '|'",
        "'abc'.equalsIgnoreCase('ABC')",
        "'b'.compareTo('a')",
        "'12'.isInteger()",
        "'2.5'.toDouble() * 2",
        "String.valueOf(5) + Integer.valueOf('6')",
        "UUID.randomUUID().toString().length()",
        "import org.apache.commons.lang3.RandomStringUtils\nRandomStringUtils.randomAlphanumeric(12).length()",
        "def r = new Random()\ndef n = r.nextInt(10)\nn >= 0 && n < 10",
        "def n = (int) (Math.random() * 10) + 1\nn > 0 && n < 11",
        "'some' - 'me'",
        "'abc' ==~ /[a-c]+/",
        "\"unicode \\u00e4\\u0041\"",
    ];
    Draft::new("script_groovy_texts", "Texts of Groovy.", [each(&scripts, groovy)]).variables(WITH)
}

fn groovy_statements() -> Draft {
    let scripts = [
        "def s = ''\nfor (int i = 0; i < 3; i++) { s += i }\ns",
        "def n = 0\nwhile (n < 5) { n++\n if (n == 3) break }\nn",
        "vars.put('n', (vars.get('five').toInteger() + 1).toString())\nvars.get('n')",
        "def f = vars.get('ten')\nif (f == null || f.isEmpty()) { log.warn('none') } else { log.info('it is {}', f) }",
        "log.info 'a command'\nprintln 'to stdout'\nprintln('again')",
        "log.error(\"with ${vars.get('five')}\")",
        "def a = 1\ndef b = 2\ndef c = a\n + b\nc",
        "def a = 1 +\n 2\na",
        "def s = 'a'\n .toUpperCase()\n .concat('b')\ns",
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
    ];
    Draft::new("script_groovy_statements", "Statements of Groovy.", [each(&scripts, groovy)]).variables(WITH)
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
        "\"a\" + 1 + 2",
        "'c'",
        "\"text\".length()",
        "vars.get(\"five\").equals(\"5\")",
        "Integer.parseInt(vars.get(\"ten\")) + 1",
        "Integer i = Integer.parseInt(vars.get(\"ten\")); i + 1",
        "boolean b = true; !b",
        "String s = null; s",
        "vars.get(\"nothing\") == null",
        "true ? \"yes\" : \"no\"",
        "\"abc\".substring(1).toUpperCase()",
        "new String(\"a\" + \"b\")",
        "(int) 7.9",
        "(String) vars.get(\"five\")",
        "Math.max(2, 3)",
        "Math.round(2.5)",
        "ctx.getThreadNum()",
        "Thread.currentThread().getName()",
        "return \"done\";",
        "vars.put(\"made\", \"x\"); vars.get(\"made\")",
        "props.put(\"bsh.made\", \"y\"); props.get(\"bsh.made\")",
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
        "int i = 0; while (i < 5) { i++; if (i == 3) break; } i",
        "int i = 0; do { i = i + 2; } while (i < 5); i",
        "log.info(\"a line\"); log.info(\"five is \" + vars.get(\"five\"));",
        "print(\"to stdout\");",
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
