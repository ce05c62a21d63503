//! The page of a folder of games, with a cross table.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use super::shell::{both, buttons, page, spans};
use crate::report::words::Both;
use kyomi_record::Winner;
use kyomi_record::html::escaped;
use kyomi_shogi::Color;

/// One game of the index.
#[derive(Clone, Debug, Default)]
pub struct IndexEntry {
    /// The path of its page, relative to the index; `None` if it has none.
    pub href: Option<String>,
    /// The names of black and white.
    pub names: [String; 2],
    /// The day and time, as text.
    pub date: Option<String>,
    /// The event.
    pub event: Option<String>,
    /// The opening.
    pub opening: Option<Both>,
    /// Who won; `None` without a result.
    pub winner: Option<Winner>,
    /// The end word of the record.
    pub end: String,
    /// Number of moves.
    pub plies: usize,
    /// The accuracy of both sides in percent.
    pub accuracy: [Option<f64>; 2],
    /// The numbers of mistakes and blunders of both sides.
    pub mistakes: [usize; 2],
}

/// The results of one player against another.
#[derive(Clone, Copy, Default)]
struct Results {
    wins: usize,
    losses: usize,
    draws: usize,
}

/// The largest number of players of a cross table; with more it would be too wide to read.
const MOST_PLAYERS: usize = 40;

/// The page of a folder: a cross table of the players, and all games.
pub fn index_page(title: &str, entries: &[IndexEntry]) -> String {
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<header><div class=\"names\"><h1>{}</h1><p class=\"about-game\">{}</p></div>{}</header>\n<main>",
        escaped(title),
        spans(&format!("{}局", entries.len()), &format!("{} games", entries.len())),
        buttons()
    );
    cross_table(&mut body, entries);
    games(&mut body, entries);
    body.push_str("</main>\n");
    page(title, &body, &[])
}

/// The results of all games, by player.
#[derive(Default)]
struct CrossTable<'a> {
    /// The results of the first player against the second.
    pairings: BTreeMap<(&'a str, &'a str), Results>,
    players: BTreeMap<&'a str, PlayerResults>,
}

/// The results of one player against all others.
#[derive(Clone, Copy, Default)]
struct PlayerResults {
    results: Results,
    /// The sum of the accuracies that are known, and their number.
    accuracy: (f64, usize),
}

impl Results {
    /// Counts a game in which this player had `side`.
    fn add(&mut self, winner: Option<Winner>, side: Color) {
        match winner {
            Some(Winner::Side(winner)) if winner == side => self.wins += 1,
            Some(Winner::Side(_)) => self.losses += 1,
            Some(Winner::Draw) => self.draws += 1,
            None => {}
        }
    }

    /// Twice the points: 2 for a win, 1 for a draw.
    const fn half_points(self) -> usize {
        self.wins * 2 + self.draws
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.wins, self.losses, self.draws)
    }
}

impl<'a> CrossTable<'a> {
    fn of(entries: &'a [IndexEntry]) -> Self {
        let mut table = Self::default();
        for entry in entries {
            let [black, white] = entry.names.each_ref().map(String::as_str);
            for (side, own, other) in [(Color::Black, black, white), (Color::White, white, black)] {
                let player = table.players.entry(own).or_default();
                if let Some(accuracy) = entry.accuracy[usize::from(side != Color::Black)] {
                    player.accuracy.0 += accuracy;
                    player.accuracy.1 += 1;
                }
                player.results.add(entry.winner, side);
                table.pairings.entry((own, other)).or_default().add(entry.winner, side);
            }
        }
        table
    }

    /// The names, the best player first.
    fn ranking(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.players.keys().copied().collect();
        names.sort_by_key(|name| Reverse(self.players[name].results.half_points()));
        names
    }

    /// The cells of one player's row: against each of `shown`, and its sums.
    fn write_row(&self, out: &mut String, own: &str, shown: &[&str]) {
        for other in shown {
            let cell = match self.pairings.get(&(own, *other)) {
                _ if own == *other => "×".to_owned(),
                Some(results) => results.to_string(),
                None => String::new(),
            };
            let _ = write!(out, "<td>{cell}</td>");
        }
        let PlayerResults { results, accuracy: (sum, count) } = self.players[own];
        let accuracy =
            if count > 0 { format!("{:.1}%", sum / count as f64) } else { "–".to_owned() };
        let points = results.half_points() as f64 / 2.0;
        let _ = writeln!(out, "<td>{results}</td><td>{points}</td><td>{accuracy}</td></tr>");
    }
}

fn cross_table(out: &mut String, entries: &[IndexEntry]) {
    let table = CrossTable::of(entries);
    let players = table.ranking();
    let shown = &players[..players.len().min(MOST_PLAYERS)];
    let _ = write!(
        out,
        "<section class=\"card\"><h2>{}</h2><div class=\"scroll\"><table><thead><tr><th></th>",
        spans("対戦表", "Cross table")
    );
    for at in 1..=shown.len() {
        let _ = write!(out, "<th>{at}</th>");
    }
    let _ = writeln!(
        out,
        "<th>{}</th><th>{}</th><th>{}</th></tr></thead><tbody>",
        spans("勝敗分", "Won-lost-drawn"),
        spans("点", "Points"),
        spans("正確さ", "Accuracy")
    );
    for (at, own) in shown.iter().enumerate() {
        let _ =
            write!(out, "<tr><th scope=\"row\" class=\"text\">{} {}</th>", at + 1, escaped(own));
        table.write_row(out, own, shown);
    }
    out.push_str("</tbody></table></div>");
    if players.len() > shown.len() {
        let more = players.len() - shown.len();
        let _ = write!(
            out,
            "<p>{}</p>",
            spans(&format!("ほか{more}人"), &format!("and {more} more players"))
        );
    }
    out.push_str("</section>\n");
}

fn games(out: &mut String, entries: &[IndexEntry]) {
    let _ = writeln!(
        out,
        "<section class=\"card\"><h2>{}</h2><div class=\"scroll\"><table><thead><tr><th class=\"text\">{}</th><th class=\"text\">▲</th><th class=\"text\">△</th>\
         <th class=\"text\">{}</th><th>{}</th><th class=\"text\">{}</th><th>▲ {}</th><th>△ {}</th><th>{}</th></tr></thead><tbody>",
        spans("対局", "Games"),
        spans("日時", "Date"),
        spans("結果", "Result"),
        spans("手数", "Moves"),
        spans("戦型", "Opening"),
        spans("正確さ", "accuracy"),
        spans("正確さ", "accuracy"),
        spans("悪手", "Mistakes"),
    );
    for entry in entries {
        let result = match entry.winner {
            Some(Winner::Side(Color::Black)) => "▲".to_owned(),
            Some(Winner::Side(Color::White)) => "△".to_owned(),
            Some(Winner::Draw) => "=".to_owned(),
            None => "–".to_owned(),
        };
        let date =
            entry.date.clone().or_else(|| entry.event.clone()).unwrap_or_else(|| "–".to_owned());
        let date = match &entry.href {
            Some(href) => format!("<a href=\"{}\">{}</a>", escaped(&encoded(href)), escaped(&date)),
            None => escaped(&date),
        };
        let percent = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}%"))
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"text\">{date}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text\">{result} {}</td><td>{}</td>\
             <td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}:{}</td></tr>",
            escaped(&entry.names[0]),
            escaped(&entry.names[1]),
            escaped(&entry.end),
            entry.plies,
            entry.opening.as_ref().map(both).unwrap_or_default(),
            percent(entry.accuracy[0]),
            percent(entry.accuracy[1]),
            entry.mistakes[0],
            entry.mistakes[1],
        );
    }
    out.push_str("</tbody></table></div></section>\n");
}

/// A relative path as a URL: every byte that may have a meaning there is percent-encoded, so that no file name can be
/// read as another kind of URL.
fn encoded(path: &str) -> String {
    let mut out = String::from("./");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_addresses_stay_beside_the_index() {
        let entry = IndexEntry {
            href: Some("javascript:alert(1) \"#?%.html".to_owned()),
            names: ["<script>a</script>".to_owned(), "b&c".to_owned()],
            winner: Some(Winner::Side(Color::White)),
            plies: 3,
            ..IndexEntry::default()
        };
        let page = index_page("x", &[entry]);
        assert!(page.contains("href=\"./javascript%3Aalert%281%29%20%22%23%3F%25.html\""));
        assert!(page.contains("&lt;script&gt;a&lt;/script&gt;") && !page.contains("<script>a"));
        assert!(page.contains("<td>1-0-0</td>") && page.contains("<td>0-1-0</td>"));
    }
}
