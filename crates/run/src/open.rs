//! Opens files of a plan for reading, without blocking a test for ever.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};

/// How long something may take to write to a named pipe that the plan reads.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens a file. To open a named pipe waits for its writer, without an end where there is none
/// (fifo(7)); here it waits for a time.
///
/// # Errors
/// It is not there or may not be read, it is a folder, or nothing writes to the pipe.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(rustix::io::Errno::ISDIR.into());
    }
    if kind.is_fifo() { open_pipe(path, PATIENCE) } else { File::open(path) }
}

fn open_pipe(path: &Path, patience: Duration) -> io::Result<File> {
    let pipe = open(path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?;
    let time = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    if poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&time))? == 0 {
        let why = format!("it is a named pipe, and nothing was written to it for {} s", patience.as_secs());
        return Err(io::Error::new(ErrorKind::TimedOut, why));
    }
    fcntl_setfl(&pipe, OFlags::empty())?;
    Ok(pipe.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_named_pipe_is_waited_for_and_not_for_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
        let error = open_pipe(&path, Duration::from_millis(1)).expect_err("there is no writer");
        assert_eq!(error.to_string(), "it is a named pipe, and nothing was written to it for 0 s");
        let writer = std::thread::spawn({
            let path = path.clone();
            move || std::fs::write(path, "a,b\n")
        });
        let mut text = String::new();
        open_to_read(&path).and_then(|mut file| file.read_to_string(&mut text)).expect("it is written");
        writer.join().expect("no panic").expect("it is read");
        assert_eq!(text, "a,b\n");
    }

    #[test]
    fn other_files_are_opened_as_ever() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = open_to_read(&folder.path().join("none")).expect_err("it is not there");
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let folder = open_to_read(folder.path()).expect_err("it is a folder");
        assert_eq!(folder.kind(), ErrorKind::IsADirectory);
        assert!(open_to_read(&std::env::current_exe().expect("this test")).is_ok());
    }
}
