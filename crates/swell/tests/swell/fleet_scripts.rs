//! Scripts of a plan on agents: only where their owner lets them, and for each share of an agent.
//! Needs Java, JMeter and nats-server, and says so where there is none.

use swell_plan::{Element, Node};

use crate::fleet::accounted;
use crate::support::{Broker, Folder, Running, jmeter, plan};

/// Something that only Groovy itself understands.
const SCRIPT: &str = "def m = [a: 1, b: 2].collectEntries { k, v -> [k.toUpperCase(), v * 2] }
SampleResult.setResponseData(m.toString(), 'UTF-8')";

fn scripted(users: u32, loops: i32) -> Folder {
    let script = Element::new("JSR223Sampler", "TestBeanGUI", "script")
        .with_text("scriptLanguage", "groovy")
        .with_text("script", SCRIPT);
    Folder::with_plan([plan::group(users, loops).with(Node::new(script))])
}

fn agent(folder: &Folder, broker: &Broker, more: &[&str]) -> Running {
    let url = broker.url();
    folder.call(&[&["agent", &url, "--once", "--name", "one", "-w", "1"], more].concat()).start()
}

#[test]
fn an_agent_runs_no_scripts_unless_its_owner_lets_it() {
    if jmeter().is_none() {
        return;
    }
    let Some(broker) = Broker::start() else { return };
    let folder = scripted(1, 1);
    let refuses = agent(&folder, &broker, &[]);
    let ended = folder.swell(&["run", "plan.jmx", "--agents", "1", "--nats", &broker.url()]).exits(104);
    let why = "its owner does not allow plans to run scripts; `swell agent --allow-scripts` allows it";
    assert!(ended.err.contains(&format!("agent one cannot take part: {why}")), "{ended}");
    let refused = refuses.wait().exits(104);
    assert!(refused.err.contains(why), "{refused}");
}

#[test]
fn each_share_of_an_agent_has_a_jvm_for_its_scripts() {
    if jmeter().is_none() {
        return;
    }
    let Some(broker) = Broker::start() else { return };
    let folder = scripted(4, 3);
    let lets = agent(&folder, &broker, &["--allow-scripts"]);
    // More slices than workers: each is a separate share, as those of lost agents are.
    let line =
        ["run", "plan.jmx", "--agents", "1", "--slices", "2", "--nats", &broker.url(), "-l", "out.jtl"];
    let ended = folder.swell(&line).exits(0);
    lets.wait().exits(0);
    assert_eq!(accounted(&ended.err), 12, "{ended}");
    let jtl = folder.jtl("out.jtl");
    assert_eq!(jtl.column("success"), ["true"; 12], "{ended}");
}
