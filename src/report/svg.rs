//! A position as an SVG picture.

mod markup;
mod piece;

use std::fmt::Write as _;

use kyomi_shogi::{Color, Hand, Move, Piece, PieceKind, Position, Square, notation::japanese};

use markup::{Markup, fitted};
use piece::Face;

use super::{Moment, Script};

/// The options of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardOptions {
    /// The script of pieces, squares and sides.
    pub script: Script,
    /// The names of the players, `[black, white]`: any text of any length.
    pub names: [Option<String>; 2],
    /// Whether the sides are called `下手` and `上手`, as in a handicap game.
    pub is_handicap: bool,
    /// A line below the board, for instance with the ply and the move.
    pub caption: Option<String>,
    /// The width of the picture in pixels unless a style sheet sets another, 550 by default. The height follows from
    /// it.
    pub width: Option<u32>,
}

impl BoardOptions {
    /// The options for a moment of a record: the players' names, and a caption with ply and move.
    pub fn of(moment: &Moment<'_>, script: Script) -> Self {
        let header = &moment.record().header;
        Self {
            script,
            names: [header.black.clone(), header.white.clone()],
            is_handicap: moment.is_handicap(),
            caption: Some(moment.caption(script)),
            width: None,
        }
    }
}

/// The picture of a position: one self-contained `<svg>` element.
///
/// Black plays upwards, and white's pieces are upside down. The pieces in hand are shown with their counts on stands,
/// white's at the upper left, black's at the lower right. The side to move has a sign beside its name. The destination
/// of `last_move` has a solid frame, the square it left a dashed one. No information is shown by colour alone.
///
/// The element has a `viewBox`, so that it can be shown at any width, a `<title>` for screen readers, and the SFEN in
/// its `<desc>`. It has neither ids nor style sheets, so that a page can contain several. All text is escaped;
/// characters that XML forbids are left out.
///
/// ```
/// use kyomi::report::{BoardOptions, board_svg};
/// use kyomi_shogi::Position;
/// let names = [Some("R&D <lab>".to_owned()), None];
/// let options = BoardOptions { names, ..BoardOptions::default() };
/// let svg = board_svg(&Position::startpos(), None, &options);
/// assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
/// assert!(svg.contains("R&amp;D &lt;lab&gt;"));
/// ```
pub fn board_svg(position: &Position, last_move: Option<Move>, options: &BoardOptions) -> String {
    let height = if options.caption.is_some() { CAPTION.1 + 14.0 } else { BOTTOM + 42.0 };
    let mut out = Markup::new(WIDTH, height, options.width);
    out.leaf("title", &title(position, options));
    out.leaf("desc", &format!("SFEN: {}", position.to_sfen()));
    out.rect((0.0, 0.0), (WIDTH, height), "rx=\"8\" fill=\"#fffdf8\"");
    for color in Color::ALL {
        player(&mut out, position, color, options);
        stand(&mut out, position.hand(color), color, options.script);
    }
    board(&mut out, last_move, options.script);
    for square in Square::all() {
        if let Some(piece) = position.piece_on(square) {
            piece::draw(&mut out, centre(square), Face::new(piece, options.script), 1.0);
        }
    }
    if let Some(caption) = &options.caption {
        let (text, size) = fitted(caption, 15.0, WIDTH - 24.0);
        out.text(CAPTION, size, "text-anchor=\"middle\" fill=\"#333\"", &text);
    }
    out.finish()
}

/// The width of the picture in its own units, one pixel each at the default width.
const WIDTH: f64 = 550.0;
/// The width and height of a square.
const CELL: (f64, f64) = (40.0, 43.0);
/// The edges of the board.
const LEFT: f64 = 90.0;
const TOP: f64 = 62.0;
const RIGHT: f64 = LEFT + 9.0 * CELL.0;
const BOTTOM: f64 = TOP + 9.0 * CELL.1;
/// The size of a stand for pieces in hand, with room for all seven kinds.
const STAND: (f64, f64) = (66.0, 7.0 * CELL.1 + 10.0);
const CAPTION: (f64, f64) = (WIDTH / 2.0, BOTTOM + 56.0);

const WOOD: &str = "#f2cf8d";
const INK: &str = "#3b2a14";
const MARK: &str = "#b3401f";

/// The upper left corner of a square.
fn corner(square: Square) -> (f64, f64) {
    let (file, rank) = (f64::from(square.file()), f64::from(square.rank()));
    ((9.0 - file).mul_add(CELL.0, LEFT), (rank - 1.0).mul_add(CELL.1, TOP))
}

fn centre(square: Square) -> (f64, f64) {
    let (x, y) = corner(square);
    (x + CELL.0 / 2.0, y + CELL.1 / 2.0)
}

/// The title, which screen readers read first: the players, the caption and the side to move.
fn title(position: &Position, options: &BoardOptions) -> String {
    let [black, white] = &options.names;
    let mut title = match (black, white) {
        (None, None) => "Shogi position".to_owned(),
        (black, white) => {
            let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
            format!("Shogi: {} (black) against {} (white)", name(black), name(white))
        }
    };
    if let Some(caption) = &options.caption {
        title.push_str(", ");
        title.push_str(caption);
    }
    let _ = write!(title, ", {} to move", position.side_to_move());
    title
}

/// Grid, star points, coordinates, and the marks of the last move.
fn board(out: &mut Markup, last_move: Option<Move>, script: Script) {
    let size = (RIGHT - LEFT, BOTTOM - TOP);
    out.rect((LEFT, TOP), size, &format!("fill=\"{WOOD}\""));
    if let Some(mv) = last_move {
        if let Some(from) = mv.from() {
            let dashed = format!(
                "fill=\"#f7dfa9\" stroke=\"{MARK}\" stroke-width=\"1.6\" stroke-dasharray=\"4 3\""
            );
            framed(out, from, &dashed);
        }
        let full = format!("fill=\"#ffb85c\" stroke=\"{MARK}\" stroke-width=\"2.4\"");
        framed(out, mv.to(), &full);
    }
    let mut grid = String::new();
    for line in 1..9 {
        let (x, y) = (f64::from(line).mul_add(CELL.0, LEFT), f64::from(line).mul_add(CELL.1, TOP));
        let _ = write!(grid, "M{x} {TOP}V{BOTTOM}M{LEFT} {y}H{RIGHT}");
    }
    out.path(&grid, &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\".9\""));
    out.rect((LEFT, TOP), size, &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"2\""));
    for (file, rank) in [(3.0, 3.0), (6.0, 3.0), (3.0, 6.0), (6.0, 6.0)] {
        out.circle((LEFT + file * CELL.0, TOP + rank * CELL.1), 3.0, INK);
    }
    out.open(&format!("font-size=\"13\" text-anchor=\"middle\" fill=\"{INK}\""));
    for number in 1..=9 {
        let along = f64::from(number) - 0.5;
        let at = (RIGHT - along * CELL.0, TOP - 6.0);
        out.label(at, &number.to_string());
        let rank = match script {
            Script::Japanese => japanese::rank(number).to_owned(),
            Script::Letters => char::from(b'a' - 1 + number).to_string(),
        };
        out.label((RIGHT + 12.0, TOP + along * CELL.1 + 4.5), &rank);
    }
    out.close();
}

/// A frame within a square.
fn framed(out: &mut Markup, square: Square, attributes: &str) {
    let (x, y) = corner(square);
    out.rect((x + 1.6, y + 1.6), (CELL.0 - 3.2, CELL.1 - 3.2), attributes);
}

/// Draws the side, the player's name and the sign of the side to move: white's above the board, black's below.
fn player(out: &mut Markup, position: &Position, color: Color, options: &BoardOptions) {
    let side = match options.script {
        Script::Japanese => {
            let side = japanese::side_name(color, options.is_handicap);
            format!("{}{side}", japanese::side_mark(color))
        }
        Script::Letters if color == Color::Black => "Black".to_owned(),
        Script::Letters => "White".to_owned(),
    };
    let name = options.names[color.index()].as_deref().unwrap_or_default();
    let is_to_move = position.side_to_move() == color;
    let (room, aside) =
        (WIDTH - 24.0 - TURN.0 - 10.0, if is_to_move { TURN.0 + 10.0 } else { 0.0 });
    let (text, size) = fitted(format!("{side} {name}").trim_end(), 16.0, room);
    let (x, y, anchor, sign) = match color {
        Color::White => (12.0 + aside, 29.0, "start", 12.0),
        Color::Black => (WIDTH - 12.0 - aside, BOTTOM + 28.0, "end", WIDTH - 12.0 - TURN.0),
    };
    let mut attributes = format!("text-anchor=\"{anchor}\" fill=\"#222\"");
    if is_to_move {
        attributes.push_str(" font-weight=\"bold\"");
        out.rect((sign, y - 17.0), TURN, &format!("rx=\"4\" fill=\"{INK}\""));
        let turn = match options.script {
            Script::Japanese => "手番",
            Script::Letters => "to move",
        };
        let middle = (sign + TURN.0 / 2.0, y - 1.0);
        out.text(middle, 13.0, "text-anchor=\"middle\" fill=\"#fff\"", turn);
    }
    out.text((x, y), size, &attributes, &text);
}

/// The size of the sign of the side to move.
const TURN: (f64, f64) = (62.0, 24.0);

/// Draws the pieces in hand with their counts, the most valuable nearest to their player.
fn stand(out: &mut Markup, hand: Hand, color: Color, script: Script) {
    let (x, y) = match color {
        Color::White => (12.0, TOP),
        Color::Black => (WIDTH - 12.0 - STAND.0, BOTTOM - STAND.1),
    };
    let wood = format!("rx=\"4\" fill=\"{WOOD}\" stroke=\"{INK}\" stroke-width=\"1.2\"");
    out.rect((x, y), STAND, &wood);
    for (row, (kind, count)) in hand.iter().rev().enumerate() {
        let down = row as f64 * CELL.1 + CELL.1 / 2.0 + 5.0;
        let middle = match color {
            Color::White => y + down,
            Color::Black => y + STAND.1 - down,
        };
        held(out, (x, middle), color, (kind, count), script);
    }
}

fn held(
    out: &mut Markup,
    (x, middle): (f64, f64),
    color: Color,
    (kind, count): (PieceKind, u8),
    script: Script,
) {
    let piece = Piece::new(color, kind);
    piece::draw(out, (x + 23.0, middle), Face::new(piece, script), 0.95);
    if count > 1 {
        let attributes = format!("text-anchor=\"middle\" font-weight=\"bold\" fill=\"{INK}\"");
        out.text((x + 52.0, middle + 6.0), 16.0, &attributes, &count.to_string());
    }
}

#[cfg(test)]
mod tests;
