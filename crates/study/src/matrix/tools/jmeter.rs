//! Apache JMeter 5.6.3, read from its results file.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "jmeter",
    program: "jmeter",
    install: "unzip apache-jmeter-5.6.3.zip, then --program jmeter=…/bin/jmeter",
    version: &["--version"],
    job,
    sources: &[Source::File("matrix.jtl")],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let ToolRequest { host, port, path, users, seconds, .. } = ask;
    let text = |name: &str, value: &dyn std::fmt::Display| {
        format!("<stringProp name=\"{name}\">{value}</stringProp>")
    };
    let plan = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\" properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>\n\
         <TestPlan guiclass=\"TestPlanGui\" testclass=\"TestPlan\" testname=\"matrix\"/><hashTree>\n<ThreadGroup guiclass=\"ThreadGroupGui\" testclass=\"ThreadGroup\" testname=\"users\">\n\
         <elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\"><boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <intProp name=\"LoopController.loops\">-1</intProp></elementProp>\n<boolProp name=\"ThreadGroup.scheduler\">true</boolProp>\
         <boolProp name=\"ThreadGroup.same_user_on_next_iteration\">true</boolProp>\n",
        &text("ThreadGroup.on_sample_error", &"continue"),
        &text("ThreadGroup.num_threads", users),
        &text("ThreadGroup.ramp_time", &0),
        &text("ThreadGroup.duration", seconds),
        &text("ThreadGroup.delay", &0),
        "</ThreadGroup><hashTree>\n<HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testclass=\"HTTPSamplerProxy\" testname=\"get\"><boolProp name=\"HTTPSampler.use_keepalive\">true</boolProp>\n",
        &text("HTTPSampler.domain", host),
        &text("HTTPSampler.port", port),
        &text("HTTPSampler.path", path),
        &text("HTTPSampler.method", &"GET"),
        "</HTTPSamplerProxy><hashTree/>\n</hashTree></hashTree></hashTree></jmeterTestPlan>\n",
    ]
    .concat();
    Job::of(["-n", "-t", "matrix.jmx", "-l", "matrix.jtl", "-j", "jmeter.log"]).with_file("matrix.jmx", plan)
}

/// Rows begin with
/// `timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success`, and nothing
/// of this plan has a comma.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let mut lines = text.lines();
    let names: Vec<_> = lines.next()?.split(',').collect();
    let column = |name: &str| names.iter().position(|known| *known == name);
    let [start, elapsed, success] = ["timeStamp", "elapsed", "success"].map(column);
    let start = start?;
    let elapsed = elapsed?;
    let success = success?;
    let mut times = Vec::new();
    let mut errors = 0.0;
    let mut from = f64::INFINITY;
    let mut to = f64::NEG_INFINITY;
    for line in lines {
        let cells: Vec<_> = line.split(',').collect();
        let number = |at: usize| cells.get(at)?.parse::<f64>().ok().filter(|number| number.is_finite());
        // A row that was cut off is none.
        let (Some(at), Some(ms), Some(good)) = (number(start), number(elapsed), cells.get(success)) else {
            continue;
        };
        times.push((ms, 1.0));
        errors += f64::from(u8::from(*good != "true"));
        (from, to) = (from.min(at), to.max(at + ms));
    }
    let count = times.len() as f64;
    if times.is_empty() {
        return None;
    }
    let mean = times.iter().map(|(ms, _)| ms).sum::<f64>() / count;
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(Reading {
        requests: Some(count),
        errors: Some(errors),
        per_s: (to > from).then(|| count / (to - from) * 1e3),
        mean_ms: Some(mean),
        p50_ms: scan::quantile(&times, 0.5),
        p90_ms: scan::quantile(&times, 0.9),
        p95_ms: scan::quantile(&times, 0.95),
        p99_ms: scan::quantile(&times, 0.99),
        max_ms: times.last().map(|(ms, _)| *ms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_run_is_read() {
        // The first 40 rows of a run.
        let text: &[u8] = include_bytes!("../recorded/jmeter.jtl");
        let found = super::super::named("jmeter").expect("it is one").read(&[text]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(40.0), Some(0.0)));
        let rows =
            b"timeStamp,elapsed,label,success\n1000,10,a,true\n1100,30,a,true\n1200,50,a,false\n1300,1";
        let want = Reading {
            requests: Some(3.0),
            errors: Some(1.0),
            per_s: Some(12.0),
            mean_ms: Some(30.0),
            p50_ms: Some(30.0),
            p90_ms: Some(50.0),
            p95_ms: Some(50.0),
            p99_ms: Some(50.0),
            max_ms: Some(50.0),
        };
        super::super::assert_reading("jmeter", &[rows], want);
    }
}
