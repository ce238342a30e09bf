//! The Grinder 3.11 (<https://grinder.sourceforge.net>).

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "grinder",
    program: "grinder",
    install: "unzip grinder-3.11-binary.zip, and a script `grinder` with: exec java -cp '…/lib/grinder.jar' net.grinder.Grinder \"$@\"",
    version: &[],
    is_recorded: false,
    job,
    sources: &[Source::Below("matrix-0.log")],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let settings = format!(
        "grinder.script=matrix.py\ngrinder.processes=1\ngrinder.threads={}\ngrinder.runs=0\ngrinder.duration={}000\ngrinder.useConsole=false\n\
         grinder.hostID=matrix\ngrinder.logDirectory=logs\ngrinder.numberOfOldLogs=0\n",
        ask.users, ask.seconds
    );
    let script = format!(
        "from net.grinder.script import Test\nfrom net.grinder.plugin.http import HTTPRequest\n\nrequest = HTTPRequest()\nTest(1, 'get').record(request)\n\n\n\
         class TestRunner:\n    def __call__(self):\n        request.GET('{}')\n",
        ask.url()
    );
    Job::of(["grinder.properties"]).with_file("grinder.properties", settings).with_file("matrix.py", script)
}

/// The table "Final statistics for this process": `Totals  TESTS  ERRORS  MEAN  DEVIATION  TPS  …`.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let (_, table) = text.rsplit_once("Final statistics for this process")?;
    let mut numbers = scan::line(table, "Totals")?.split_whitespace().map(scan::number);
    let [good, failed, mean_ms, _, per_s] = [0; 5].map(|_| numbers.next().flatten());
    Some(Reading {
        requests: good.zip(failed).map(|(good, failed)| good + failed),
        errors: failed,
        per_s,
        mean_ms,
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_as_documented_is_read() {
        let text = b"2026-11-23 07:00:00,000 INFO  matrix-0 [ ]: Final statistics for this process:\n\n\
             \x20            Tests        Errors       Mean Test    Test Time    TPS          Mean         Response     Response     Mean time to\n\
             \x20                                      Time (ms)    Standard                  response     bytes per    errors       resolve host\n\n\
            Test 1       4000         5            14.50        3.20         1333.33      3.00         4.00         0            0.01          \"get\"\n\n\
            Totals       4000         5            14.50        3.20         1333.33      3.00         4.00         0            0.01\n";
        let want = Reading {
            requests: Some(4005.0),
            errors: Some(5.0),
            per_s: Some(1333.33),
            mean_ms: Some(14.5),
            ..Reading::default()
        };
        super::super::assert_reading("grinder", &[text], want);
    }
}
