//! A piece: a pentagon that points at the opponent, with the piece's name.

use kyomi_shogi::{
    Color, Piece, PieceKind,
    notation::{japanese, sfen},
};

use super::{Script, markup::Markup};

/// A piece with the name written on it.
pub(super) struct Face {
    name: String,
    piece: Piece,
}

impl Face {
    pub(super) fn new(piece: Piece, script: Script) -> Self {
        let name = match script {
            // As in a real set, the two kings have different names.
            Script::Japanese
                if piece.kind() == PieceKind::King && piece.color() == Color::White =>
            {
                "王".to_owned()
            }
            Script::Japanese => japanese::piece_name(piece.kind()).to_owned(),
            Script::Letters => {
                let black = Piece::new(Color::Black, piece.kind());
                sfen::piece_letters(black)
            }
        };
        Self { name, piece }
    }
}

/// Draws a piece around a point, at `scale` of the size for a square.
pub(super) fn draw(out: &mut Markup, (x, y): (f64, f64), face: Face, scale: f64) {
    let Face { name, piece } = face;
    let scale = scale * size(piece.kind());
    let turned = if piece.color() == Color::White { " rotate(180)" } else { "" };
    let is_promoted = piece.kind().is_promoted();
    let ink = if is_promoted { "#b3201f" } else { "#1b1208" };
    // Promoted pieces are bold as well as red, for readers who cannot see the red.
    let weight = if is_promoted || name.is_ascii() { " font-weight=\"bold\"" } else { "" };
    let (font_size, base) = match (name.is_ascii(), is_promoted) {
        (false, _) => (24.0, 11.0),
        (true, false) => (22.0, 11.0),
        (true, true) => (17.0, 9.0),
    };
    out.open(&format!("transform=\"translate({x} {y}){turned} scale({scale:.3})\""));
    out.path(SHAPE, "fill=\"#fdeecb\" stroke=\"#6d4c20\" stroke-width=\"1\"");
    let attributes = format!("text-anchor=\"middle\" fill=\"{ink}\"{weight}");
    out.text((0.0, base), font_size, &attributes, &name);
    out.close();
}

/// A pentagon around the origin, pointing up.
const SHAPE: &str = "M0 -19.5L12 -14.5L16.8 18.5H-16.8L-12 -14.5Z";

/// The size of a piece relative to the king. More valuable pieces are larger, as in a real set.
const fn size(kind: PieceKind) -> f64 {
    match kind.unpromoted() {
        PieceKind::King => 1.0,
        PieceKind::Rook | PieceKind::Bishop => 0.98,
        PieceKind::Gold | PieceKind::Silver => 0.95,
        PieceKind::Knight | PieceKind::Lance => 0.92,
        _ => 0.88,
    }
}
