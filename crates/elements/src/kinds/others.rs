//! Elements of JMeter and of common plug-ins that are ignored or with which a plan is refused, and why.

use swell_api::Role::{Assertion, Config, Listener, Plan, PostProcessor, PreProcessor, Sampler, Timer};
use swell_api::{CONFIG_TEST_ELEMENT, ElementKind, Role};

const RECORDING: &str = "it is for recording and takes no part in a run";
const NO_READER: &str = "no sampler that is supported reads it";
const SCRIPT: &str = "it runs a script";
const MESSAGES: &str = "it talks through Java message services";
const DATABASES: &str = "it talks to databases through Java drivers";
const PROTOCOL: &str = "this protocol is not there yet";
const LATER: &str = "not there yet";
const GONE: &str = "JMeter has it no more";

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
    vec![
        ignored(Plan, "WorkBench", "WorkBench", RECORDING),
        ignored(Plan, "ProxyControl", "HTTP(S) Test Script Recorder", RECORDING),
        ignored(Plan, "HttpMirrorControl", "HTTP Mirror Server", "it is a server and takes no part in a run"),
        ignored(Plan, "PropertyControlGui", "Property Display", "it shows something in JMeter's window"),
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
    ]
}

fn ignored_listeners() -> Vec<ElementKind> {
    vec![
        ignored(
            Listener,
            "RemoteListenerWrapper",
            "Wrappers of distributed runs",
            "plans do not hold them by themselves",
        )
        .also(&[
            "RemoteSampleListenerWrapper",
            "RemoteTestListenerWrapper",
            "RemoteThreadsListenerWrapper",
        ]),
        ignored(Listener, "MailerResultCollector", "Mailer Visualizer", "no mail is sent"),
        ignored(
            Listener,
            "kg.apc.jmeter.perfmon.PerfMonCollector",
            "jp@gc - PerfMon Metrics Collector, JMX Monitor, DB Monitor",
            "the agents on the servers are not asked",
        )
        .also(&["kg.apc.jmeter.jmxmon.JMXMonCollector", "kg.apc.jmeter.dbmon.DbMonCollector"]),
        ignored(
            Listener,
            "kg.apc.jmeter.listener.GraphsGeneratorListener",
            "jp@gc - Graphs Generator",
            "it draws graphs after the test; `swell run -e -o` has a report",
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
            "kg.apc.jmeter.reporters.ConsoleStatusLogger",
            "jp@gc - Console Status Logger",
            "Swell shows its own summary lines",
        ),
        ignored(
            Listener,
            "com.blazemeter.jmeter.RotatingResultCollector",
            "bzm - Rotating JTL Listener",
            "files that rotate are not written; use -l",
        ),
    ]
}

fn for_the_jvm() -> Vec<ElementKind> {
    vec![
        needs_jvm(Sampler, "BSFSampler", "BSF Sampler", SCRIPT),
        needs_jvm(Sampler, "JUnitSampler", "JUnit Request", "it runs Java classes"),
        needs_jvm(Sampler, "JDBCSampler", "JDBC Request", DATABASES),
        needs_jvm(Sampler, "JMSSampler", "JMS Point-to-Point", MESSAGES),
        needs_jvm(Sampler, "PublisherSampler", "JMS Publisher", MESSAGES),
        needs_jvm(Sampler, "SubscriberSampler", "JMS Subscriber", MESSAGES),
        needs_jvm(Timer, "BSFTimer", "BSF Timer", SCRIPT),
        needs_jvm(PreProcessor, "BSFPreProcessor", "BSF PreProcessor", SCRIPT),
        needs_jvm(PreProcessor, "JDBCPreProcessor", "JDBC PreProcessor", DATABASES),
        needs_jvm(PostProcessor, "BSFPostProcessor", "BSF PostProcessor", SCRIPT),
        needs_jvm(PostProcessor, "JDBCPostProcessor", "JDBC PostProcessor", DATABASES),
        needs_jvm(Assertion, "BSFAssertion", "BSF Assertion", SCRIPT),
        needs_jvm(Listener, "JSR223Listener", "JSR223 Listener", SCRIPT),
        needs_jvm(Listener, "BeanShellListener", "BeanShell Listener", SCRIPT),
        needs_jvm(Listener, "BSFListener", "BSF Listener", SCRIPT),
    ]
}

fn refused() -> Vec<ElementKind> {
    vec![
        unsupported(Sampler, "FTPSampler", "FTP Request", PROTOCOL),
        unsupported(Sampler, "LDAPSampler", "LDAP Request", PROTOCOL),
        unsupported(Sampler, "LDAPExtSampler", "LDAP Extended Request", PROTOCOL),
        unsupported(Sampler, "SmtpSampler", "SMTP Sampler", PROTOCOL),
        unsupported(Sampler, "MailReaderSampler", "Mail Reader Sampler", PROTOCOL),
        unsupported(Sampler, "AjpSampler", "AJP/1.3 Sampler", PROTOCOL),
        unsupported(Sampler, "AccessLogSampler", "Access Log Sampler", LATER),
        unsupported(Sampler, "BoltSampler", "Bolt Request", PROTOCOL),
        unsupported(Sampler, "MongoScriptSampler", "MongoDB Script", GONE),
        unsupported(
            Sampler,
            "SoapSampler",
            "SOAP/XML-RPC Request",
            "JMeter has it no more; use HTTP Request",
        ),
        unsupported(
            Sampler,
            "WebServiceSampler",
            "WebService(SOAP) Request",
            "JMeter has it no more; use HTTP Request",
        ),
        unsupported(
            Sampler,
            "com.blazemeter.jmeter.http.ParallelHTTPSampler",
            "bzm - Parallel HTTP Requests",
            LATER,
        ),
        unsupported(PreProcessor, "UserParameterModifier", "HTTP User Parameter Modifier", GONE),
        unsupported(PreProcessor, "ParamModifier", "HTML Parameter Mask", GONE),
        unsupported(
            PostProcessor,
            "kg.apc.jmeter.modifiers.DummySubPostProcessor",
            "jp@gc - Dummy Subresult",
            LATER,
        ),
        unsupported(Assertion, "SMIMEAssertion", "SMIME Assertion", LATER),
        unsupported(Listener, "kg.apc.jmeter.reporters.AutoStop", "jp@gc - AutoStop Listener", LATER),
    ]
}
