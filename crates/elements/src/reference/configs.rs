//! Config elements.

use super::Kind::{Config, IterationElement};
use super::property::{choice, flag, list, text, whole};
use super::samplers::JAVA_CLIENT;
use super::{Departure, Entry};

const NO_READER: &str = "no sampler that is supported reads it";
const HTTP_DEFAULTS: &[&str] = &["HttpDefaultsGui"];

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        Config,
        "Arguments",
        "User Defined Variables",
        "Variables of all users, evaluated once before the run.",
    )
    .properties(&[list("Arguments.arguments", "`Argument`", "Names and values.")]),
    Entry::native(
        Config,
        "ConfigTestElement",
        "HTTP Request Defaults",
        "Properties of HTTP Requests in its scope that are empty there; the same names.",
    )
    .guis(HTTP_DEFAULTS)
    .departs(Departure {
        property: "HTTPSampler.implementation",
        run_property: "",
        value: "Java",
        what: JAVA_CLIENT,
    }),
    Entry::native(
        Config,
        "ConfigTestElement",
        "TCP Sampler Config",
        "Properties of TCP Samplers in its scope that are empty there; the same names.",
    )
    .guis(&["TCPConfigGui"]),
    Entry::native(
        Config,
        "ConfigTestElement",
        "Login Config Element",
        "User and password of samplers in its scope that have none.",
    )
    .guis(&["LoginConfigGui"])
    .properties(&[text("ConfigTestElement.username", "", ""), text("ConfigTestElement.password", "", "")]),
    Entry::native(
        Config,
        "ConfigTestElement",
        "Simple Config Element",
        "Any properties of samplers in its scope that are empty there; the same names.",
    )
    .guis(&["SimpleConfigGui"]),
    Entry::ignored(Config, "ConfigTestElement", "Defaults of other samplers", NO_READER).guis(&[
        "FtpConfigGui",
        "LdapConfigGui",
        "LdapExtConfigGui",
        "JndiDefaultsGui",
        "JMSConfigGui",
    ]),
    Entry::ignored(Config, "LoginConfig", "Login Config Element (old)", NO_READER),
    Entry::native(
        Config,
        "HeaderManager",
        "HTTP Header Manager",
        "Headers of HTTP Requests in its scope; inner ones win.",
    )
    .properties(&[list("HeaderManager.headers", "`Header`", "Names and values.")]),
    Entry::native(Config, "CookieManager", "HTTP Cookie Manager", "A cookie store for each user.")
        .properties(&[
            list("CookieManager.cookies", "`Cookie`", "Cookies that each user starts with."),
            choice(
                "CookieManager.policy",
                &["standard", "standard-strict", "netscape", "default", "compatibility", "ignoreCookies"],
                "standard",
                "",
            ),
            flag("CookieManager.clearEachIteration", false, ""),
            flag("CookieManager.controlledByThreadGroup", false, "Cleared as the thread group says."),
        ]),
    Entry::native(Config, "CacheManager", "HTTP Cache Manager", "A cache for each user.").properties(&[
        flag("clearEachIteration", false, ""),
        flag("useExpires", false, "Entries that are fresh are not asked for."),
        whole("maxSize", "entries", "5000", ""),
        flag("CacheManager.controlledByThread", false, "Cleared as the thread group says."),
    ]),
    Entry::native(
        Config,
        "AuthManager",
        "HTTP Authorization Manager",
        "Basic and Digest credentials by URL.",
    )
    .properties(&[
        list("AuthManager.auth_list", "`Authorization`", "URL, user, password, domain, realm, mechanism."),
        flag("AuthManager.clearEachIteration", false, ""),
        flag("AuthManager.controlledByThreadGroup", false, ""),
    ])
    .differs(&["Kerberos is refused."]),
    Entry::native(Config, "DNSCacheManager", "DNS Cache Manager", "Addresses of names, for each user.")
        .properties(&[
            list("DNSCacheManager.hosts", "`StaticHost`", "Names with their addresses."),
            flag("DNSCacheManager.clearEachIteration", false, "Names are looked up anew in each iteration."),
            flag("DNSCacheManager.isCustomResolver", false, "The servers are asked instead of the system."),
            list("DNSCacheManager.servers", "names", "Names or addresses of servers; Swell takes `address:port`, too."),
        ]),
    Entry::native(
        Config,
        "KeystoreConfig",
        "Keystore Configuration",
        "Which key of the run's key store (`javax.net.ssl.keyStore`, JKS or PKCS #12) is shown to sites that ask.",
    )
    .properties(&[
        text("clientCertAliasVarName", "", "Variable that holds the alias. Empty: the keys take turns."),
        whole("startIndex", "", "0", "Place of the first key."),
        whole("endIndex", "", "-1", "Place of the last key; -1: no last one."),
        flag("preload", true, "The store is read before the run in any case."),
    ])
    .differs(&["It counts for the samplers in its scope, not for the whole plan."]),
    Entry::native(
        IterationElement,
        "CSVDataSet",
        "CSV Data Set Config",
        "Variables from the lines of a file.",
    )
    .properties(&[
        text("filename", "", "From the folder of the plan."),
        text("fileEncoding", "", "Empty: the system's."),
        text("variableNames", "", "Separated by `,`. Empty: the first line of the file has them."),
        flag("ignoreFirstLine", false, "Where names are given."),
        text("delimiter", ",", "`\\t` is a tab."),
        flag("quotedData", false, "Values may stand in `\"`."),
        flag("recycle", false, "Starts again at the end."),
        flag("stopThread", false, "Without recycling, users stop at the end; else values are `<EOF>`."),
        choice(
            "shareMode",
            &["shareMode.all", "shareMode.group", "shareMode.thread"],
            "shareMode.all",
            "Or a name: all data sets of that name read on from each other.",
        ),
    ])
    .differs(&[
        "A file that is not there is refused before the run; JMeter's users end with a line in the log.",
    ]),
    Entry::native(IterationElement, "CounterConfig", "Counter", "A variable that counts iterations.")
        .properties(&[
            text("CounterConfig.name", "", "The variable."),
            whole("CounterConfig.start", "", "0", ""),
            whole("CounterConfig.end", "", "9223372036854775807", "Starts again after it."),
            whole("CounterConfig.incr", "", "0", ""),
            text("CounterConfig.format", "", "As Java's DecimalFormat: `000`."),
            flag("CounterConfig.per_user", false, "Each user counts by itself."),
            flag("CounterConfig.reset_on_tg_iteration", false, ""),
        ]),
    Entry::native(
        IterationElement,
        "RandomVariableConfig",
        "Random Variable",
        "A variable with a random number.",
    )
    .properties(&[
        text("variableName", "", ""),
        whole("minimumValue", "", "", ""),
        whole("maximumValue", "", "", ""),
        text("outputFormat", "", "As Java's DecimalFormat."),
        whole("randomSeed", "", "", "The numbers are those of Java's Random."),
        flag("perThread", false, "Each user draws by itself."),
    ]),
    Entry::ignored(Config, "JavaConfig", "Java Request Defaults", NO_READER),
    Entry::ignored(Config, "JDBCDataSource", "JDBC Connection Configuration", NO_READER),
    Entry::ignored(Config, "BoltConnectionElement", "Bolt Connection Configuration", NO_READER),
    Entry::ignored(Config, "MongoSourceElement", "MongoDB Source Config", NO_READER),
];
