//! Samplers.

use super::Kind::Sampler;
use super::property::{choice, flag, list, text, whole};
use super::scripts::{RUNS_SCRIPT, SCRIPT_LIMITS};
use super::{Departure, Entry};

/// Of the implementation `Java` (`HTTPJavaImpl`), which is Java's `HttpURLConnection`.
pub(super) const JAVA_CLIENT: &str = "it is sent as `HttpClient4` sends it, so `User-Agent`, `Accept`, `Content-Type` of parameters and sentBytes differ from those of `Java`";

const SCRIPT: &str = "it runs a script";
const PROTOCOL: &str = "this protocol is not there yet";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        Sampler,
        "HTTPSamplerProxy",
        "HTTP Request",
        "One HTTP/1.1 request with redirects, cookies, cache, authorization and TLS, as JMeter's HttpClient4 makes it.",
    )
    .properties(&[
        text("HTTPSampler.protocol", "http", "`http` or `https`."),
        text("HTTPSampler.domain", "", "Host name or address."),
        whole("HTTPSampler.port", "", "80 or 443", ""),
        text("HTTPSampler.path", "", "A whole URL here overrides protocol, host and port."),
        text("HTTPSampler.method", "GET", ""),
        text("HTTPSampler.contentEncoding", "", "Charset of parameters and bodies."),
        list("HTTPsampler.Arguments", "`HTTPArgument`", "Parameters, or the body."),
        flag("HTTPSampler.postBodyRaw", false, "The arguments are the body."),
        list("HTTPsampler.Files", "`HTTPFileArg`", "Files to send."),
        flag("HTTPSampler.DO_MULTIPART_POST", false, ""),
        flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", false, ""),
        flag("HTTPSampler.follow_redirects", false, "Redirects are sub-samples."),
        flag("HTTPSampler.auto_redirects", false, "Redirects are followed unseen."),
        flag("HTTPSampler.use_keepalive", false, ""),
        whole("HTTPSampler.connect_timeout", "ms", "0", "0: the system's."),
        whole("HTTPSampler.response_timeout", "ms", "0", "Of silence; 0: none."),
        text("HTTPSampler.ipSource", "", "Local address to send from."),
        choice("HTTPSampler.ipSourceType", &["0", "1", "2", "3"], "0", "It is a host or address; a device; the IPv4 or the IPv6 address of a device."),
        text("HTTPSampler.proxyHost", "", "With `HTTPSampler.proxyPort`."),
        text("HTTPSampler.proxyUser", "", "With `HTTPSampler.proxyPass`, for a proxy that asks."),
        flag("HTTPSampler.md5", false, "The body is its MD5 digest."),
        flag("HTTPSampler.image_parser", false, "The resources of pages are fetched, as sub-samples."),
        flag("HTTPSampler.concurrentDwn", false, "Several at once, on connections of their own."),
        whole("HTTPSampler.concurrentPool", "", "6", "How many at once."),
        text("HTTPSampler.embedded_url_re", "", "Their URLs must match it."),
        text("HTTPSampler.embedded_url_exclude_re", "", "Their URLs must not match it."),
    ])
    .differs(&[
        "A sample ends when its last byte arrives at the kernel.",
        "The body of an error sample is one line, not a Java stack trace.",
        "Of a body at most 64 MiB are kept and decoded, and all users together keep 256 MiB and 1 MiB for each (`response.max_bytes`, `response.max_bytes_total`); the rest is counted.",
        "The property `http.total_timeout` limits the time of a sample, redirects and embedded resources included, in ms; off unless it is set.",
        "The boundary of a multipart body is new for each change of the sampler's texts or files.",
    ])
    .departs(Departure {
        property: "HTTPSampler.implementation",
        run_property: "jmeter.httpsampler",
        value: "Java",
        what: JAVA_CLIENT,
    }),
    Entry::native(Sampler, "TestAction", "Flow Control Action", "Pauses, stops, or leaves a loop; makes no sample.")
        .properties(&[
            choice("ActionProcessor.action", &["0", "1", "2", "3", "4", "5"], "0", "Stop test, pause, stop test now, next thread loop, next iteration, break."),
            choice("ActionProcessor.target", &["0", "1", "2"], "0", "This user or the test."),
            whole("ActionProcessor.duration", "ms", "0", "Of a pause."),
        ]),
    Entry::native(Sampler, "DebugSampler", "Debug Sampler", "A sample that shows variables and properties.").properties(&[
        flag("displayJMeterVariables", false, ""),
        flag("displayJMeterProperties", false, ""),
        flag("displaySystemProperties", false, "There are no Java system properties: the list is empty."),
    ]),
    Entry::native(
        Sampler,
        "JavaSampler",
        "Java Request",
        "Only with JMeter's own test classes `JavaTest` and `SleepTest`; others are refused.",
    )
    .properties(&[
        text("classname", "", "`org.apache.jmeter.protocol.java.test.JavaTest` or `…SleepTest`."),
        list("arguments", "`Argument`", "Parameters of the class."),
    ]),
    Entry::native(Sampler, "JSR223Sampler", "JSR223 Sampler", RUNS_SCRIPT).properties(&[
        text("scriptLanguage", "groovy", "`groovy`, `beanshell`, `bsh` or `java`."),
        text("cacheKey", "", "`false`: references in the script are evaluated each time, not once a user."),
        text("script", "", "The script."),
        text("parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::native(Sampler, "BeanShellSampler", "BeanShell Sampler", RUNS_SCRIPT).properties(&[
        text("BeanShellSampler.query", "", "The script."),
        text("BeanShellSampler.parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::needs_jvm(Sampler, "BSFSampler", "BSF Sampler", SCRIPT),
    Entry::needs_jvm(Sampler, "JUnitSampler", "JUnit Request", "it runs Java classes"),
    Entry::needs_jvm(Sampler, "JDBCSampler", "JDBC Request", "it talks to databases through Java drivers"),
    Entry::needs_jvm(Sampler, "JMSSampler", "JMS Point-to-Point", "it talks through Java message services"),
    Entry::needs_jvm(Sampler, "PublisherSampler", "JMS Publisher", "it talks through Java message services"),
    Entry::needs_jvm(Sampler, "SubscriberSampler", "JMS Subscriber", "it talks through Java message services"),
    Entry::native(Sampler, "TCPSampler", "TCP Sampler", "Sends a text over a TCP connection and reads an answer.")
        .properties(&[
            text("TCPSampler.classname", "property `tcp.handler`, `TCPClientImpl`", "`TCPClientImpl`, `BinaryTCPClientImpl` or `LengthPrefixedBinaryTCPClientImpl`."),
            text("TCPSampler.server", "", "Empty: this machine."),
            whole("TCPSampler.port", "", "0", ""),
            text("TCPSampler.request", "", "Hexadecimal digits for the binary clients."),
            flag("TCPSampler.reUseConnection", true, "Connections are kept by server, port, user and password."),
            flag("TCPSampler.closeConnection", false, "Closed after each sample all the same."),
            flag("TCPSampler.nodelay", false, ""),
            whole("TCPSampler.soLinger", "s", "", "0: closing resets."),
            whole("TCPSampler.EolByte", "", "properties `tcp.eolByte`, `tcp.BinaryTCPClient.eomByte`", "-128 to 127 ends an answer that stands at the end of a read; others: the end of the connection does."),
            whole("TCPSampler.ctimeout", "ms", "0", "To connect; 0: the system's."),
            whole("TCPSampler.timeout", "ms", "0", "Of silence; 0: none."),
        ])
        .differs(&[
            "A sample ends when its last byte arrives at the kernel.",
            "The length prefix and its message go out in one send.",
            "Closing with a linger time does not wait for it.",
            "Clients of the user's own are refused.",
            "Of an answer at most 64 MiB are kept (`response.max_bytes`); the rest is counted.",
        ]),
    Entry::native(
        Sampler,
        "SystemSampler",
        "OS Process Sampler",
        "Runs a program of this machine; each on a thread of its own, so that no other user waits.",
    )
    .properties(&[
        text("SystemSampler.command", "", ""),
        list("SystemSampler.arguments", "`Argument`", "Values."),
        list("SystemSampler.environment", "`Argument`", "Names and values, added to Swell's own environment."),
        text("SystemSampler.directory", "Swell's own", "Working directory."),
        text("SystemSampler.stdin", "", "A file; empty: nothing to read."),
        text("SystemSampler.stdout", "", "A file; empty: the output is the response."),
        text("SystemSampler.stderr", "", "A file; empty: with the output."),
        flag("SystemSampler.checkReturnCode", false, ""),
        whole("SystemSampler.expectedReturnCode", "", "0", ""),
        whole("SystemSampler.timeout", "ms", "0", "The program is told to end; 0: none."),
    ])
    .differs(&[
        "The program has a process group of its own: Ctrl-C ends the test, and only a test that is cut ends the program.",
        "Of the output at most 64 MiB are kept (`response.max_bytes`); the rest is counted.",
    ]),
    Entry::unsupported(Sampler, "FTPSampler", "FTP Request", PROTOCOL),
    Entry::unsupported(Sampler, "LDAPSampler", "LDAP Request", PROTOCOL),
    Entry::unsupported(Sampler, "LDAPExtSampler", "LDAP Extended Request", PROTOCOL),
    Entry::unsupported(Sampler, "SmtpSampler", "SMTP Sampler", PROTOCOL),
    Entry::unsupported(Sampler, "MailReaderSampler", "Mail Reader Sampler", PROTOCOL),
    Entry::unsupported(Sampler, "AjpSampler", "AJP/1.3 Sampler", PROTOCOL),
    Entry::unsupported(Sampler, "AccessLogSampler", "Access Log Sampler", "not there yet"),
    Entry::unsupported(Sampler, "BoltSampler", "Bolt Request", PROTOCOL),
    Entry::unsupported(Sampler, "MongoScriptSampler", "MongoDB Script", "JMeter has it no more"),
    Entry::unsupported(Sampler, "SoapSampler", "SOAP/XML-RPC Request", "JMeter has it no more; use HTTP Request"),
    Entry::unsupported(Sampler, "WebServiceSampler", "WebService(SOAP) Request", "JMeter has it no more; use HTTP Request"),
];
