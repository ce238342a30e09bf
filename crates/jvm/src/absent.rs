//! Classes that were not found, and the artifacts that contain them.

use crate::install::artifact_of_class;

/// The text before the name of a missing class, in messages of Java, Groovy, BeanShell and
/// connection pools.
const BEFORE: [&str; 6] = [
    "unable to resolve class ",
    "ClassNotFoundException: ",
    "NoClassDefFoundError: ",
    "Cannot load JDBC driver class '",
    "Class: ",
    "No suitable driver found for jdbc:",
];

/// JDBC drivers by the start of their URLs, after `jdbc:`.
const DRIVERS: [(&str, &str); 7] = [
    ("mysql:", "com.mysql.cj.jdbc.Driver"),
    ("mariadb:", "org.mariadb.jdbc.Driver"),
    ("postgresql:", "org.postgresql.Driver"),
    ("h2:", "org.h2.Driver"),
    ("oracle:", "oracle.jdbc.OracleDriver"),
    ("sqlserver:", "com.microsoft.sqlserver.jdbc.SQLServerDriver"),
    ("sqlite:", "org.sqlite.JDBC"),
];

/// What to install for the first class that a message says was not found; none if it says none that
/// is known.
pub(crate) fn hint(message: &str) -> Option<String> {
    BEFORE.iter().find_map(|before| {
        let (_, rest) = message.split_once(before)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "._/$:".contains(c))).unwrap_or(rest.len());
        let named = rest[..end].trim_end_matches(['.', ':']);
        let class = match DRIVERS.iter().find(|(url, _)| named.starts_with(url)) {
            Some((_, class)) if before.ends_with("jdbc:") => (*class).to_owned(),
            _ => named.replace('/', "."),
        };
        to_install(&class)
    })
}

/// The artifact to install for a class; `None` if unknown.
pub(crate) fn to_install(class: &str) -> Option<String> {
    let artifact = artifact_of_class(class)?;
    Some(format!("{class} is not on JMeter's class path: `swell jvm install {artifact}` downloads it"))
}

/// The classes that a script in Groovy, Java or BeanShell imports by their full names, those that
/// are known to be of an artifact.
pub(crate) fn imports(script: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in script.lines() {
        let Some(start) = line.trim().strip_prefix("import ") else { continue };
        let start = start.trim().trim_end_matches(';').trim();
        // `import a.B as C`; of all classes of a package none is named.
        let class =
            start.strip_prefix("static ").unwrap_or(start).split_whitespace().next().unwrap_or_default();
        if !class.ends_with('*') && artifact_of_class(class).is_some() && !found.contains(&class) {
            found.push(class);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_name_an_absent_class_lead_to_its_artifact() {
        for (message, artifact) in [
            (
                "Script1.groovy: 1: unable to resolve class org.skyscreamer.jsonassert.JSONAssert\n @ line 1",
                "org.skyscreamer:jsonassert",
            ),
            ("java.lang.ClassNotFoundException: com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j"),
            ("java.lang.NoClassDefFoundError: org/postgresql/Driver", "org.postgresql:postgresql"),
            ("Cannot load JDBC driver class 'org.h2.Driver'", "com.h2database:h2"),
            ("bsh.EvalError: Class: org.h2.Driver not found in namespace", "com.h2database:h2"),
            (
                "java.sql.SQLException: No suitable driver found for jdbc:mariadb://db/x",
                "org.mariadb.jdbc:mariadb-java-client",
            ),
        ] {
            let told = hint(message).unwrap_or_default();
            assert!(told.contains(&format!("`swell jvm install {artifact}:")), "{message}: {told}");
        }
        for message in ["all is well", "ClassNotFoundException: com.example.Own", "NoClassDefFoundError: "] {
            assert_eq!(hint(message), None, "{message}");
        }
    }

    #[test]
    fn imports_of_known_libraries_are_found() {
        let script = "import org.skyscreamer.jsonassert.JSONAssert;\nimport java.util.List\n  import static org.h2.Driver as D\n\
                      import org.postgresql.*\nimport org.h2.Driver\nvars.put('a', 'import org.h2.Driver')";
        assert_eq!(imports(script), ["org.skyscreamer.jsonassert.JSONAssert", "org.h2.Driver"]);
    }
}
