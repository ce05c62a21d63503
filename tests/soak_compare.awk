# Compares the records of a shogi-server with those of its players, NAME/logs/games/*.csa, which come after them: for
# each game and each player the moves with their times, the end and the result. Prints how many agree, and each that
# does not.

FNR == 1 { end_of_file(); of_client = FILENAME ~ /\/logs\/games\//; path = FILENAME }
/^N\+/ { black = substr($0, 3) }
/^N-/ { white = substr($0, 3) }
/^\$EVENT:/ { id = substr($0, 8) }
/^[+-][0-9][0-9][0-9][0-9][A-Z][A-Z]/ { moves = moves " " substr($0, 1, 7); count++ }
/^T[0-9]/ && moves { moves = moves $0 }
/^%/ { word = $0 }
/^'server: / { stated = $0 }
/^'summary:/ { summary = $0 }

function end_of_file() {
    if (path && of_client) client_file()
    else if (path && summary) server_file()
    else if (path) unfinished++
    moves = word = stated = summary = id = ""
    count = 0
}

# A file without a summary is an offer that was rejected.
function server_file(    part) {
    games++
    order[games] = id
    split(summary, part, ":")
    kind[id] = part[2]
    server_moves[id] = moves
    server_count[id] = count
    pairing[id] = id ~ /\+floodgate-/ ? "floodgate" : "plain"
    result[id, black] = last_word(part[3])
    result[id, white] = last_word(part[4])
    players[id] = black " " white
}

function last_word(text) { sub(/.* /, "", text); return text }

function client_file(    name, side) {
    name = path
    sub(/\/logs\/games\/.*/, "", name)
    sub(/.*\//, "", name)
    if ((id, name) in file) { print "two records: " path; wrong++ }
    side = name == black ? "+" : "-"
    file[id, name] = path
    client_moves[id, name] = moves
    client_count[id, name] = count
    client_word[id, name] = word
    client_result[id, name] = own_result(side)
    client_stated[id, name] = stated
    records++
    if (!word) without_end++
}

# By the words of the record alone: what it says to a program that reads it.
function own_result(side,    to_move) {
    if (word ~ /^%(SENNICHITE|MAX_MOVES|JISHOGI)$/) return "draw"
    if (word == "%CHUDAN" || word == "") return "none"
    to_move = count % 2 ? "-" : "+"
    if (word == "%KACHI") return to_move == side ? "win" : "lose"
    if (word ~ /^%(TORYO|TIME_UP|ILLEGAL_MOVE)$/) return to_move == side ? "lose" : "win"
    if (word ~ /^%[+-]ILLEGAL_ACTION$/) return substr(word, 2, 1) == side ? "lose" : "win"
    return word
}

# The word for an end by this summary of the server.
function word_for(kind) {
    if (kind ~ /^(toryo|abnormal)$/) return "%TORYO"
    if (kind == "time up") return "%TIME_UP"
    if (kind ~ /^(max_moves|sennichite)$/) return "%" toupper(kind)
    if (kind == "kachi") return "%KACHI"
    return "%ILLEGAL_MOVE"
}

function stated_result(text) {
    if (text ~ /#WIN/) return "win"
    if (text ~ /#LOSE/) return "lose"
    if (text ~ /#(DRAW|CENSORED)/) return "draw"
    return "none"
}

function verdict(id, name,    stated) {
    if (!((id, name) in file)) return "no record"
    if (index(server_moves[id] " ", client_moves[id, name]) != 1) return "other moves"
    if (client_word[id, name] == "%CHUDAN") return "interrupted"
    stated = stated_result(client_stated[id, name])
    if (stated != "none" && stated != result[id, name]) return "other statement"
    if (client_result[id, name] != result[id, name]) return "other result"
    if (client_count[id, name] != server_count[id]) return "fewer moves"
    if (stated == "none") return "same, not stated"
    if (client_word[id, name] == word_for(kind[id])) return "same"
    # Who resigns while the other side's connection is lost has won: no resignation, but a fault of the other side.
    return kind[id] == "abnormal" && client_word[id, name] ~ /ILLEGAL_ACTION$/ ? "same, won by resigning" : "other word"
}

function compare(id,    name, i, both, what) {
    split(players[id], both, " ")
    for (i = 1; i <= 2; i++) {
        name = both[i]
        what = verdict(id, name)
        table[pairing[id] "\t" kind[id] "\t" what]++
        known[id, name] = 1
        if (what ~ /^(same|same, won by resigning|interrupted)$/) continue
        print what ": " name ", " result[id, name] " by " kind[id] " after " server_count[id] " moves; the client: " \
            client_word[id, name] " after " client_count[id, name] " " client_stated[id, name] ", " id
        if (what ~ /^other|^fewer/) wrong++
    }
    ends[pairing[id] "\t" kind[id]]++
}

END {
    end_of_file()
    for (i = 1; i <= games; i++) compare(order[i])
    for (key in file) if (!(key in known)) { print "not on the server: " file[key]; strange++ }
    print "games: " games ", offers without a game: " unfinished + 0 ", records: " records + 0
    sorted = "sort"
    for (key in ends) print "games\t" key "\t" ends[key] | sorted
    for (key in table) print "sides\t" key "\t" table[key] | sorted
    close(sorted)
    print "records without an end: " without_end + 0 ", of games that the server does not know: " strange + 0
    print "records that contradict the server: " wrong + 0
    exit (wrong + strange + without_end > 0)
}
