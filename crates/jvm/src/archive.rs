//! A class-data archive: classes in the JVM's memory format, which saves a third of the time until
//! the first script.

use std::fs;

use crate::installation::JvmInstallation;
use crate::request::{self, CallState, Family, Overrides, Script, ScriptRole, UserIdentity};
use crate::{Child, Config, StartError, Transport};

/// The first version of Java that makes one in a single run.
const OLDEST: u32 = 13;

/// Creates the archive for that configuration, unless it exists. This takes some seconds of CPU, so
/// do not run it during a measurement. Says whether there is one now: old versions of Java make
/// none.
///
/// # Errors
/// Java or JMeter is not there or does not start.
pub fn make(config: &Config) -> Result<bool, StartError> {
    let prepared = JvmInstallation::find(config)?;
    let file = &prepared.archive;
    if file.is_file() {
        return Ok(true);
    }
    if prepared.java.major < OLDEST {
        return Ok(false);
    }
    let part = file.with_extension(format!("{}.part", std::process::id()));
    let writes = format!("-XX:ArchiveClassesAtExit={}", part.display());
    let child = Child::spawn(&prepared, &[writes], Box::new(|_, _| ()))?;
    child.start_jmeter(&prepared, config)?;
    warm(&child).map_err(StartError::JMeter)?;
    child.end();
    if !part.is_file() {
        return Ok(false);
    }
    fs::rename(&part, file).map_err(|e| StartError::Unpack(file.clone(), e.to_string()))?;
    Ok(true)
}

/// Has the classes loaded that scripts need.
fn warm(child: &Child) -> Result<(), crate::JvmFault> {
    let mut message = Vec::new();
    let identity = UserIdentity { thread_name: "warm", thread_number: 0, group: "warm", group_threads: 1 };
    request::user_started(&mut message, 0, &identity);
    child.tell(&message)?;
    let groovy = "vars.put('a', new groovy.json.JsonSlurper().parseText('{\"b\": [1]}').b.collect { \"${it + 1}\" }.join(','))";
    let scripts =
        [(Family::Jsr223, "groovy", groovy), (Family::BeanShell, "", "vars.put(\"b\", \"\" + (1 + 2));")];
    for (number, (family, language, text)) in (0..).zip(scripts) {
        let script = Script {
            family,
            role: ScriptRole::Sampler,
            strict: false,
            reset_interpreter: false,
            language,
            label: "warm",
            text,
            file: "",
            parameters: "",
            cache_key: "true",
        };
        request::define_script(&mut message, number, &script);
        child.tell(&message)?;
        request::run_script(&mut message, 0, number, &Overrides::default(), &CallState::default());
        child.call(&message, &mut Vec::new())?;
    }
    Ok(())
}
