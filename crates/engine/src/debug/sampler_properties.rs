//! The properties of a sampler as texts (`TestElement.propertyIterator`,
//! `JMeterProperty.getStringValue`).

use swell_api::CompileContext;
use swell_expr::{Context, Template};
use swell_plan::{Element, Node, PropertyValue};

/// Packages of JMeter's own samplers and their windows, which plans name by their last part.
const CLASSES: &[(&str, &str)] = &[
    ("HTTPSamplerProxy", "org.apache.jmeter.protocol.http.sampler."),
    ("HttpTestSampleGui", "org.apache.jmeter.protocol.http.control.gui."),
    ("GraphQLHTTPSamplerGui", "org.apache.jmeter.protocol.http.control.gui."),
    ("AccessLogSampler", "org.apache.jmeter.protocol.http.sampler."),
    ("AjpSampler", "org.apache.jmeter.protocol.http.sampler."),
    ("AjpSamplerGui", "org.apache.jmeter.protocol.http.control.gui."),
    ("DebugSampler", "org.apache.jmeter.sampler."),
    ("TestBeanGUI", "org.apache.jmeter.testbeans.gui."),
    ("JavaSampler", "org.apache.jmeter.protocol.java.sampler."),
    ("JavaTestSamplerGui", "org.apache.jmeter.protocol.java.control.gui."),
    ("JDBCSampler", "org.apache.jmeter.protocol.jdbc.sampler."),
    ("JSR223Sampler", "org.apache.jmeter.protocol.java.sampler."),
    ("BeanShellSampler", "org.apache.jmeter.protocol.java.sampler."),
    ("BeanShellSamplerGui", "org.apache.jmeter.protocol.java.control.gui."),
    ("BSFSampler", "org.apache.jmeter.protocol.java.sampler."),
    ("BSFSamplerGui", "org.apache.jmeter.protocol.java.control.gui."),
    ("JUnitSampler", "org.apache.jmeter.protocol.java.sampler."),
    ("JUnitTestSamplerGui", "org.apache.jmeter.protocol.java.control.gui."),
    ("TCPSampler", "org.apache.jmeter.protocol.tcp.sampler."),
    ("TCPSamplerGui", "org.apache.jmeter.protocol.tcp.control.gui."),
    ("SystemSampler", "org.apache.jmeter.protocol.system."),
    ("SystemSamplerGui", "org.apache.jmeter.protocol.system.gui."),
    ("FTPSampler", "org.apache.jmeter.protocol.ftp.sampler."),
    ("FtpTestSamplerGui", "org.apache.jmeter.protocol.ftp.control.gui."),
    ("LDAPSampler", "org.apache.jmeter.protocol.ldap.sampler."),
    ("LdapTestSamplerGui", "org.apache.jmeter.protocol.ldap.control.gui."),
    ("LDAPExtSampler", "org.apache.jmeter.protocol.ldap.sampler."),
    ("LdapExtTestSamplerGui", "org.apache.jmeter.protocol.ldap.control.gui."),
    ("JMSSampler", "org.apache.jmeter.protocol.jms.sampler."),
    ("JMSSamplerGui", "org.apache.jmeter.protocol.jms.control.gui."),
    ("PublisherSampler", "org.apache.jmeter.protocol.jms.sampler."),
    ("JMSPublisherGui", "org.apache.jmeter.protocol.jms.control.gui."),
    ("SubscriberSampler", "org.apache.jmeter.protocol.jms.sampler."),
    ("JMSSubscriberGui", "org.apache.jmeter.protocol.jms.control.gui."),
    ("MailReaderSampler", "org.apache.jmeter.protocol.mail.sampler."),
    ("MailReaderSamplerGui", "org.apache.jmeter.protocol.mail.sampler.gui."),
    ("SmtpSampler", "org.apache.jmeter.protocol.smtp.sampler."),
    ("SmtpSamplerGui", "org.apache.jmeter.protocol.smtp.sampler.gui."),
    ("BoltSampler", "org.apache.jmeter.protocol.bolt.sampler."),
    ("TestAction", "org.apache.jmeter.sampler."),
    ("TestActionGui", "org.apache.jmeter.sampler.gui."),
];

/// The properties of a sampler as texts.
pub(super) struct SamplerProperties(Vec<(String, Template)>);

impl SamplerProperties {
    /// Those of the sampler, and, where it has none or an empty one, those of its defaults.
    pub(super) fn compile(sampler: &Node, defaults: &[&Node], compile: &CompileContext) -> Self {
        let element = &sampler.element;
        let enabled = if element.enabled() { "true" } else { "false" };
        let mut all: Vec<(String, String)> = vec![
            ("TestElement.enabled".to_owned(), enabled.to_owned()),
            ("TestElement.gui_class".to_owned(), whole_class(&element.gui_class)),
            ("TestElement.name".to_owned(), element.name().to_owned()),
            ("TestElement.test_class".to_owned(), whole_class(&element.class)),
        ];
        all.extend(element.properties.iter().filter_map(|p| Some((p.name.clone(), shown(&p.value)?))));
        for property in defaults.iter().flat_map(|node| &node.element.properties) {
            let Some(text) = shown(&property.value) else { continue };
            match all.iter_mut().find(|(name, _)| *name == property.name) {
                None => all.push((property.name.clone(), text)),
                Some((_, old)) if old.is_empty() => *old = text,
                Some(_) => {}
            }
        }
        let compiled = all.into_iter().map(|(name, text)| {
            let template = compile.text(element, &name, &text);
            (name, template)
        });
        Self(compiled.collect())
    }

    /// Names and values now.
    pub(super) fn now(&self, cx: &mut Context) -> Vec<(String, String)> {
        self.0.iter().map(|(name, template)| (name.clone(), template.eval(cx).into_owned())).collect()
    }
}

fn whole_class(name: &str) -> String {
    let known = CLASSES.iter().find(|(class, _)| *class == name);
    known.map_or_else(|| name.to_owned(), |(class, package)| format!("{package}{class}"))
}

/// A value as text; arguments are `name=value()` joined by `&`.
fn shown(value: &PropertyValue) -> Option<String> {
    match value {
        PropertyValue::Element(element) => Some(arguments(element)),
        PropertyValue::Collection(_) | PropertyValue::Map(_) | PropertyValue::Xml(_) => None,
        simple => simple.as_text().map(str::to_owned),
    }
}

/// `Arguments.toString`.
fn arguments(element: &Element) -> String {
    let Some(PropertyValue::Collection(members)) = element.property("Arguments.arguments") else {
        return String::new();
    };
    let one = |argument: &Element| {
        let text = |name: &str| argument.text(name).unwrap_or_default();
        let metadata = argument.text("Argument.metadata").unwrap_or("=");
        format!("{}{metadata}{}({})", text("Argument.name"), text("Argument.value"), text("Argument.desc"))
    };
    let members = members.iter().filter_map(|member| match &member.value {
        PropertyValue::Element(argument) => Some(one(argument)),
        _ => None,
    });
    members.collect::<Vec<_>>().join("&")
}
