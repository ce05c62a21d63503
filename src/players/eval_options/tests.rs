use super::*;
use kyomi_engine::eval::{
    network::Network,
    nnue::{Architecture, write_random},
};

/// A folder that is removed at the end of a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }
}

fn small_network() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_random(Architecture::KNOWN[0], 3, &mut bytes).unwrap();
    bytes
}

fn load(options: &[(&str, &str)]) -> Result<Evaluation, String> {
    let mut all = EvalOptions::default();
    for (name, value) in options {
        all.set(name, value).unwrap().unwrap();
    }
    all.load()
}

#[test]
fn a_file_goes_before_a_folder_and_a_folder_may_stand_for_its_file() {
    let folder = Folder::new();
    let dir = folder.0.path().display().to_string();
    let own = folder.with("own.bin", Network::builtin_bytes());
    folder.with("nn.bin", &small_network());
    let nnue = load(&[("EvalDir", &dir)]).unwrap();
    let mut options = EvalOptions::of_config(Some(Path::new(&own)));
    assert_eq!(options.load().unwrap(), Evaluation::builtin());
    options.set("EvalDir", &dir).unwrap().unwrap();
    assert_eq!(options.load().unwrap(), nnue);
    assert!(nnue.to_string().starts_with("K-P-256x2-32-32, "), "{nnue}");
    assert_eq!(load(&[("evalfile", &dir)]).unwrap(), nnue);
    let both = load(&[("EvalFile", &own), ("EvalDir", &dir)]).unwrap();
    assert_eq!(both, Evaluation::builtin());
    assert_eq!(load(&[("EvalFile", "<empty>"), ("EvalDir", &dir)]).unwrap(), nnue);
    assert_eq!(load(&[("EvalFile", ""), ("EvalDir", "<empty>")]).unwrap(), Evaluation::builtin());
}

#[test]
fn the_scale_alone_does_not_read_the_file_again() {
    let folder = Folder::new();
    let file = folder.with("nn.bin", &small_network());
    let mut options = EvalOptions::default();
    options.set("EvalFile", &file).unwrap().unwrap();
    let loaded = LoadedEvaluation { evaluation: options.load().unwrap(), options: options.clone() };
    std::fs::remove_file(&file).unwrap();
    options.set("FV_SCALE", "24").unwrap().unwrap();
    options.set("Eval_Scale", "70").unwrap().unwrap();
    let Evaluation::Nnue(_, scale) = options.reload(&loaded).unwrap() else { panic!() };
    assert_eq!(scale, Scale { fv_scale: 24, percent: 70 });
    options.set("EvalFile", "elsewhere").unwrap().unwrap();
    options.reload(&loaded).unwrap_err();
    for (name, value) in [("FV_SCALE", "0"), ("FV_SCALE", "129"), ("Eval_Scale", "-1")] {
        options.set(name, value).unwrap().unwrap_err();
    }
    assert_eq!(options.set("EvalFiles", "x"), None);
}

#[test]
fn each_bad_file_has_one_line_that_says_what_to_do() {
    let folder = Folder::new();
    let dir = folder.0.path().display().to_string();
    let good = small_network();
    let text = Architecture::KNOWN[0].header_text();
    let unknown = String::from_utf8_lossy(&good[..12 + text.len()]).replace("K+P[1710", "K+P[1711");
    let mut unknown_bytes = good[..12].to_vec();
    unknown_bytes.extend_from_slice(&unknown.as_bytes()[unknown.len() - text.len()..]);
    let mut version = good.clone();
    version[0] = 0x20;
    let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 64217066\n";
    let long = [&good[..], b"x"].concat();
    for (bytes, part) in [
        (&good[..good.len() - 1], "was cut short"),
        (&good[..5], "was cut short"),
        (&[], "has 0 bytes; it was cut short"),
        (&long, "instead of"),
        (&version, "begins with 7af32f20 instead of 7af32f16"),
        (&unknown_bytes, "\"Features=K+P[1711->256x2],"),
        (&unknown_bytes, "HalfKP-1024x2-8-64"),
        (&lfs[..], "git lfs pull"),
    ] {
        let file = folder.with("nn.bin", bytes);
        for (option, value) in [("EvalFile", &file), ("EvalDir", &dir)] {
            let error = load(&[(option, value)]).unwrap_err();
            assert!(error.starts_with(&format!("{option}: the file ")), "{error}");
            assert!(error.contains(part) && error.contains(';'), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
    let own = folder.with("nn.bin", Network::builtin_bytes());
    let error = load(&[("EvalDir", &dir)]).unwrap_err();
    assert!(error.ends_with("give it to the option EvalFile"), "{error}");
    let error = load(&[("EvalDir", &own)]).unwrap_err();
    assert!(error.contains("is no folder"), "{error}");
    let damaged = folder.with("own.bin", &Network::builtin_bytes()[..100]);
    let error = load(&[("EvalFile", &damaged)]).unwrap_err();
    assert!(error.contains("has 100 bytes instead of"), "{error}");
    std::fs::remove_file(own).unwrap();
    let error = load(&[("EvalDir", &dir)]).unwrap_err();
    assert!(error.ends_with("has no nn.bin; copy the network into it under this name"), "{error}");
    for (option, what) in [("EvalFile", "file"), ("EvalDir", "folder")] {
        let error = load(&[(option, "no/such")]).unwrap_err();
        let start =
            format!("{option}: there is no {what} no/such in the working directory or in /");
        assert!(error.starts_with(&start) && error.ends_with("; give its whole path"), "{error}");
    }
}
