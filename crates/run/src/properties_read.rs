//! Finds the properties that the texts of a plan read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use swell_engine::Prepared;
use swell_expr::calls_unknown;
use swell_plan::{Element, Node};
use swell_stats::threshold::nearest;

/// Functions whose first argument names a property that they read, and the place of the argument
/// that is its default.
const FUNCTIONS: [(&str, Option<usize>); 3] =
    [("__P(", Some(1)), ("__property(", Some(2)), ("__isPropDefined(", None)];

/// The function whose first argument names a property that it sets.
const SETTING_FUNCTION: &str = "__setProperty(";

/// Calls of scripts that are followed by the name of a property that they read.
const CALLS: [&str; 5] = [".get(", ".getProperty(", ".getOrDefault(", ".containsKey(", "["];

/// Calls of scripts that are followed by the name of a property that they set.
const SETTING_CALLS: [&str; 3] = [".put(", ".setProperty(", ".remove("];

/// Texts that make others, in which a property may be named.
const MAKERS: [&str; 4] = ["__eval", "__FileToString", "__StringFromFile", "__groovy(prop"];

/// Methods of `JMeterUtils` whose first argument names a property that they read.
const OF_JMETER_UTILS: [&str; 2] = ["getPropDefault(", "getProperty("];

/// The method of `JMeterUtils` that sets a property.
const SETTING_METHOD: &str = "setProperty(";

/// Characters of the arguments of a call that are looked at.
const MOST_ARGUMENTS: usize = 2000;

/// Defaults of a property that are kept.
const MOST_DEFAULTS: usize = 10;

/// Longest script that is looked into, in bytes.
const SCRIPT_MAX: u64 = 4 << 20;

/// First parts of the names of properties that JMeter, its plug-ins and Swell read themselves.
const OF_TOOLS: &[&str] = &[
    "AuthManager",
    "CookieManager",
    "DNSCacheManager",
    "HTTP2Sampler",
    "HTTPResponse",
    "HTTPSampler",
    "JMeter",
    "RandomController",
    "asynch",
    "backend_graphite",
    "backend_influxdb",
    "beanshell",
    "blazemeter",
    "cacheable_methods",
    "cache_manager",
    "change_parent",
    "classfinder",
    "client",
    "cookies",
    "cssParser",
    "css",
    "csvdataset",
    "csvread",
    "document",
    "dynamic_tg",
    "file",
    "file_format",
    "function",
    "functions",
    "groovy",
    "hc",
    "htmlParser",
    "http",
    "http2AsyncController",
    "httpJettyClient",
    "httpclient",
    "httpclient4",
    "httpsampler",
    "https",
    "influxdb",
    "java",
    "javascript",
    "javax",
    "jdbc",
    "jdk",
    "jmeter",
    "jmeterengine",
    "jmeterPlugin",
    "jmeterplugin",
    "jms",
    "jpgc",
    "jsr223",
    "line",
    "locales",
    "log_file",
    "log_level",
    "mail",
    "mqtt",
    "os",
    "os_sampler",
    "path",
    "prometheus",
    "proxy",
    "response",
    "sampleresult",
    "server",
    "summariser",
    "sun",
    "swell",
    "system",
    "tcp",
    "user",
    "xml",
    "xpath",
];

/// Names without a point that they read.
const OF_TOOLS_WITHOUT_POINT: &[&str] = &[
    "HTTPSampler",
    "backend_metrics_large_window",
    "backend_metrics_percentile_estimator",
    "backend_metrics_window",
    "backend_metrics_window_mode",
    "cacheable_methods",
    "classpath",
    "cookies",
    "file_format",
    "forcePerfmonFile",
    "key_on_threadname",
    "language",
    "log_config",
    "log_file",
    "log_format",
    "log_format_type",
    "mode",
    "not_in_menu",
    "num_sample_threshold",
    "plugin_dependency_paths",
    "proxy_redirect_disabling_arguments",
    "remote_hosts",
    "sample_sender_class",
    "sample_sender_client_configured",
    "sample_variables",
    "search_paths",
    "server_port",
    "time_threshold",
];

/// The properties that a plan reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PropertiesRead {
    /// Names in functions and scripts that read them, with the defaults that are written there.
    names: BTreeMap<String, BTreeSet<String>>,
    /// Names in functions and scripts that set them.
    set: BTreeSet<String>,
    /// First parts of names that are put together while the test runs.
    starts: BTreeSet<String>,
    /// Something may read others as well: a name that is made while the test runs, a plug-in, a
    /// script that cannot be read.
    reads_more: bool,
}

/// What a text does with a property that it names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    Sets,
}

impl PropertiesRead {
    /// What this plan reads; its files lie in `dir`.
    pub fn of(root: &Node, dir: &Path) -> Self {
        let found = RefCell::new(Self::default());
        root.walk(&mut |node| {
            let element = &node.element;
            found.borrow_mut().take_element(element, dir);
            element.any_text(&|text| {
                found.borrow_mut().take(text);
                false
            });
        });
        found.into_inner()
    }

    /// Names that the plan reads, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The same with the defaults that the plan gives them.
    pub fn with_defaults(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        self.names.iter().map(|(name, defaults)| (name.as_str(), defaults.iter().map(String::as_str)))
    }

    /// Whether others may be read, whose names are known only while the test runs.
    pub fn reads_others(&self) -> bool {
        self.reads_more || !self.starts.is_empty()
    }

    /// Whether the plan names this property and reads it.
    pub fn names_property(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether something may read this property: the plan, or the tool itself. One that the plan
    /// sets it is thought to read.
    pub fn may_read(&self, name: &str) -> bool {
        let is_started = || self.starts.iter().any(|start| name.starts_with(start));
        let is_named = self.names.contains_key(name) || self.set.contains(name);
        self.reads_more || is_named || is_of_tools(name) || is_started()
    }

    /// The name that a typo may stand for.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names())
    }

    fn take_element(&mut self, element: &Element, dir: &Path) {
        let foreign = |name: &str| {
            element
                .text(name)
                .is_some_and(|class| !class.is_empty() && !class.starts_with("org.apache.jmeter."))
        };
        self.reads_more |= element.class.contains('.')
            || foreign("classname")
            || element.class == "IncludeController"
            || element.flag("displayJMeterProperties", false);
        let file = Some(element.script_file()).filter(|file| element.runs_script() && !file.is_empty());
        match file.map(|file| script(&dir.join(file))) {
            Some(Some(text)) => self.take(&text),
            Some(None) => self.reads_more = true,
            None => {}
        }
    }

    /// What a text reads.
    fn take(&mut self, text: &str) {
        if !text.contains("__") && !text.contains("prop") && !text.contains("JMeterUtils") {
            return;
        }
        self.reads_more |= MAKERS.iter().any(|maker| text.contains(maker)) || calls_unknown(text);
        for (call, default) in FUNCTIONS {
            for (at, _) in text.match_indices(call) {
                let rest = &text[at + call.len()..];
                self.take_argument(rest, Use::Reads);
                self.take_default(rest, default);
            }
        }
        for (at, call) in text.match_indices(SETTING_FUNCTION) {
            self.take_argument(&text[at + call.len()..], Use::Sets);
        }
        let whole = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        for (at, word) in text.match_indices("props").filter(|(at, _)| whole(*at)) {
            self.take_of_script(&text[at + word.len()..]);
        }
        for (_, after) in text.match_indices("JMeterUtils").map(|(at, word)| (at, &text[at + word.len()..])) {
            self.take_of_jmeter_utils(after);
        }
    }

    /// The first argument of a function.
    fn take_argument(&mut self, rest: &str, usage: Use) {
        let name = rest.split([',', ')']).next().unwrap_or_default().trim();
        match name.find("${").or_else(|| name.find('\\')) {
            Some(at) => self.take_start(&name[..at]),
            None if name.is_empty() => {}
            None => self.take_name(name, usage),
        }
    }

    /// The default in the arguments of a function, for the name that is their first.
    fn take_default(&mut self, rest: &str, place: Option<usize>) {
        let arguments = arguments(rest);
        let default = place.and_then(|place| arguments.get(place)).filter(|default| !default.is_empty());
        let defaults = arguments.first().and_then(|name| self.names.get_mut(*name));
        if let Some((defaults, default)) = defaults.zip(default)
            && defaults.len() < MOST_DEFAULTS
        {
            defaults.insert((*default).to_owned());
        }
    }

    fn take_name(&mut self, name: &str, usage: Use) {
        if usage == Use::Reads {
            self.names.entry(name.to_owned()).or_default();
        } else {
            self.set.insert(name.to_owned());
        }
    }

    /// A name of which only the start is known.
    fn take_start(&mut self, start: &str) {
        if start.is_empty() {
            self.reads_more = true;
        } else {
            self.starts.insert(start.to_owned());
        }
    }

    /// What follows `props` in a script: a name in a call that is known, or something that may read
    /// any.
    fn take_of_script(&mut self, rest: &str) {
        if let Some(argument) = CALLS.iter().find_map(|call| rest.strip_prefix(call)) {
            self.take_quoted(argument, Use::Reads);
        } else if let Some(argument) = SETTING_CALLS.iter().find_map(|call| rest.strip_prefix(call)) {
            self.take_quoted(argument, Use::Sets);
        } else if let Some(name) = field(rest) {
            self.take_name(name, Use::Reads);
        } else {
            self.reads_more |= rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_');
        }
    }

    /// What follows `JMeterUtils` in a script. Its other methods read what is the tool's.
    fn take_of_jmeter_utils(&mut self, rest: &str) {
        let Some(call) = rest.strip_prefix('.') else { return };
        if let Some(argument) = call.strip_prefix(SETTING_METHOD) {
            return self.take_quoted(argument, Use::Sets);
        }
        match OF_JMETER_UTILS.iter().find_map(|method| call.strip_prefix(method)) {
            Some(argument) => self.take_quoted(argument, Use::Reads),
            None => self.reads_more |= call.starts_with("getJMeterProperties") || call.starts_with('*'),
        }
    }

    /// An argument of a script that names a property.
    fn take_quoted(&mut self, rest: &str, usage: Use) {
        let rest = rest.trim_start();
        let quoted = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some((text, after)) = quoted.and_then(|quote| rest[1..].split_once(quote)) else {
            self.reads_more = true;
            return;
        };
        let is_whole = after.trim_start().starts_with([')', ',', ']']);
        match text.find(['$', '\\']) {
            Some(at) => self.take_start(&text[..at]),
            None if is_whole => self.take_name(text, usage),
            None => self.take_start(text),
        }
    }
}

/// The arguments of a call, up to its end, without the spaces around them. Calls inside are whole.
fn arguments(rest: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().take(MOST_ARGUMENTS) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ')' if depth == 0 => {
                found.push(rest[from..at].trim());
                break;
            }
            ',' if depth == 0 => {
                found.push(rest[from..at].trim());
                from = at + 1;
            }
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

/// The property that Groovy reads by `props.NAME`; none where a method is called.
fn field(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix('.')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let calls = rest[end..].trim_start().starts_with(['(', '{']);
    (end > 0 && !calls).then(|| &rest[..end])
}

/// What a plan reads that is ready to run.
pub(crate) fn properties_read(prepared: &Prepared) -> PropertiesRead {
    PropertiesRead::of(prepared.root(), &prepared.settings().run.plan_dir)
}

fn script(file: &Path) -> Option<String> {
    let is_small = std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= SCRIPT_MAX);
    is_small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// Whether a property is one that JMeter, its plug-ins or Swell read themselves.
fn is_of_tools(name: &str) -> bool {
    match name.split_once('.') {
        Some((first, _)) => OF_TOOLS.contains(&first) || OF_TOOLS_WITHOUT_POINT.contains(&first),
        None => OF_TOOLS_WITHOUT_POINT.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str, property: &str, text: &str) -> PropertiesRead {
        let element = Element::new(class, "x", "e").with_text(property, text);
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "p")).with(Node::new(element));
        PropertiesRead::of(&root, Path::new("."))
    }

    fn reads(text: &str) -> PropertiesRead {
        of("HTTPSamplerProxy", "HTTPSampler.path", text)
    }

    #[test]
    fn names_in_functions_are_read_and_others_are_not() {
        let found = reads("/${__P(seconds,10)}/${__property( users ,x,1)}/${__isPropDefined(a.b)} second");
        assert_eq!(found.names().collect::<Vec<_>>(), ["a.b", "seconds", "users"]);
        let table = [("seconds", true), ("users", true), ("a.b", true), ("second", false), ("a.c", false)];
        for (name, may) in table {
            assert_eq!(found.may_read(name), may, "{name}");
        }
        assert_eq!((found.nearest("second"), found.nearest("turnip")), (Some("seconds"), None));
        assert!(!reads("/").may_read("users"));
    }

    #[test]
    fn defaults_are_those_of_the_functions() {
        let found = reads(
            "${__P(seconds,10)} ${__P(seconds, 20)} ${__property(users,x,5)} ${__P(host)} \
             ${__isPropDefined(a)} ${__P(path,${__P(root,/a)}/b)} ${__P(list,1\\,2)} ${__P(open,1",
        );
        let all: Vec<_> =
            found.with_defaults().map(|(name, all)| (name, all.collect::<Vec<_>>().join("|"))).collect();
        let wanted = [
            ("a", ""),
            ("host", ""),
            ("list", "1\\,2"),
            ("open", ""),
            ("path", "${__P(root,/a)}/b"),
            ("root", "/a"),
            ("seconds", "10|20"),
            ("users", "5"),
        ];
        assert_eq!(all, wanted.map(|(name, default)| (name, default.to_owned())));
        assert!(!found.reads_others() && reads("${__P(${name})}").reads_others());
    }

    #[test]
    fn properties_of_the_tools_are_read_by_them() {
        let nothing = PropertiesRead::default();
        for name in ["jmeter.save.saveservice.output_format", "swell.workers", "httpclient4.retrycount"] {
            assert!(nothing.may_read(name), "{name}");
        }
        for name in ["remote_hosts", "sample_variables", "log_level.jmeter", "summariser.interval"] {
            assert!(nothing.may_read(name), "{name}");
        }
        assert!(!nothing.may_read("users") && !nothing.may_read("app.users"));
    }

    #[test]
    fn names_that_are_made_while_the_test_runs_may_be_any() {
        for text in
            ["${__P(${name})}", "${__eval(${x})}", "${__myOwn(x)}", "a ${__groovy(props.get(vars.get('x')))}"]
        {
            assert!(reads(text).may_read("any"), "{text}");
        }
        let script = |text| of("JSR223Sampler", "script", text);
        for text in [
            "props.each { }",
            "props.get(name)",
            "props.stringPropertyNames()",
            "f(props)",
            "props['$b']",
            "import static org.apache.jmeter.util.JMeterUtils.*",
            "JMeterUtils.getJMeterProperties().get('x')",
        ] {
            assert!(script(text).may_read("any"), "{text}");
        }
        for text in [
            "props.get(\"seconds\")",
            "props['seconds']",
            "props.getProperty('seconds', '1')",
            "int n = props.seconds as int",
            "import org.apache.jmeter.util.JMeterUtils\nJMeterUtils.getPropDefault(\"seconds\", 5)",
        ] {
            let found = script(text);
            assert!(found.may_read("seconds") && !found.may_read("second"), "{text}");
        }
        assert!(!script("log.info('my properties'); int props2 = 1").may_read("any"));
        assert!(of("com.example.Own", "x", "y").may_read("any"));
        assert!(of("JavaSampler", "classname", "com.example.Own").may_read("any"));
    }

    #[test]
    fn what_a_plan_only_sets_it_does_not_name_as_read() {
        let scripts = ["props.put('a', '1')", "props.remove('a')", "JMeterUtils.setProperty(\"a\", \"1\")"];
        let of_scripts = scripts.map(|text| of("JSR223Sampler", "script", text));
        for found in of_scripts.into_iter().chain([reads("${__setProperty(a,1)}")]) {
            assert!(found.may_read("a") && !found.may_read("b"), "{found:?}");
            assert!(!found.names_property("a") && found.names().next().is_none(), "{found:?}");
        }
        let script = of("JSR223Sampler", "script", "props.get('a'); props.each { }");
        assert!(script.names_property("a") && !script.names_property("b") && script.may_read("b"));
    }

    #[test]
    fn names_that_are_put_together_begin_as_the_text_says() {
        for found in [
            reads("${__P(user_${__threadNum})}"),
            of("JSR223Sampler", "script", "props.get(\"user_\" + i)"),
            of("JSR223Sampler", "script", "props[\"user_${i}\"]"),
        ] {
            assert!(found.may_read("user_1") && !found.may_read("usr_1"), "{found:?}");
        }
    }

    #[test]
    fn scripts_in_files_are_looked_into() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("a.groovy"), "props.get('seconds')").expect("written");
        let of_file = |class: &str, property: &str, file: &str| {
            let element = Element::new(class, "x", "e").with_text(property, file);
            PropertiesRead::of(&Node::new(element), dir.path())
        };
        for (class, property) in
            [("JSR223Sampler", "filename"), ("BeanShellSampler", "BeanShellSampler.filename")]
        {
            let found = of_file(class, property, "a.groovy");
            assert!(found.may_read("seconds") && !found.may_read("second"), "{class}");
            assert!(of_file(class, property, "none.groovy").may_read("second"), "{class}");
        }
    }
}
