//! Messages that wait to be sent, in their order: a few in memory, more of them in a file.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use bytes::Bytes;

/// What is kept in memory.
const IN_MEMORY: usize = 4 << 20;
/// What is kept at most, in memory and on disk. More are dropped, and the account shows it.
const MOST_BYTES: u64 = 256 << 20;
/// What waits for longer is of no use to anybody.
const OLDEST_NS: i64 = 3_600 * 1_000_000_000;

/// A message with its number at this agent.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) seq: u64,
    pub(super) payload: Bytes,
    /// When it was made ([`swell_net::boot_ns`]).
    pub(super) since_ns: i64,
}

/// Where a message lies in the file.
struct FilePosition {
    seq: u64,
    since_ns: i64,
    offset: u64,
    length: usize,
}

/// The queue.
pub(super) struct UnsentQueue {
    memory: VecDeque<Message>,
    in_memory: usize,
    most_in_memory: usize,
    path: PathBuf,
    file: Option<File>,
    on_disk: VecDeque<FilePosition>,
    end: u64,
    dropped: u64,
}

impl UnsentQueue {
    /// None yet; the file is made when it is needed.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            memory: VecDeque::new(),
            in_memory: 0,
            most_in_memory: IN_MEMORY,
            path,
            file: None,
            on_disk: VecDeque::new(),
            end: 0,
            dropped: 0,
        }
    }

    /// How many there are, those that were dropped among them.
    pub(super) fn count(&self) -> u64 {
        (self.memory.len() + self.on_disk.len()) as u64 + self.dropped
    }

    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.on_disk.is_empty()
    }

    /// Appends one.
    pub(super) fn push(&mut self, message: Message) {
        if self.in_memory as u64 + self.end + message.payload.len() as u64 > MOST_BYTES {
            self.dropped += 1;
            return;
        }
        let fits = self.on_disk.is_empty() && self.in_memory + message.payload.len() <= self.most_in_memory;
        // Where the disk is full, memory has to do.
        if fits || self.write(&message).is_err() {
            self.keep(message, false);
        }
    }

    /// Puts one that could not be sent before all others.
    pub(super) fn put_back(&mut self, message: Message) {
        self.keep(message, true);
    }

    fn keep(&mut self, message: Message, in_front: bool) {
        self.in_memory += message.payload.len();
        if in_front {
            self.memory.push_front(message);
        } else {
            self.memory.push_back(message);
        }
    }

    fn write(&mut self, message: &Message) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self
                .file
                .insert(File::options().read(true).write(true).create(true).truncate(true).open(&self.path)?),
        };
        file.write_all_at(&message.payload, self.end)?;
        let Message { seq, payload, since_ns } = message;
        self.on_disk.push_back(FilePosition {
            seq: *seq,
            since_ns: *since_ns,
            offset: self.end,
            length: payload.len(),
        });
        self.end += payload.len() as u64;
        Ok(())
    }

    /// Takes the first.
    pub(super) fn pop(&mut self) -> Option<Message> {
        loop {
            let message = match self.memory.pop_front() {
                Some(message) => {
                    self.in_memory -= message.payload.len();
                    Ok(message)
                }
                None => self.read()?,
            };
            match message {
                Ok(message) if swell_net::boot_ns() - message.since_ns < OLDEST_NS => return Some(message),
                // The account names what is missing.
                Ok(_) | Err(_) => self.dropped += 1,
            }
        }
    }

    fn read(&mut self) -> Option<io::Result<Message>> {
        let FilePosition { seq, since_ns, offset, length } = self.on_disk.pop_front()?;
        let file = self.file.as_ref()?;
        let mut payload = vec![0; length];
        let read = file.read_exact_at(&mut payload, offset);
        if self.on_disk.is_empty() {
            // What stays of the file is written over.
            let _ = file.set_len(0);
            self.end = 0;
        }
        Some(read.map(|()| Message { seq, payload: payload.into(), since_ns }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(seq: u64, length: usize) -> Message {
        Message { seq, payload: vec![seq as u8; length].into(), since_ns: swell_net::boot_ns() }
    }

    #[test]
    fn messages_come_in_their_order_from_memory_and_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("unsent");
        let mut unsent = UnsentQueue { most_in_memory: 100, ..UnsentQueue::new(path.clone()) };
        for round in 0..3 {
            (0..20).for_each(|seq| unsent.push(message(seq, 30)));
            let on_disk = std::fs::metadata(&path).map_or(0, |file| file.len());
            assert_eq!((unsent.count(), on_disk), (20, 17 * 30), "three fit into memory");
            let first = unsent.pop().expect("there are some");
            unsent.put_back(first);
            unsent.push(message(20, 5 + round));
            for seq in 0..=20 {
                let next = unsent.pop().expect("there are more");
                assert_eq!(next.seq, seq);
                assert!(next.payload.iter().all(|byte| u64::from(*byte) == seq), "{seq}");
            }
            assert!(unsent.pop().is_none() && unsent.is_empty());
            assert_eq!(std::fs::metadata(&path).map_or(1, |file| file.len()), 0, "the file is empty again");
        }
    }

    #[test]
    fn what_is_too_much_or_too_old_is_counted_as_unsent() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut unsent = UnsentQueue::new(folder.path().join("no folder").join("unsent"));
        let payload = Bytes::from(vec![0; 100 << 20]);
        for seq in 0..3 {
            unsent.push(Message { seq, payload: payload.clone(), since_ns: swell_net::boot_ns() });
        }
        assert_eq!((unsent.memory.len(), unsent.count()), (2, 3), "without a disk memory does");
        let mut unsent = UnsentQueue::new(folder.path().join("unsent"));
        unsent.push(Message { seq: 0, payload: Bytes::new(), since_ns: swell_net::boot_ns() - OLDEST_NS });
        assert!(unsent.pop().is_none() && unsent.count() == 1);
    }
}
