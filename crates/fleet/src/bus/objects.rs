//! Files in the object store of a run.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use async_nats::jetstream::object_store::{ObjectStore, PutError};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};

use crate::FleetError;
use crate::wire::{FileEntry, Manifest};

/// What the manifest is called.
pub(crate) const MANIFEST: &str = "manifest.json";

/// How errors begin of what does not come, or not now.
pub(super) const CANNOT_FETCH: &str = "cannot fetch";

/// What helps where a broker takes nothing more.
pub(crate) const FULL_DISK: &str = "the broker's disk is full or JetStream's limit (max_file_store) is reached: free space or \
    raise the limit";

/// The manifest of a run whose files are here.
#[derive(Debug)]
pub(crate) struct FetchedManifest {
    pub(crate) manifest: Manifest,
}

/// Puts the bytes of a file, a chunk at a time.
pub(super) async fn put(store: &ObjectStore, object: &str, path: &Path) -> Result<(), FleetError> {
    let mut file = open(path)?;
    store.put(object, &mut file).await.map(drop).map_err(|error| not_taken(object, &error))
}

fn open(path: &Path) -> Result<Local, FleetError> {
    let file = File::open(path);
    file.map(Local).map_err(|error| FleetError::new(format!("cannot read `{}`: {error}", path.display())))
}

/// A file of this machine. It is read where the bus runs: chunks are small, and their pages mostly
/// in memory.
struct Local(File);

impl AsyncRead for Local {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let read = self.0.read(bytes.initialize_unfilled())?;
        bytes.advance(read);
        Poll::Ready(Ok(()))
    }
}

async fn put_bytes(store: &ObjectStore, object: &str, mut bytes: &[u8]) -> Result<(), FleetError> {
    store.put(object, &mut bytes).await.map(drop).map_err(|error| not_taken(object, &error))
}

fn not_taken(object: &str, error: &PutError) -> FleetError {
    let text = format!("the broker did not accept `{object}`: {error}");
    // JSInsufficientResourcesErr and JSStorageResourcesExceededErr of nats-server.
    if text.contains("insufficient") {
        return FleetError::new(text).hint(
            "the broker's disk is full or JetStream's limit (max_file_store) is reached: free space \
            or raise the limit",
        );
    }
    FleetError::new(text)
}

pub(super) async fn put_manifest(store: &ObjectStore, manifest: &Manifest) -> Result<(), FleetError> {
    let bytes = serde_json::to_vec(manifest).map_err(|error| FleetError::new(error.to_string()))?;
    put_bytes(store, MANIFEST, &bytes).await
}

pub(super) async fn get(store: &ObjectStore, object: &str) -> Result<Vec<u8>, FleetError> {
    let cannot =
        |error: &dyn std::fmt::Display| FleetError::new(format!("{CANNOT_FETCH} `{object}`: {error}"));
    let mut found = store.get(object).await.map_err(|error| cannot(&error))?;
    let mut bytes = Vec::new();
    found.read_to_end(&mut bytes).await.map_err(|error| cannot(&error))?;
    Ok(bytes)
}

pub(super) async fn manifest(store: &ObjectStore) -> Result<Manifest, FleetError> {
    let bytes = get(store, MANIFEST).await?;
    // What another version wrote may lack fields: then the version is what counts.
    let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    serde_json::from_value(read.clone()).map_err(|error| {
        let version = read.get("version").and_then(|text| text.as_str()).unwrap_or("unknown");
        FleetError::new(format!(
            "the controller is Swell {version}, and this is {}: cannot read its manifest ({error}); \
            run the same version everywhere",
            env!("CARGO_PKG_VERSION")
        ))
    })
}

/// Fetches all files of a manifest into a folder, and sees that they are whole.
pub(super) async fn fetch(store: &ObjectStore, manifest: &Manifest, folder: &Path) -> Result<(), FleetError> {
    for entry in &manifest.files {
        let bytes = get(store, &entry.object).await?;
        keep(entry, &bytes, folder)?;
    }
    Ok(())
}

fn keep(entry: &FileEntry, bytes: &[u8], folder: &Path) -> Result<(), FleetError> {
    let found = HEXLOWER.encode(&Sha256::digest(bytes));
    if found != entry.sha256 || bytes.len() as u64 != entry.bytes {
        return Err(FleetError::new(format!(
            "`{}` differs from the controller's file: received {} bytes with SHA-256 {found}, \
            expected {} with {}",
            entry.name,
            bytes.len(),
            entry.bytes,
            entry.sha256
        )));
    }
    let path = crate::files::place_of(&entry.name, &entry.object, folder);
    let kept =
        path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, bytes));
    kept.map_err(|error| FleetError::new(format!("cannot write `{}`: {error}", path.display())))
}
