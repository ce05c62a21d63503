//! Runs the program in a temporary folder. Tests that need more add an `impl` block.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A working directory for one test, which is removed at its end.
pub(crate) struct Folder {
    path: PathBuf,
    /// Not of one inside another.
    _removed: Option<TempDir>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("kyomi-test-").tempdir().unwrap();
        Self { path: folder.path().to_owned(), _removed: Some(folder) }
    }

    /// A working directory inside this one.
    pub(crate) fn inner(&self, name: impl AsRef<Path>) -> Self {
        let path = self.path.join(name);
        fs::create_dir_all(&path).unwrap();
        Self { path, _removed: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, and creates its folder if necessary.
    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The program with this folder as its working directory and without `KYOMI_` environment variables.
    pub(crate) fn kyomi(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(super::PROGRAM);
        command.args(arguments).current_dir(&self.path).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("KYOMI_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs the program and checks its exit code. Returns standard output and standard error.
    #[track_caller]
    pub(crate) fn run_with_code(
        &self,
        arguments: &[impl AsRef<OsStr>],
        code: i32,
    ) -> (String, String) {
        let output = self.kyomi(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        (stdout, stderr)
    }
}
