"use strict";
// The words of the scripts, in Japanese and in English. The documents have their own in both languages.

const WORDS = {
  // Parts of the page, for screen readers.
  clients: ["接続とエンジン", "Connections and engines"],
  engines: ["エンジン", "Engines"],
  games: ["対局", "Games"],
  game: ["対局", "Game"],
  event: ["大会", "Event"],
  moves: ["棋譜", "Moves"],

  // The board.
  first: ["最初", "First position"],
  back: ["一手戻る", "One move back"],
  on: ["一手進む", "One move on"],
  last: ["最後", "Last position"],
  turn: ["盤を反転", "Turn the board"],
  start: ["開始局面", "Start position"],
  move: [(ply, text) => `${ply}手目 ${text}`, (ply, text) => `Move ${ply}: ${text}`],
  past: ["（対局は先へ進んでいます）", "(the game has gone on)"],
  seconds: [(text) => `${text}秒`, (text) => `${text} s`],
  days: [(count) => `${count}日`, (count) => `${count} days`],
  depth: [(depth) => `深さ ${depth}`, (depth) => `depth ${depth}`],
  book: ["定跡", "from the book"],
  hit: ["先読み的中", "ponder hit"],
  miss: ["先読み外れ", "ponder miss"],
  mate: [(plies) => (plies === null ? "詰み" : `${plies}手詰`), (plies) => `mate${plies ?? ""}`],
  flag: [(time) => `時間切れまで ${time}`, (time) => `flag in ${time}`],
  unknownClock: ["現在の残り時間は不明", "not known any more"],
  suspendedGame: ["中断しています。再開を待っています", "Suspended by the server, until it goes on"],
  lostGame: [(why) => `接続が切れています：${why}`, (why) => `The connection is lost: ${why}`],
  ourEngine: ["（自分のエンジン）", " (our engine)"],
  ponders: [(move) => `${move} を先読み中`, (move) => `ponders on ${move}`],
  thought: [(ply) => `${ply}手目を考えた`, (ply) => `thought about move ${ply}`],
  thinks: ["思考中", "thinks"],
  nodes: [(count) => `${count} ノード`, (count) => `${count} nodes`],
  nps: [(count) => `毎秒 ${count} ノード`, (count) => `${count} nodes/s`],
  table: [(percent) => `ハッシュ ${percent}%`, (percent) => `table ${percent} %`],
  workers: [(count) => `他に${count}台`, (count) => (count === 1 ? "1 worker" : `${count} workers`)],
  lines: ["読み筋", "Expected lines"],

  // The graph.
  chance: [(percent, ply) => `先手の勝率：${ply}手目で${percent}%`, (percent, ply) => `Winning probability of black: ${percent} % after move ${ply}`],
  noChance: ["先手の勝率：まだ不明", "Winning probability: nothing known yet"],

  // The ends of games.
  blackWins: [(name) => `☗ ${name} の勝ち`, (name) => `☗ ${name} wins`],
  whiteWins: [(name) => `☖ ${name} の勝ち`, (name) => `☖ ${name} wins`],
  blackWon: ["☗ の勝ち", "☗ wins"],
  whiteWon: ["☖ の勝ち", "☖ wins"],
  draw: ["引き分け", "Draw"],
  none: ["結果なし", "No result"],
  end: [(who, why, plies) => `${who}：${why}、${plies}手`, (who, why, plies) => `${who}: ${why}, ${plies === 1 ? "1 move" : `${plies} moves`}`],
  gameNumber: [(number) => `対局 ${number}`, (number) => `Game ${number}`],
  balance: [
    (won, lost, drawn, over) => `今回の起動から：${won}勝${lost}敗${drawn}分、終局 ${over}局`,
    (won, lost, drawn, over) => `Since the program began: ${won} won, ${lost} lost, ${drawn} drawn; games finished: ${over}.`,
  ],
  historyFault: [(why) => `これまでの対局を読めません：${why}`, (why) => `The earlier games cannot be read: ${why}`],

  // The rating curve.
  record: [
    (name, won, lost, drawn, games) => `${name}：${games}局、${won}勝${lost}敗${drawn}分`,
    (name, won, lost, drawn, games) => `${name}: ${games} games, ${won} won, ${lost} lost, ${drawn} drawn`,
  ],
  rating: [
    (elo, error, window) => `レーティング ${elo} ± ${error}（レーティングの分かる相手との直近${window}局のパフォーマンス、95%）`,
    (elo, error, window) => `Rating ${elo} ± ${error} (performance in the last ${window} games against opponents of known rating, 95 %)`,
  ],
  difference: [
    (elo, error, window) => `相手とのElo差 ${elo} ± ${error}（直近${window}局、95%。相手のレーティングは不明）`,
    (elo, error, window) => `Elo difference to the opponents ${elo} ± ${error} (last ${window} games, 95 %; their ratings are not known)`,
  ],
  noRating: ["勝ちと負けがそろうとレーティングを計算できます", "A rating needs wins and losses"],
  ratingCurve: [(name) => `${name} のレーティングの推移`, (name) => `Rating of ${name} over its games`],

  // The connection to the program.
  live: ["接続中", "live"],
  asksForToken: [
    "プログラムは動いていますが、トークンが必要です。ページを再読み込みしてトークンを入力してください。",
    "The program runs and asks for the token: load the page again and enter it.",
  ],
  ended: [(age) => `プログラムは終了しました（${age}前）。`, (age) => `The program has ended (${age} ago).`],
  lost: [
    (age) => `プログラムとの接続が切れました。最後のデータは${age}前のものです。時計は止めてあります。`,
    (age) => `The connection to the program is lost. The last data is ${age} old; clocks stand still.`,
  ],

  // The connections of the program.
  isEnded: ["終了", "ended"],
  isNone: ["未接続", "not connected yet"],
  isConnecting: [(text) => `${text} に接続しています`, (text) => `connecting to ${text}`],
  isWaiting: [(text) => `${text} でログイン済み、対局待ち`, (text) => `logged in as ${text}, waits for a game`],
  isPlaying: ["対局中", "plays"],
  isLost: [(text) => `接続が切れました：${text}`, (text) => `connection lost: ${text}`],
  isSleeping: [(text) => `ログアウト中：${text}`, (text) => `logged out: ${text}`],
  isSuspended: ["対局は中断しています", "the game is suspended"],
  isPausing: [(text) => `再試行します：${text}`, (text) => `tries again: ${text}`],
  engineStarts: ["起動中", "is starting"],
  engineFailed: [(text) => `失敗：${text}`, (text) => `failed: ${text}`],
  since: [(time) => `${time}経過`, (time) => `for ${time}`],
  pairing: [(time) => `組み合わせまで ${time}`, (time) => `pairing in ${time}`],
  goesOn: [(time) => `再開まで ${time}`, (time) => `goes on in ${time}`],
  openUntil: [(date) => `${date} まで対局`, (date) => `games begin until ${date}`],
  heard: [(time) => `エンジンの報告は${time}前`, (time) => `engine heard ${time} ago`],

  // An event.
  round: [
    (name, round, rounds, over) => `${name}：第${round}回戦（全${rounds}回戦）${over ? "、最終結果" : ""}`,
    (name, round, rounds, over) => `${name}: round ${round} of ${rounds}${over ? ", final results" : ""}`,
  ],
  pairings: ["組み合わせ", "Pairings"],
  standings: ["順位表", "Table"],
  plays: ["対局中", "plays"],
  bye: ["不戦", "bye"],
  black: ["先手", "Black"],
  white: ["後手", "White"],
  result: ["結果", "Result"],
  reason: ["理由", "Reason"],
  player: ["対局者", "Player"],
  points: ["点", "Points"],
  won: ["勝", "Won"],
  drawn: ["分", "Drawn"],
  lostGames: ["負", "Lost"],
  buchholz: ["ソルコフ", "Buchholz"],
  sonnebornBerger: ["SB", "S-B"],

  // The page of one game.
  began: [(date) => `開始 ${date}`, (date) => `Began ${date}`],
  control: [(text) => `持ち時間 ${text}`, (text) => `time ${text}`],
  recordFile: [(path) => `棋譜 ${path}`, (path) => `record ${path}`],
  analysis: ["この対局の解析", "Analysis of this game"],
  notAnalysed: [(path) => `未解析：kyomi analyze ${path}`, (path) => `not analysed: kyomi analyze ${path}`],
  noAnswer: ["プログラムから返事がありません。", "The program does not answer."],
};

// The reasons of ends, as the program names them.
const REASONS = {
  "mate": "詰み",
  "resignation": "投了",
  "declaration": "入玉宣言",
  "try": "トライ",
  "repetition": "千日手",
  "perpetual check": "連続王手の千日手",
  "move limit": "最大手数",
  "win by agreed scores": "評価値の一致による勝ち",
  "draw by agreed scores": "評価値の一致による引き分け",
  "time up": "時間切れ",
  "illegal move": "反則手",
  "wrong declaration": "誤った入玉宣言",
  "illegal action": "反則",
  "crash": "プログラムの異常終了",
  "connection lost": "接続切れ",
  "adjourned": "中断",
  "abnormal end": "異常終了",
  "broken off": "打ち切り",
  "no reason given": "理由の記載なし",
};

// What else the program says of itself.
const SENTENCES = [
  [/^outside the windows of \[schedule\]$/, "[schedule]の時間外"],
  [/^the game of this window is played$/, "この時間帯の対局は終了"],
  [/^the (\d+) games of this window are played$/, "この時間帯の$1局は終了"],
  [/^pause between games$/, "対局の間の休み"],
  [/^no game for (\d+) minutes$/, "$1分間、対局がありません"],
  [/^the schedule is open$/, "[schedule]の時間帯に入りました"],
  [/^the schedule is open until (.*)$/, "[schedule]の時間帯に入りました（$1 まで）"],
];

const isJapanese = () => document.documentElement.dataset.lang === "ja";

function say(key, ...values) {
  const word = WORDS[key][isJapanese() ? 0 : 1];
  return typeof word === "function" ? word(...values) : word;
}

// Moves, which the program sends in both languages.
function inLanguage(object, key) {
  return isJapanese() ? object[key] : object[`${key}_en`];
}

function reasonText(reason) {
  return isJapanese() && Object.hasOwn(REASONS, reason) ? REASONS[reason] : reason;
}

function sentence(text) {
  const found = isJapanese() ? SENTENCES.find(([pattern]) => pattern.test(text)) : undefined;
  return found ? text.replace(...found) : text;
}

// Dates and times as the language has them.
function dateText(date) {
  return date.toLocaleString(isJapanese() ? "ja-JP" : "en-GB", { dateStyle: "short", timeStyle: "short" });
}

function timeText(date) {
  return date.toLocaleTimeString(isJapanese() ? "ja-JP" : "en-GB");
}

// Calls `changed` when the language changes.
function onLanguage(changed) {
  let shown = document.documentElement.dataset.lang;
  document.addEventListener("kyomi-look", () => {
    if (document.documentElement.dataset.lang === shown) return;
    shown = document.documentElement.dataset.lang;
    changed();
  });
}

function setLabels() {
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
  }
}
setLabels();
onLanguage(setLabels);
