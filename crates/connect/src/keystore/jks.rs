//! Java's `JKS` key stores (`sun.security.provider.JavaKeyStore`), whose keys are obscured by SHA-1
//! of password and salt.

use sha1::{Digest, Sha1};

use super::der::{OCTETS, SEQUENCE, take};
use super::{KeyEntry, hashtable_order};

const MAGIC: [u8; 4] = [0xFE, 0xED, 0xFE, 0xED];
/// What Sun put between password and content.
const WHITENER: &[u8] = b"Mighty Aphrodite";
const DIGEST: usize = 20;

/// Whether it starts as such a store does.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The keys of a store, in the order in which Java lists them.
///
/// # Errors
/// It is cut off or broken, or the password is another.
pub(super) fn read(bytes: &[u8], password: &str) -> Result<Vec<KeyEntry>, String> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let (content, digest) = bytes.split_at_checked(bytes.len().saturating_sub(DIGEST)).ok_or_else(cut)?;
    let sum = Sha1::new().chain_update(&password).chain_update(WHITENER).chain_update(content).finalize();
    if sum[..] != *digest {
        return Err("it is damaged, or the password is wrong".to_owned());
    }
    let mut entries = entries(content)?;
    let aliases: Vec<String> = entries.iter().map(|entry| entry.alias.clone()).collect();
    let in_order = hashtable_order(&aliases).into_iter().map(|at| std::mem::take(&mut entries[at]));
    let opened = in_order.filter_map(|StoreEntry { alias, key, chain }| {
        let opened = open(&key?, &password).ok_or_else(|| format!("key `{alias}` has another password"));
        Some(opened.map(|key| KeyEntry { alias, chain, key }))
    });
    opened.collect()
}

/// The separate certificates of a store, which are trusted. Those of keys are ignored, and the sum
/// at the end is not looked at: Java needs no password for it.
///
/// # Errors
/// It is cut off.
pub(super) fn certificates(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let trusted = entries(bytes)?.into_iter().filter(|entry| entry.key.is_none());
    Ok(trusted.flat_map(|entry| entry.chain).collect())
}

/// The entry of a name: certificates, and their sealed key.
#[derive(Default)]
struct StoreEntry {
    /// In lower case, as Java keeps it.
    alias: String,
    key: Option<Vec<u8>>,
    chain: Vec<Vec<u8>>,
}

/// What is in a store, in its order; what follows is left.
fn entries(content: &[u8]) -> Result<Vec<StoreEntry>, String> {
    let mut input = Input(content.get(MAGIC.len()..).ok_or_else(cut)?);
    let version = input.number()?;
    let count = input.number()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let is_key = input.number()? == 1;
        let alias = input.text()?.to_lowercase();
        input.take(8)?;
        let key = if is_key { Some(input.block()?.to_vec()) } else { None };
        let certificates = if is_key { input.number()? } else { 1 };
        let mut chain = Vec::new();
        for _ in 0..certificates {
            if version == 2 {
                input.text()?;
            }
            chain.push(input.block()?.to_vec());
        }
        entries.push(StoreEntry { alias, key, chain });
    }
    Ok(entries)
}

fn cut() -> String {
    "unexpected end".to_owned()
}

/// What is left of a store.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, String> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    fn block(&mut self) -> Result<&'a [u8], String> {
        let length = self.number()?;
        self.take(length as usize)
    }

    fn text(&mut self) -> Result<String, String> {
        let length = u16::from_be_bytes(self.take(2)?.try_into().expect("two bytes"));
        Ok(String::from_utf8_lossy(self.take(usize::from(length))?).into_owned())
    }
}

/// Opens a key (`sun.security.provider.KeyProtector`): a salt, the hidden key, the sum of password
/// and key.
fn open(sealed: &[u8], password: &[u8]) -> Option<Vec<u8>> {
    // EncryptedPrivateKeyInfo: a sequence of an algorithm and an octet string.
    let (inside, _) = take(SEQUENCE, sealed)?;
    let (_, rest) = take(SEQUENCE, inside)?;
    let (sealed, _) = take(OCTETS, rest)?;
    let (salt, rest) = sealed.split_at_checked(DIGEST)?;
    let (hidden, sum) = rest.split_at_checked(rest.len().checked_sub(DIGEST)?)?;
    let mut last = salt.to_vec();
    let mut key = Vec::with_capacity(hidden.len());
    for block in hidden.chunks(DIGEST) {
        last = Sha1::new().chain_update(password).chain_update(&last).finalize().to_vec();
        key.extend(block.iter().zip(&last).map(|(byte, mask)| byte ^ mask));
    }
    let found = Sha1::new().chain_update(password).chain_update(&key).finalize();
    (found[..] == *sum).then_some(key)
}
