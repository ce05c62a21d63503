//! Pictures as PNG: our SVG drawn by resvg, with the fonts of the system. Cargo feature `png`.

use std::sync::{Arc, OnceLock};

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};

/// Why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The system has no font, so that pieces would have no names.
    #[error(
        "the system has no font for Japanese text; install one, such as the package fonts-noto-cjk, or write SVG"
    )]
    NoFont,
    /// The picture is too large, or there is no memory for it.
    #[error("the picture cannot be drawn: {0}")]
    Draw(String),
}

/// Draws an SVG picture at `scale` times its size, as a PNG file.
///
/// # Errors
/// The system has no font with Japanese characters, or the picture cannot be drawn.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let fonts = fonts();
    if !has_japanese(&fonts) {
        return Err(PngError::NoFont);
    }
    let options = Options { fontdb: fonts, ..Options::default() };
    let draw = |error: &dyn std::fmt::Display| PngError::Draw(error.to_string());
    let tree = Tree::from_str(svg, &options).map_err(|error| draw(&error))?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(scale)
        .ok_or_else(|| PngError::Draw("its size is out of range".to_owned()))?;
    let mut picture = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| PngError::Draw("it is too large".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| draw(&error))
}

/// The fonts of the system, which are loaded once.
fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

/// Whether there is a font with Japanese characters, judged by the usual names of such fonts.
fn has_japanese(fonts: &Database) -> bool {
    let names = ["CJK", "JP", "Gothic", "Hiragino", "Meiryo", "Mincho", "IPA", "Takao", "Yu "];
    fonts.faces().any(|face| {
        face.families.iter().any(|(name, _)| {
            names.iter().any(|part| name.contains(part)) || name.chars().any(|c| c >= '\u{3040}')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{BoardOptions, board_svg};
    use kyomi_shogi::Position;

    #[test]
    fn a_board_becomes_a_picture_or_the_missing_font_is_named() {
        let svg = board_svg(&Position::startpos(), None, &BoardOptions::default());
        match png(&svg, 2.0) {
            Ok(bytes) => {
                assert_eq!(&bytes[..4], b"\x89PNG");
                assert_eq!(bytes[16..20], 1100u32.to_be_bytes());
            }
            Err(PngError::NoFont) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(!has_japanese(&Database::new()));
    }
}
