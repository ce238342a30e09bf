//! Writers of results files on disks that fill up or block.

use super::*;
use crate::row_text::Large;

/// A disk of `size` bytes.
#[derive(Clone)]
struct SmallDisk {
    content: Arc<Mutex<Vec<u8>>>,
    size: usize,
    /// Bytes that it takes at a time.
    piece: usize,
}

impl SmallDisk {
    fn new(size: usize) -> Self {
        Self { content: Arc::default(), size, piece: 7 }
    }
    fn text(&self) -> String {
        String::from_utf8(self.content.lock().clone()).expect("UTF-8")
    }
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut content = self.content.lock();
        let room = self.size - content.len();
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let count = bytes.len().min(room).min(self.piece);
        content.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for SmallDisk {
    fn begin(&mut self) -> io::Result<u64> {
        Ok(0)
    }
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.content.lock().truncate(length as usize);
        Ok(())
    }
}

fn batch(rows: &[&str]) -> Batch {
    let mut batch = Batch::default();
    for row in rows {
        batch.text.extend_from_slice(row.as_bytes());
        batch.row_ends.push(batch.text.len() as u32);
    }
    batch
}

fn output(disk: &SmallDisk, footer: &'static [u8], on_failure: Option<OnFailure>) -> Output {
    Output::start("out.jtl".into(), disk.clone(), footer, on_failure, Arc::default()).expect("a thread")
}

/// A disk that takes nothing before it is let go.
struct StuckDisk(std::sync::mpsc::Receiver<()>, SmallDisk);

impl Write for StuckDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An error: it was let go before, for good.
        let _ = self.0.recv();
        self.1.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for StuckDisk {
    fn begin(&mut self) -> io::Result<u64> {
        Ok(0)
    }
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.1.cut(length)
    }
}

#[test]
fn a_worker_never_waits_for_a_disk_but_users_that_make_rows_do() {
    let (let_go, waits) = std::sync::mpsc::channel();
    let disk = SmallDisk { piece: usize::MAX, ..SmallDisk::new(4 * QUEUE) };
    let quarter = format!("{}\n", "r".repeat(QUEUE / 4 - 1));
    let sink = StuckDisk(waits, disk.clone());
    let times = Arc::<WaitTimes>::default();
    let output =
        Output::start("out.jtl".into(), sink, b"".as_slice(), None, times.clone()).expect("a thread");
    (0..4).for_each(|_| output.hand_over(&mut batch(&[&quarter])));
    assert!(output.backlog().is_none(), "so much may wait for the disk");
    // This thread is the worker: it would stand still here.
    (0..12).for_each(|_| output.hand_over(&mut batch(&[&quarter])));
    let mut backlog = output.backlog().expect("users that make rows are to wait");
    assert!(poll_once(&mut backlog).is_pending());
    assert_eq!(disk.text(), "");
    drop(let_go);
    output.close();
    assert!(poll_once(&mut backlog).is_ready());
    drop(backlog);
    assert!(times.get().users_ns > 0);
    assert_eq!(disk.text().lines().count(), 16);
}

#[test]
fn bodies_count_among_what_waits() {
    let (let_go, waits) = std::sync::mpsc::channel();
    let sink = StuckDisk(waits, SmallDisk { piece: usize::MAX, ..SmallDisk::new(2 * QUEUE) });
    let output =
        Output::start("out.xml".into(), sink, b"".as_slice(), None, Arc::default()).expect("a thread");
    let mut row = batch(&["row"]);
    row.text.push_body(Large::Plain(vec![b'x'; QUEUE].into()));
    output.hand_over(&mut row);
    assert!(output.backlog().is_some());
    drop(let_go);
    output.close();
    assert!(output.backlog().is_none());
}

fn poll_once(backlog: &mut Backlog) -> std::task::Poll<()> {
    backlog.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
}

#[test]
fn rows_come_in_order_and_the_footer_last() {
    let disk = SmallDisk::new(1000);
    let output = output(&disk, b"end", None);
    output.hand_over(&mut batch(&["one\n", "two\n"]));
    output.hand_over(&mut batch(&[]));
    output.hand_over(&mut batch(&["three\n"]));
    output.close();
    assert_eq!((disk.text().as_str(), output.failure()), ("one\ntwo\nthree\nend", None));
}

#[test]
fn a_full_disk_keeps_whole_rows_is_said_once_and_loses_no_count() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let disk = SmallDisk::new(23);
    let ear = told.clone();
    let output = output(&disk, b"", Some(Arc::new(move |failure| ear.lock().push(failure.clone()))));
    output.hand_over(&mut batch(&["first row\n"]));
    output.hand_over(&mut batch(&["second\n", "third\n", "fourth\n"]));
    output.hand_over(&mut batch(&["fifth\n"]));
    output.close();
    assert_eq!(disk.text(), "first row\nsecond\nthird\n");
    let failure = output.failure().expect("it failed");
    assert_eq!((failure.rows_written, failure.rows_lost), (3, 2));
    assert_eq!(told.lock().len(), 1);
    assert!(failure.to_string().starts_with("cannot write results to `out.jtl`: "), "{failure}");
}

#[test]
fn a_row_whose_body_does_not_fit_is_lost_as_a_whole() {
    let disk = SmallDisk::new(33);
    let output = output(&disk, b"", None);
    let mut rows = batch(&["first\n"]);
    for before in ["<", ""] {
        rows.text.extend_from_slice(before.as_bytes());
        rows.text.push_body(Large::Plain("0123456789".into()));
        rows.text.extend_from_slice(b">\n");
        rows.row_ends.push(rows.text.len() as u32);
        output.hand_over(&mut rows);
        rows = batch(&["next\n"]);
    }
    output.close();
    assert_eq!(disk.text(), "first\n<0123456789>\nnext\n");
    assert_eq!(output.failure().map(|f| (f.rows_written, f.rows_lost)), Some((3, 1)));
}

#[test]
fn a_row_that_does_not_fit_makes_room_for_the_end_of_an_xml_file() {
    let disk = SmallDisk::new(24);
    let output = output(&disk, b"</end>", None);
    output.hand_over(&mut batch(&["<a b=\"1\"/>\n", "<a b=\"22222222222222\"/>\n"]));
    output.close();
    assert_eq!(disk.text(), "<a b=\"1\"/>\n</end>");
}

#[test]
fn rows_handed_over_after_a_failure_are_counted_as_lost() {
    let disk = SmallDisk::new(1);
    let (sender, heard) = std::sync::mpsc::channel();
    let output = output(&disk, b"", Some(Arc::new(move |_| sender.send(()).expect("there is a receiver"))));
    output.hand_over(&mut batch(&["row\n"]));
    heard.recv().expect("the failure is reported");
    let mut later = batch(&["a\n", "b\n"]);
    output.hand_over(&mut later);
    assert_eq!((output.failure().map(|f| f.rows_lost), later.row_ends.len()), (Some(3), 0));
    output.close();
}

#[test]
fn a_writer_that_fails_at_the_footer_is_a_failure() {
    let disk = SmallDisk::new(4);
    let output = output(&disk, b"end", None);
    output.hand_over(&mut batch(&["row\n"]));
    output.close();
    assert_eq!(output.failure().map(|f| (f.rows_written, f.rows_lost)), Some((1, 0)));
}
