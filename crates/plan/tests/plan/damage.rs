//! Damaged plans: for any bytes, reading ends without a panic, with a plan or an error.

use rand_like::Lehmer;
use swell_plan::{Severity, read, write};

/// A generator that is good enough to choose places, with the same course in every run.
mod rand_like {
    pub(crate) struct Lehmer(pub(crate) u64);

    impl Lehmer {
        pub(crate) fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as usize) % limit
        }
    }
}

const PLANS: [&str; 2] = [
    r#"<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Plan &amp; é" enabled="true">
      <elementProp name="TestPlan.user_defined_variables" elementType="Arguments" guiclass="ArgumentsPanel" testclass="Arguments" enabled="true">
        <collectionProp name="Arguments.arguments"/>
      </elementProp>
    </TestPlan>
    <hashTree>
      <CSVDataSet guiclass="TestBeanGUI" testclass="CSVDataSet" testname="CSV">
        <stringProp name="shareMode">All threads</stringProp>
        <stringProp reference="../stringProp"/>
      </CSVDataSet>
      <hashTree/>
      <HTTPSampler guiclass="HttpTestSampleGui" testclass="HTTPSampler" testname="old" enabled="false">
        <stringProp name="HTTPSampler.FILE_NAME">a&#xd;
b</stringProp>
        <![CDATA[x]]><!-- c -->
      </HTTPSampler>
      <hashTree/>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
"#,
    r#"<jmeterTestPlan version="1.0"><hashTree><ThroughputController guiclass="g">
<FloatProperty><name>p</name><value>25.0</value><savedValue>0.0</savedValue></FloatProperty>
<objProp><name>saveConfig</name><value class="X"><time>true</time></value></objProp>
<boolProp name="b%20c">${x}</boolProp></ThroughputController><hashTree/></hashTree></jmeterTestPlan>"#,
];

const PIECES: [&str; 14] = [
    "<",
    ">",
    "&",
    "\"",
    "]]>",
    "<![CDATA[",
    "<!--",
    "</hashTree>",
    "<hashTree>",
    "<hashTree/>",
    "&#xd800;",
    "\0",
    "\u{FEFF}",
    " reference=\"../..\"",
];

fn damaged(plan: &str, random: &mut Lehmer) -> Vec<u8> {
    let mut bytes = plan.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            4 => drop(bytes.drain(at..(at + random.below(40)).min(bytes.len()))),
            _ => {
                let from = random.below(plan.len());
                let copied = &plan.as_bytes()[from..(from + random.below(80)).min(plan.len())];
                drop(bytes.splice(at..at, copied.iter().copied()));
            }
        }
    }
    bytes
}

#[test]
fn damaged_plans_give_a_plan_or_an_error() {
    let mut random = Lehmer(20_240_111);
    let mut plans = 0;
    for round in 0..4000 {
        let bytes = damaged(PLANS[round % PLANS.len()], &mut random);
        let reading = read(&bytes, None);
        let Some(plan) = reading.plan else {
            assert!(reading.diagnostics.iter().any(|d| d.severity == Severity::Error), "round {round}");
            continue;
        };
        plans += 1;
        plan.resolve(&mut |_| Err(String::new()));
        let written = write(&plan);
        let again = read(written.as_bytes(), None).plan;
        assert!(again.is_some(), "round {round}: {written}");
        assert_eq!(write(&again.expect("a plan")), written, "round {round}");
    }
    assert!(plans > 300, "only {plans} of the damaged plans are plans");
}
