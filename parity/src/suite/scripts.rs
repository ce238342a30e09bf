//! Script elements around samples, and what scripts have in common. Single scripts stand in `script_lines`, those that Swell refuses in
//! `script_refused`.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, bean, debug, element, get, loops, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        bound_names(),
        cached(),
        processors(),
        samples(),
        assertions(),
        timers(),
        functions(),
        empty(),
        exceptions(),
    ]
}

pub(super) fn jsr223(class: &str, language: &str, name: &str, script: &str) -> Node {
    bean(class, name, &[("scriptLanguage", language), ("cacheKey", "true"), ("script", script)])
        .text("filename", "")
        .text("parameters", "")
}

pub(super) fn groovy(name: &str, script: &str) -> Node {
    jsr223("JSR223Sampler", "groovy", name, script)
}

/// A sampler of the BeanShell kind that is no bean.
pub(super) fn beanshell(name: &str, script: &str) -> Node {
    element("BeanShellSampler", "BeanShellSamplerGui", name, &[("BeanShellSampler.query", script)])
        .text("BeanShellSampler.filename", "")
        .text("BeanShellSampler.parameters", "one two  three")
        .flag("BeanShellSampler.resetInterpreter", false)
}

/// A BeanShell processor.
pub(super) fn bean_shell(class: &str, name: &str, script: &str) -> Node {
    bean(class, name, &[("filename", ""), ("parameters", ""), ("script", script)])
        .flag("resetInterpreter", false)
}

/// A user that takes a sample of each script.
pub(super) fn each(scripts: &[&str], make: fn(&str, &str) -> Node) -> Node {
    let samplers = scripts.iter().enumerate().map(|(at, script)| make(&format!("{at:02}"), script));
    users(samplers)
}

pub(super) const WITH: &[(&str, &str)] = &[
    ("text", "some text"),
    ("five", "5"),
    ("ten", "10"),
    ("list", "a,b,,c,,"),
    ("dec", "2.50"),
    ("empty", ""),
];

/// A sampler with parameters.
pub(super) fn with_parameters(language: &str, name: &str, script: &str) -> Node {
    let mut node = jsr223("JSR223Sampler", language, name, script);
    node.element.properties.retain(|property| property.name != "parameters");
    node.text("parameters", "p1  p2")
}

fn bound_names() -> Draft {
    let names = "Label + '|' + Parameters + '|' + args.length + args[1] + '|' + FileName";
    Draft::new(
        "script_names",
        "Names that scripts have before they start.",
        [users([
            with_parameters("groovy", "a label", names),
            with_parameters("", "no language", names),
            with_parameters("groovy", "stdout", "OUT.println('printed')"),
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
                get("first", "/first").of([post("vars.put('code', prev.getResponseCode())")]),
                get("second", "/${code}/${length}").of([
                    pre("vars.put('length', '' + prev.getResponseDataAsString().length())"),
                    bean_shell("BeanShellPreProcessor", "bean pre", "vars.put(\"b\", prev.getResponseMessage());"),
                    bean_shell("BeanShellPostProcessor", "bean post", "props.put(\"last\", vars.get(\"b\"));"),
                ]),
                get("with it", "/${__P(last)}"),
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
            get("length", "/${__groovy(UUID.randomUUID().toString().length())}"),
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
            get("number", "/${a}").of([pre("vars.put('c', 'kept'); Integer.parseInt('x'); vars.put('c', 'lost')")]),
            get("bounds", "/${c}").of([pre("vars.put('d', 'kept'); 'ab'.substring(5); vars.put('d', 'lost')")]),
            get("bean null", "/${d}").of([bean_shell(
                "BeanShellPreProcessor",
                "bean",
                "vars.put(\"f\", \"kept\"); String s = vars.get(\"none\"); s.length(); vars.put(\"f\", \"lost\");",
            )]),
            get("last", "/${f}"),
        ])],
    )
}
