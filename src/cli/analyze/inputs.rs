//! The records to analyse, and the folders of their outputs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::arguments::AnalyzeArgs;
use crate::archive::convert::find;
use crate::cli::ResultExt as _;
use crate::terminal::clean;

/// An input: one file, or the files of a folder, with the folder of the outputs.
pub(super) struct Job {
    pub(super) title: String,
    /// The files, with the folder in which each is found below the input.
    pub(super) files: Vec<(PathBuf, PathBuf)>,
    pub(super) out: PathBuf,
    /// Whether the games are entered in the index page of the folder of the outputs.
    pub(super) has_index: bool,
    /// Whether a file that cannot be analysed stops everything.
    pub(super) is_alone: bool,
}

/// The inputs of the command line.
///
/// # Errors
/// An input cannot be read or has no records.
pub(super) fn jobs(args: &AnalyzeArgs) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for input in &args.records {
        let is_folder = input.is_dir();
        let beside = input.parent().map_or_else(PathBuf::new, Path::to_owned);
        let out = match &args.output {
            Some(out) => out.clone(),
            None if is_folder => input.join("analysis"),
            None => beside,
        };
        let found = find(std::slice::from_ref(input), is_folder.then_some(out.as_path()));
        if let Some((path, fault)) = found.faults.into_iter().next() {
            return Err(anyhow::Error::new(fault))
                .with_context(|| format!("reading {}", path.display()))
                .written_by_user();
        }
        let files: Vec<_> = found
            .sources
            .into_iter()
            .filter_map(|source| Some((source.path?, source.below)))
            .collect();
        if files.is_empty() {
            return Err(anyhow!("no record in {}", input.display())).written_by_user();
        }
        let title = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into_owned();
        let has_several = args.records.len() > 1;
        jobs.push(Job {
            title: clean(&title),
            files,
            out,
            has_index: is_folder || has_several && args.output.is_some(),
            is_alone: !is_folder && !has_several,
        });
    }
    Ok(jobs)
}
