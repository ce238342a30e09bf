//! Extracts the output of one thread group of several.

use super::{Observation, csv, xml};
use crate::recorder::Request;

/// A request to this path plus a number marks the start of the next group.
const MARK: &str = "/mark/";

impl Observation {
    /// Returns the output of the group with this number, whose thread names start with `name`: the
    /// requests from its mark to the next one, and its samples. Other files belong to a group if
    /// their name starts with the group's name.
    pub(crate) fn part(&self, number: usize, name: &str) -> Self {
        let files = self.files.iter().filter_map(|(file, content)| {
            let content = if content.starts_with("<?xml") {
                xml::of_threads(content, name)
            } else if file == "out.jtl" {
                csv::of_threads(content, name)
            } else if file.starts_with(name) {
                content.clone()
            } else {
                return None;
            };
            Some((file.clone(), content))
        });
        Self {
            requests: self.between(number),
            files: files.collect(),
            ports: self.ports.clone(),
            folder: self.folder.clone(),
            log: String::new(),
        }
    }

    fn between(&self, number: usize) -> Vec<Request> {
        let mark = |request: &Request| request.target().strip_prefix(MARK).map(str::to_owned);
        let after = self.requests.iter().skip_while(|r| mark(r).as_deref() != Some(&number.to_string()));
        after.skip(1).take_while(|request| mark(request).is_none()).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_requests_and_samples_of_its_group() {
        let request = |path: &str| Request {
            connection: 0,
            client: None,
            head: format!("GET {path} HTTP/1.1\r\n\r\n").into_bytes(),
            body: Vec::new(),
        };
        let csv = "label,threadName\nm,Mark 1-1\na,G00 2-1\nm,Mark 3-1\nb,G01 4-1\n";
        let xml = "<?xml version=\"1.0\"?>\n<testResults>\n<sample lb=\"a\" tn=\"G00 2-1\"/>\n\
                   <sample lb=\"b\" tn=\"G01 4-1\">\n  <x/>\n</sample>\n\n</testResults>\n";
        let observation = Observation {
            requests: ["/mark/0", "/a", "/mark/1", "/b"].map(request).to_vec(),
            files: vec![("out.jtl".to_owned(), csv.to_owned()), ("samples.xml".to_owned(), xml.to_owned())],
            ..Observation::default()
        };
        let part = observation.part(1, "G01");
        assert_eq!(part.requests.iter().map(Request::target).collect::<Vec<_>>(), ["/b"]);
        assert_eq!(part.files[0].1, "label,threadName\nb,G01 4-1\n");
        assert!(part.files[1].1.contains("lb=\"b\"") && !part.files[1].1.contains("lb=\"a\""));
        assert_eq!(observation.part(0, "G00").requests.len(), 1);
    }
}
