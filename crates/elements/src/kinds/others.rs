//! Elements of JMeter and of common plug-ins that are ignored, or that make Swell refuse a plan,
//! with the reason.

use swell_api::Role::{Assertion, Config, Listener, Plan, PostProcessor, PreProcessor, Sampler, Timer};
use swell_api::{
    CONFIG_TEST_ELEMENT, ElementKind, FileProperty, FileUse, Role, VariableProperty, VariableUse,
};

const RECORDING: &str = "it is for recording and does not affect a run";
const NO_READER: &str = "only elements that run in the JVM read it";
const SCRIPT: &str = "it runs a script";
const MESSAGES: &str = "it uses the Java Message Service (JMS)";
const DATABASES: &str = "it uses JDBC drivers";
const SAXON: &str = "Saxon evaluates XPath 2";
pub(super) const JMESPATH_EXTRACTOR: &str = "JMESPathExtractor";
const JMESPATH: &str = "jmespath-java evaluates JMESPath";
pub(super) const JTIDY: &str = "JTidy reads pages";
const PLUG_IN: &str = "it belongs to a plug-in";
const GONE: &str = "JMeter removed it";

/// What an element does with variables whose code is in a Java class.
const BY_CODE: &[VariableProperty] = &[("", VariableUse::Anything)];
/// The columns of a query, and the object that has them all.
const COLUMNS: &[VariableProperty] =
    &[("variableNames", VariableUse::SetsList(',')), ("resultVariable", VariableUse::Sets)];
/// The script of an element.
const SCRIPT_FILE: &[FileProperty] = &[("filename", FileUse::Read)];
/// The file that a collector writes.
const COLLECTED: &[FileProperty] = &[("filename", FileUse::Write)];
/// The results file of a collector that writes JMeter's own.
const RESULTS: &[FileProperty] = &[("filename", FileUse::WriteResults)];
const TRUST_STORE: (&str, FileUse) = ("SMTPSampler.trustStoreToUse", FileUse::Read);
const MAIL: &[FileProperty] = &[
    ("SMTPSampler.attachFile", FileUse::ReadList(';')),
    ("SMTPSampler.emlMessageToSend", FileUse::Read),
    TRUST_STORE,
];

/// All of them.
pub(super) fn kinds() -> impl Iterator<Item = ElementKind> {
    [ignored_configs(), ignored_listeners(), for_the_jvm(), refused()].into_iter().flatten()
}

fn ignored(role: Role, class: &'static str, name: &'static str, why: &'static str) -> ElementKind {
    ElementKind::ignored(role, class, name, why)
}

fn needs_jvm(role: Role, class: &'static str, name: &'static str, why: &'static str) -> ElementKind {
    ElementKind::needs_jvm(role, class, name, why)
}

fn unsupported(role: Role, class: &'static str, name: &'static str, why: &'static str) -> ElementKind {
    ElementKind::unsupported(role, class, name, why)
}

fn ignored_configs() -> Vec<ElementKind> {
    let for_recording = [
        ignored(Plan, "WorkBench", "WorkBench", RECORDING),
        ignored(Plan, "ProxyControl", "HTTP(S) Test Script Recorder", RECORDING),
        ignored(Plan, "HttpMirrorControl", "HTTP Mirror Server", "it is a server and does not affect a run"),
        ignored(Plan, "PropertyControlGui", "Property Display", "it only displays results in JMeter's GUI"),
    ];
    let of_other_samplers = [
        ignored(Config, CONFIG_TEST_ELEMENT, "Defaults of other samplers", NO_READER).guis(&[
            "FtpConfigGui",
            "LdapConfigGui",
            "LdapExtConfigGui",
            "JndiDefaultsGui",
            "JMSConfigGui",
        ]),
        ignored(Config, "LoginConfig", "Login Config Element (old)", NO_READER),
        ignored(Config, "JavaConfig", "Java Request Defaults", NO_READER),
        ignored(Config, "JDBCDataSource", "JDBC Connection Configuration", NO_READER),
        ignored(Config, "BoltConnectionElement", "Bolt Connection Configuration", NO_READER),
        ignored(Config, "MongoSourceElement", "MongoDB Source Config", NO_READER),
        ignored(
            Config,
            "com.github.johrstrom.config.PrometheusMetricsConfig",
            "Prometheus Metrics",
            "only scripts write its metrics",
        ),
        ignored(
            Config,
            "com.googlecode.jmeter.plugins.webdriver.config.ChromeDriverConfig",
            "jp@gc - browser driver configs",
            NO_READER,
        )
        .also(&[
            "com.googlecode.jmeter.plugins.webdriver.config.FirefoxDriverConfig",
            "com.googlecode.jmeter.plugins.webdriver.config.RemoteDriverConfig",
        ]),
    ];
    let of_other_samplers = of_other_samplers.map(ElementKind::unless_provided);
    for_recording.into_iter().chain(of_other_samplers).collect()
}

fn ignored_listeners() -> Vec<ElementKind> {
    let mut all = vec![
        ignored(
            Listener,
            "RemoteListenerWrapper",
            "Wrappers of distributed runs",
            "plans do not contain them directly",
        )
        .also(&[
            "RemoteSampleListenerWrapper",
            "RemoteTestListenerWrapper",
            "RemoteThreadsListenerWrapper",
        ]),
        ignored(
            Listener,
            "kg.apc.jmeter.reporters.ConsoleStatusLogger",
            "jp@gc - Console Status Logger",
            "Swell shows its own summary lines",
        ),
    ];
    let for_the_jvm = [
        ignored(Listener, "MailerResultCollector", "Mailer Visualizer", "no mail is sent").files(RESULTS),
        ignored(
            Listener,
            "kg.apc.jmeter.perfmon.PerfMonCollector",
            "jp@gc - PerfMon Metrics Collector, JMX Monitor, DB Monitor",
            "the agents on the servers are not queried",
        )
        .also(&["kg.apc.jmeter.jmxmon.JMXMonCollector", "kg.apc.jmeter.dbmon.DbMonCollector"])
        .files(COLLECTED),
        ignored(
            Listener,
            "kg.apc.jmeter.listener.GraphsGeneratorListener",
            "jp@gc - Graphs Generator",
            "it draws graphs after the test; `swell run -e -o DIR` generates a report",
        ),
        ignored(
            Listener,
            "kg.apc.jmeter.reporters.LoadosophiaUploader",
            "bzm - BlazeMeter Sense and BlazeMeter Uploader",
            "nothing is uploaded",
        )
        .also(&["kg.apc.jmeter.reporters.bzm.BlazeMeterUploader"]),
        ignored(
            Listener,
            "com.blazemeter.jmeter.RotatingResultCollector",
            "bzm - Rotating JTL Listener",
            "rotating files are not written; use -l",
        )
        .files(RESULTS),
    ];
    all.extend(for_the_jvm.map(ElementKind::unless_provided));
    all
}

fn for_the_jvm() -> Vec<ElementKind> {
    vec![
        needs_jvm(Sampler, "BSFSampler", "BSF Sampler", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(Sampler, "JUnitSampler", "JUnit Request", "it runs Java classes").variables(BY_CODE),
        needs_jvm(Sampler, "JDBCSampler", "JDBC Request", DATABASES).variables(COLUMNS),
        needs_jvm(Sampler, "JMSSampler", "JMS Point-to-Point", MESSAGES),
        needs_jvm(Sampler, "PublisherSampler", "JMS Publisher", MESSAGES)
            .files(&[("jms.input_file", FileUse::Read)]),
        needs_jvm(Sampler, "SubscriberSampler", "JMS Subscriber", MESSAGES),
        // An upload reads it, a download writes it.
        needs_jvm(Sampler, "FTPSampler", "FTP Request", "it uses FTP")
            .files(&[("FTPSampler.localfilename", FileUse::Read)]),
        needs_jvm(Sampler, "LDAPSampler", "LDAP Request", "it uses LDAP"),
        needs_jvm(Sampler, "LDAPExtSampler", "LDAP Extended Request", "it uses LDAP"),
        needs_jvm(Sampler, "SmtpSampler", "SMTP Sampler", "it sends mail").files(MAIL),
        needs_jvm(Sampler, "MailReaderSampler", "Mail Reader Sampler", "it reads mail").files(&[TRUST_STORE]),
        needs_jvm(Sampler, "AjpSampler", "AJP/1.3 Sampler", "it uses AJP"),
        needs_jvm(Sampler, "AccessLogSampler", "Access Log Sampler", "it reads access logs")
            .files(&[("logFile", FileUse::Read)]),
        needs_jvm(Sampler, "BoltSampler", "Bolt Request", "it uses Neo4j"),
        needs_jvm(Timer, "BSFTimer", "BSF Timer", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(PreProcessor, "BSFPreProcessor", "BSF PreProcessor", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(PreProcessor, "JDBCPreProcessor", "JDBC PreProcessor", DATABASES).variables(COLUMNS),
        needs_jvm(PostProcessor, "BSFPostProcessor", "BSF PostProcessor", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(PostProcessor, "JDBCPostProcessor", "JDBC PostProcessor", DATABASES).variables(COLUMNS),
        needs_jvm(Assertion, "BSFAssertion", "BSF Assertion", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(Listener, "JSR223Listener", "JSR223 Listener", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(Listener, "BeanShellListener", "BeanShell Listener", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(Listener, "BSFListener", "BSF Listener", SCRIPT).files(SCRIPT_FILE),
        needs_jvm(
            Sampler,
            "com.blazemeter.jmeter.http.ParallelHTTPSampler",
            "bzm - Parallel HTTP Requests",
            PLUG_IN,
        ),
        needs_jvm(
            PostProcessor,
            "kg.apc.jmeter.modifiers.DummySubPostProcessor",
            "jp@gc - Dummy Subresult",
            PLUG_IN,
        ),
        needs_jvm(PostProcessor, "XPath2Extractor", "XPath2 Extractor", SAXON)
            .variables(&[("XPathExtractor2.refname", VariableUse::Sets)]),
        needs_jvm(Assertion, "XPath2Assertion", "XPath2 Assertion", SAXON),
        needs_jvm(PostProcessor, JMESPATH_EXTRACTOR, "JSON JMESPath Extractor", JMESPATH)
            .variables(&[("JMESExtractor.referenceName", VariableUse::SetsList(';'))]),
        needs_jvm(Assertion, "JMESPathAssertion", "JSON JMESPath Assertion", JMESPATH),
        needs_jvm(Assertion, "XMLSchemaAssertion", "XML Schema Assertion", "Xerces reads schemas")
            .files(&[("xmlschema_assertion_filename", FileUse::Read)]),
        needs_jvm(Assertion, "HTMLAssertion", "HTML Assertion", JTIDY)
            .files(&[("html_assertion_filename", FileUse::Write)]),
        needs_jvm(Assertion, "SMIMEAssertion", "SMIME Assertion", "it reads signatures of mails")
            .files(&[("SMIMEAssert.signerCertFile", FileUse::Read)]),
        needs_jvm(Listener, "kg.apc.jmeter.reporters.AutoStop", "jp@gc - AutoStop Listener", PLUG_IN),
    ]
}

fn refused() -> Vec<ElementKind> {
    vec![
        unsupported(Sampler, "MongoScriptSampler", "MongoDB Script", GONE),
        unsupported(Sampler, "SoapSampler", "SOAP/XML-RPC Request", "JMeter removed it; use HTTP Request"),
        unsupported(
            Sampler,
            "WebServiceSampler",
            "WebService(SOAP) Request",
            "JMeter removed it; use HTTP Request",
        ),
        unsupported(PreProcessor, "UserParameterModifier", "HTTP User Parameter Modifier", GONE),
        unsupported(PreProcessor, "ParamModifier", "HTML Parameter Mask", GONE),
    ]
}
