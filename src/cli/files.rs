//! Writing files without loss: nothing of others is overwritten, and nothing is left half done.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Refuses a file that exists and does not begin as one of ours does.
pub fn refuse_to_overwrite(path: &Path, start: &str, kind: &str) -> Result<()> {
    if !fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0) {
        return Ok(());
    }
    let mut found = vec![0; start.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut found));
    if read.is_err() || found != start.as_bytes() {
        bail!("{:?} exists and is not a {kind}; remove it first", path.display().to_string());
    }
    Ok(())
}

/// Writes a file so that it is there whole or not at all; a device or pipe gets the text as it
/// comes.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    // The target of a link is written, and the link stays.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) if path.is_symlink() => {
            bail!("cannot write {:?}: it is a dangling symbolic link", path.display().to_string())
        }
        Err(_) => path.to_owned(),
    };
    let there = fs::metadata(&target);
    let is_plain = there.as_ref().map_or(true, fs::Metadata::is_file);
    let permissions = there.ok().filter(|_| is_plain).map(|there| there.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        bail!("cannot write {:?}: it is read-only", path.display().to_string());
    }
    let mut partial = target.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = if is_plain { PathBuf::from(partial) } else { target.clone() };
    // A file that has this name already is not ours.
    let opened = File::options().write(true).create_new(is_plain).open(&partial);
    let is_ours = is_plain && opened.is_ok();
    let written = opened.and_then(|file| {
        let mut file = io::BufWriter::with_capacity(1 << 20, file);
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if is_plain {
            // If that fails, it has the permissions of any new file.
            _ = permissions.map(|permissions| file.set_permissions(permissions));
            file.sync_all()?;
            fs::rename(&partial, &target)?;
        }
        Ok(())
    });
    if written.is_err() && is_ours {
        _ = fs::remove_file(&partial);
    }
    written.with_context(|| format!("cannot write {:?}", path.display().to_string()))
}
