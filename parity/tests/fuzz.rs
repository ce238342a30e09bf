//! Runs random plans of every family through JMeter and Swell. Needs Java, a JMeter (`JMETER_HOME`,
//! or where `make parity` installs it) and a built `swell`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use swell_parity::fuzz::{Wanted, fuzz};
use swell_parity::{JMeter, Swell};

#[test]
fn random_plans_do_the_same() {
    let home = std::env::var_os("JMETER_HOME").map_or_else(JMeter::usual_home, PathBuf::from);
    let (jmeter, swell) = match (JMeter::find(&home), Swell::find()) {
        (Ok(jmeter), Ok(swell)) => (jmeter, swell),
        (Err(reason), _) | (_, Err(reason)) => return eprintln!("skipped: {reason}"),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let wanted = Wanted { family: None, seed: 1, plans: 2, groups: 8, shrink: false, folder: &folder };
    let told = RefCell::new(String::new());
    let tell = |text: &str| told.borrow_mut().extend([text, "\n"]);
    let totals = fuzz(&wanted, jmeter, swell, &tell).expect("plans can be made");
    assert_eq!((totals.different, totals.refused), (0, 0), "{}", told.borrow());
}
