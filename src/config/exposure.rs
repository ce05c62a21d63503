//! Files with a password, or another secret, that other users of the machine can read.

use std::path::Path;

use super::ConfigWarning;

/// A warning if other users can read the file, which contains `what`; `None` where files have no such rights.
pub fn exposure(path: &Path, what: &str) -> Option<ConfigWarning> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode =
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.permissions().mode();
        if mode & 0o044 == 0 {
            return None;
        }
        let path = path.display();
        Some(ConfigWarning {
            text: format!(
                "{path} contains {what}, and other users can read it (mode {:03o})",
                mode & 0o777
            ),
            remedy: Some(format!("`chmod 600 {path}` keeps it to you")),
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (path, what);
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn a_file_that_others_can_read_is_warned_about() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_owned();
        for (mode, exposed) in [(0o600, false), (0o400, false), (0o640, true), (0o644, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(exposure(&path, "a password").is_some(), exposed, "{mode:o}");
        }
        drop(file);
        assert_eq!(exposure(&path, "a password"), None);
    }
}
