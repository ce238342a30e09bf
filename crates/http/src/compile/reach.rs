//! What properties of Swell's own say of the way to servers: whom samplers trust, where JMeter's trust everybody, and where
//! connections go instead.

use std::sync::{Arc, OnceLock};

use swell_api::Compile;
use swell_plan::{Element, Severity};

use crate::connection::Routes;

/// Property: a file of certificates in PEM form whose servers are trusted, or `machine` for those that this machine trusts; all are
/// where it is empty.
const TRUST: &str = "swell.http.trust";

/// Certificates (DER) that sign what is trusted; none: everybody is.
pub(crate) type Roots = Option<Arc<Vec<Vec<u8>>>>;

type Loaded = OnceLock<Result<Roots, String>>;

/// Reads them once for all workers. What cannot be read refuses the plan: to trust everybody instead would be a lie.
pub(super) fn roots(sampler: &Element, compile: &Compile) -> Roots {
    let loaded: Arc<Loaded> = compile.expr.shared.get("http trust", Loaded::default);
    match loaded.get_or_init(|| load(compile)) {
        Ok(roots) => roots.clone(),
        Err(why) => {
            super::keystore::note_once(compile, sampler, Severity::Error, why, None);
            None
        }
    }
}

/// Where connections go instead. What is no route refuses the plan.
pub(super) fn routes(sampler: &Element, compile: &Compile) -> Option<Routes> {
    Routes::new(&compile.props).unwrap_or_else(|why| {
        super::keystore::note_once(compile, sampler, Severity::Error, &why, None);
        None
    })
}

fn load(compile: &Compile) -> Result<Roots, String> {
    let Some(file) = compile.props.get(TRUST).filter(|file| !file.is_empty()) else { return Ok(None) };
    let wrong = |why: String| format!("{TRUST}: certificates cannot be read from `{file}`: {why}");
    let roots = if file == "machine" {
        swell_net::machine_roots()
    } else {
        let text = compile.host.read_file(file.as_ref()).map_err(|error| wrong(error.to_string()))?;
        swell_net::certificates_of_pem(&text).map_err(|error| wrong(error.to_string()))?
    };
    // Whether they are certificates at all.
    swell_net::TlsConfig::trust_all()
        .with_roots(&roots)
        .map_err(|_| wrong("there is no certificate in PEM form that can be used".to_owned()))?;
    Ok(Some(Arc::new(roots)))
}
