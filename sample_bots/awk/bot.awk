# A bot in plain awk: the referee's messages come as lines of JSON, its answers go out as lines of JSON.
# Simple sound rules, every variant and option; it remembers nothing between two asks, and any number of asks may share a line.

{
    parse($0)
    out = ""
    for (a = 0; ("asks." a ".id") in at; a++) {
        ask = "asks." a "."
        view = ask "view."
        out = out (a ? "," : "") "{\"ask\":" at[ask "id"] "," ((ask "legal_calls.0") in at ? said(call()) : laid(card())) "}"
    }
    if (out != "") { print "{\"answers\":[" out "]}"; fflush() }
}

function said(name) { return "\"call\":\"" name "\"" }
function laid(name) { return "\"card\":\"" name "\"" }

# ---- calls --------------------------------------------------------------------------------------------------------------

function call(   n, i, name, best, value, most) {
    if (may("CALL_CLAIM")) return "CALL_CLAIM"
    if (may("CALL_ALONE")) return worth(letter(at[view "trump"])) >= 4 ? "CALL_ALONE" : may("CALL_TOGETHER") ? "CALL_TOGETHER" : at[ask "legal_calls.0"]
    if (may("CALL_ORDER")) return turned_worth() >= 2.5 || !may("CALL_PASS") ? "CALL_ORDER" : "CALL_PASS"
    most = -1
    n = size(ask "legal_calls")
    for (i = 0; i < n; i++) {
        name = at[ask "legal_calls." i]
        if (name ~ /^CALL_(CLUBS|DIAMONDS|HEARTS|SPADES)$/ && (value = worth(letter(name))) > most) { most = value; best = name }
        if (name ~ /^CALL_BID_/ && best == "" && substr(name, 10) + 0 <= hoped()) best = name
    }
    if (may("CALL_PASS") && (best == "" || (most >= 0 && most < 2.5))) return "CALL_PASS"
    return best == "" ? at[ask "legal_calls.0"] : best
}

function may(name,   i, n) {
    n = size(ask "legal_calls")
    for (i = 0; i < n; i++) if (at[ask "legal_calls." i] == name) return 1
    return 0
}

# The tricks to be hoped for in the best suit, a partner's help included.
function hoped() { return worth(best_suit()) + (size(view "taken") == 4 ? size(view "hand") / 8 : 0) }

# What the hand is worth once the turned card is ordered; only a dealer may count it in.
function turned_worth(   trump, turned) {
    turned = at[view "turned_card"]
    trump = turned == "CARD_JOKER" ? letter(at[view "joker_suit"]) : substr(turned, 7)
    return worth(trump) + (at[view "dealer"] == at[view "seat"] ? 0.6 : 0)
}

# Roughly the tricks that the hand takes with a trump suit: trumps, more for the bowers, and aces.
function worth(trump,   i, n, held, power, tricks) {
    n = size(view "hand")
    for (i = 0; i < n; i++) {
        held = at[view "hand." i]
        power = strength(held, trump, "")
        tricks += power >= 29 ? 1 : power == 28 ? 0.85 : power ? 0.6 : held ~ /_A/ ? 0.6 : held ~ /_K/ ? 0.15 : 0
    }
    return tricks + 0
}

function best_suit(   i, best) {
    best = "C"
    for (i = 2; i <= 4; i++) if (worth(substr("CDHS", i, 1)) > worth(best)) best = substr("CDHS", i, 1)
    return best
}

# ---- cards --------------------------------------------------------------------------------------------------------------

function card(   trump) {
    trump = letter(at[view "trump"])
    if (trump == "") trump = best_suit()
    if (at[view "phase"] == "PHASE_PLAY") return play(trump, size(view "tricks"))
    return at[view "phase"] == "PHASE_GIFT" && at[view "seat"] != at[view "maker"] ? pick(trump, 1) : pick(trump, 0)
}

# Lead an ace, else low; take a trick as cheaply as possible; throw low where it is lost, or partner's.
function play(trump, number,   trick, i, n, led, power, most, best, seat, winner, cheapest, name) {
    trick = view "tricks." (number - 1) "."
    n = size(trick "cards")
    if (!number || !n || (trick "winner") in at) return lead(trump)
    led = suit(at[trick "cards.0"], trump)
    seat = at[trick "leader"]
    for (i = 0; i < n; i++) {
        power = strength(at[trick "cards." i], trump, led)
        if (power > most) { most = power; winner = seat }
        do seat = (seat + 1) % size(view "taken"); while (is_out(seat))
    }
    if (size(view "taken") == 4 && winner == (at[view "seat"] + 2) % 4) return pick(trump, 0)
    n = size(ask "legal_cards")
    cheapest = 100
    for (i = 0; i < n; i++) {
        name = at[ask "legal_cards." i]
        power = strength(name, trump, led)
        if (power > most && power < cheapest) { cheapest = power; best = name }
    }
    return best == "" ? pick(trump, 0) : best
}

function lead(trump,   i, n, name) {
    n = size(ask "legal_cards")
    for (i = 0; i < n; i++) {
        name = at[ask "legal_cards." i]
        if (strength(name, trump, "") >= 28 || (name ~ /_A/ && suit(name, trump) != trump)) return name
    }
    return pick(trump, 0)
}

# The lowest of the legal cards, or the highest; trumps stand above all others.
function pick(trump, highest,   i, n, name, power, best, found) {
    n = size(ask "legal_cards")
    for (i = 0; i < n; i++) {
        name = at[ask "legal_cards." i]
        power = strength(name, trump, suit(name, trump))
        if (found == "" || (highest ? power > best : power < best)) { found = name; best = power }
    }
    return found
}

function is_out(seat,   i, n) {
    n = size(view "out")
    for (i = 0; i < n; i++) if (at[view "out." i] == seat) return 1
    return 0
}

# How strong a card is with a trump suit and a suit led; 0 cannot win.
function strength(name, trump, led,   rank) {
    if (name == "CARD_JOKER") return 30
    rank = index("789TJQKA", substr(name, 6, 1))
    if (suit(name, trump) == trump) return rank != 5 ? 10 + rank : substr(name, 7) == trump ? 29 : 28
    return suit(name, trump) == led ? rank : 0
}

# The suit that a card belongs to: the joker and the jack of trump's colour are trumps.
function suit(name, trump,   printed) {
    printed = substr(name, 7)
    return name == "CARD_JOKER" || (name ~ /_J/ && printed trump ~ /^(CS|SC|DH|HD)$/) ? trump : printed
}

# "SUIT_CLUBS" or "CALL_CLUBS" to "C"; "" for what is not known yet.
function letter(name) { return name ~ /_UNSPECIFIED$/ ? "" : substr(name, 6, 1) }

# ---- JSON ---------------------------------------------------------------------------------------------------------------

# Fills `at` with every plain value of a message by its path: at["asks.0.view.hand.2"] = "CARD_JC"; size(path) counts a list.
function parse(text,   n, i, j, c, piece, word, depth, path, list) {
    split("", at)
    split("", count)
    gsub(/\\["\\]/, "'", text)
    n = split(text, piece, "\"")  # every second piece is a string, the others hold what stands between strings
    for (i = 1; i <= n; i++) {
        if (i % 2 == 0) {
            if (piece[i + 1] ~ /^ *:/) key[depth] = piece[i]; else at[path[depth] key[depth]] = piece[i]
            continue
        }
        for (j = 1; j <= length(piece[i]); j++) {
            c = substr(piece[i], j, 1)
            if (c ~ /[-+.0-9a-z]/) { word = word c; continue }
            if (word != "") { at[path[depth] key[depth]] = word; word = "" }
            if (c == "{" || c == "[") {
                path[depth + 1] = depth ? path[depth] key[depth] "." : ""
                list[++depth] = c == "["
                key[depth] = list[depth] ? 0 : ""
            } else if (c == "}" || c == "]") {
                depth--
            } else if (c == "," && list[depth]) key[depth]++
        }
    }
}

# How many plain values or objects a list holds.
function size(list,   n) {
    if (list in count) return count[list]
    while ((list "." n + 0) in at || (list "." n + 0 ".leader") in at) n++
    return count[list] = n + 0
}
