//! Variables that JMeter uses internally: listings show them, and any text can read them.

use swell_expr::{Names, Slot, Value, Vars};

use crate::control::SamplerId;

/// Their names. `JMeterThread.PACKAGE_OBJECT`: from the pre-processors of a user's first sample on,
/// the package of the current one. `JMeterVariables.VAR_IS_SAME_USER_KEY`: whether each iteration
/// of the thread group has the same user. `HTTPHC4Impl.JMETER_VARIABLE_USER_TOKEN`: from a user's
/// first HTTP response on, its name; kept by the HTTP sampler where the name has a slot.
pub(crate) const INTERNALS: [&str; 3] = [PACKAGE, SAME_USER, USER_TOKEN];

const PACKAGE: &str = "JMeterThread.pack";
const SAME_USER: &str = "__jmv_SAME_USER";
const USER_TOKEN: &str = "__jmeter.U_T__";

/// The slots of these variables.
pub(crate) struct Internals {
    package: Slot,
    same_user: Slot,
}

impl Internals {
    pub(crate) fn new(names: &Names) -> Self {
        names.slot(USER_TOKEN);
        Self { package: names.slot(PACKAGE), same_user: names.slot(SAME_USER) }
    }

    /// `JMeterThread.initRun`.
    pub(crate) fn begin(&self, vars: &mut Vars, same_user: bool) {
        vars.put_slot(self.same_user, if same_user { "true" } else { "false" });
    }

    /// `JMeterThread.executeSamplePackage`: the text of an object without `toString`. Java's number
    /// is random; here it is different for each user and sampler, too, and always the same.
    pub(crate) fn take(&self, vars: &mut Vars, (group, user): (usize, u32), sampler: SamplerId) {
        let place = (group as u64) << 48 ^ u64::from(sampler.0) << 32 ^ u64::from(user);
        let number = (place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32;
        let shown: Value = format!("org.apache.jmeter.threads.SamplePackage@{number:x}").into();
        vars.put_slot(self.package, shown);
    }
}
