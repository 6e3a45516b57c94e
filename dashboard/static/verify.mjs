// Checks a match record of the arena from nothing but the record itself: it deals the cards again from the key, makes every move by
// the rules, and compares what comes out with what the record says. One file, no dependencies, nothing is sent anywhere.
//
// In a browser the page of a match runs it. Without any page: node verify.mjs RECORD.jsonl
// What a record holds and how keys become cards: docs/records.md. Clauses such as (K3) are those of the rule sheets.

const encoder = new TextEncoder();

// ---- keys -----------------------------------------------------------------------------------------------------------------

export const toHex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new Error("not hexadecimal");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** SHA-256 in hex. */
export const sha256 = async (bytes) => toHex(await crypto.subtle.digest("SHA-256", bytes));

async function signer(key) {
  const made = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return (text) => crypto.subtle.sign("HMAC", made, encoder.encode(text));
}

/** The key of a match, in hex, from the league's key (bytes) and the match's name. */
export const matchKey = async (leagueKey, match) => toHex(await (await signer(leagueKey))(match));

/** Uniform numbers from a key under a label: HMAC of "label/0", "label/1", … as big-endian words of 32 bits. */
class Words {
  constructor(sign, label) {
    this.sign = sign;
    this.label = label;
    this.count = 0;
    this.words = [];
  }

  async next() {
    if (!this.words.length) {
      const view = new DataView(await this.sign(`${this.label}/${this.count++}`));
      for (let at = 0; at < view.byteLength; at += 4) this.words.push(view.getUint32(at));
    }
    return this.words.shift();
  }

  async below(n) {
    const limit = Math.floor(2 ** 32 / n) * n;
    let word = await this.next();
    while (word >= limit) word = await this.next();
    return word % n;
  }
}

/** Deals from one match key (bytes). */
export class Dealer {
  static async of(key) {
    const dealer = new Dealer();
    dealer.sign = await signer(key);
    return dealer;
  }

  /** The pack (a list of cards) as deal `deal` of set `set` shuffles it. */
  async shuffled(pack, set, deal) {
    const words = new Words(this.sign, `deal/${set}/${deal}`);
    const cards = [...pack];
    for (let i = cards.length - 1; i > 0; i--) {
      const j = await words.below(i + 1);
      [cards[i], cards[j]] = [cards[j], cards[i]];
    }
    return cards;
  }

  /** Who deals first in a set. */
  firstDealer(set, seats) {
    return new Words(this.sign, `dealer/${set}`).below(seats);
  }
}

// ---- cards: texts as in the record, "JC", "XX" ----------------------------------------------------------------------------

const SUITS = "CDHS";
const RANKS = "789TJQKA";
const JOKER = "XX";
const COLOUR = { C: "S", S: "C", D: "H", H: "D" };
const CALLS = [
  "pass", "order", "C", "D", "H", "S", "3", "4", "5", "6", "7", "8", "9", "10", "11", "ask", "moon", "swap", "alone", "together",
  "dummy", "claim", "no",
];
const isCard = (action) => action === JOKER || (action.length === 2 && RANKS.includes(action[0]) && SUITS.includes(action[1]));

/** The suit that a card belongs to (K2); null for a joker while there is no trump. */
function suitOf(card, trump) {
  if (card === JOKER) return trump;
  return trump && card === "J" + COLOUR[trump] ? trump : card[1];
}

/** Strength within its suit; every trump is above every plain card (K1). */
function rank(card, trump) {
  if (card === JOKER) return 30;
  const plain = RANKS.indexOf(card[0]);
  if (!trump || suitOf(card, trump) !== trump) return plain;
  if (card[0] === "J") return card[1] === trump ? 29 : 28;
  return 10 + plain;
}

/** What a card is worth in a trick (K4); -1 cannot win. */
function worth(card, trump, led) {
  const suit = suitOf(card, trump);
  return suit === trump || suit === led ? rank(card, trump) : -1;
}

const order = (card) => (card === JOKER ? 99 : SUITS.indexOf(card[1]) * 8 + RANKS.indexOf(card[0]));

/** The lowest card (K11): plain before trumps, then the weaker, then C D H S. */
function lowest(cards, trump) {
  const key = (card) => (trump && suitOf(card, trump) === trump ? 1e6 : 0) + rank(card, trump) * 100 + order(card);
  return cards.reduce((best, card) => (key(card) < key(best) ? card : best));
}

// ---- variants -------------------------------------------------------------------------------------------------------------

function pack(low, joker) {
  const cards = [...SUITS].flatMap((suit) => [...RANKS.slice(RANKS.indexOf(low))].map((card) => card + suit));
  return joker ? [...cards, JOKER] : cards;
}

/** What a variant with its options is played by. Throws for one that is unknown. */
export function rulesOf(variant, options) {
  const teams = { "ghost-hand": false, cutthroat: false, "bid-euchre": true, "turn-up": true }[variant];
  if (teams === undefined) throw new Error(`unknown variant ${variant}`);
  const double = Boolean(options.double_deck);
  const seats = teams ? 4 : 3;
  const bids = variant === "ghost-hand" || variant === "bid-euchre";
  const single = variant === "cutthroat" ? pack(Number(options.deck) === 32 ? "7" : "9", Number(options.deck) === 25) : pack("9", bids && options.joker);
  return {
    variant, options, teams, seats, bids, double,
    sides: teams ? 2 : 3,
    size: double ? 12 : bids ? 6 : 5,
    pack: double ? single.flatMap((card) => [card, card]) : single,
    side: (seat) => (teams ? seat % 2 : seat),
    seatings: teams ? [[0, 1, 0, 1], [1, 0, 1, 0]] : [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
  };
}

// ---- one deal: a generator that asks and is answered ------------------------------------------------------------------------

const remove = (cards, card) => cards.splice(cards.indexOf(card), 1);
const only = (cards) => [...new Set(cards)];

/** Asks `{seat, legal, play}` until the deal is over; `table` shows what is going on. Every answer must be one of the legal ones. */
function* dealOut(table) {
  const { rules, dealer, hands } = table;
  const from = (start) => Array.from({ length: rules.seats }, (_, step) => (start + 1 + step) % rules.seats);
  const { options } = rules;

  if (rules.bids && options.joker) {
    // the dealer takes the twenty-fifth card and lays one away (B16)
    hands[dealer].push(table.stock.shift());
    remove(hands[dealer], yield { seat: dealer, legal: only(hands[dealer]) });
  }
  if (rules.bids && options.ace_no_face) {
    for (const seat of from(dealer)) {
      // an ace, and neither jack, queen, king nor joker (B15)
      if (!hands[seat].some((card) => card[0] === "A") || hands[seat].some((card) => "JQKX".includes(card[0]))) continue;
      if ((yield { seat, legal: ["claim", "no"] }) === "claim") return;
    }
  }
  if (rules.bids) yield* bid(table, from(dealer));
  else yield* turnUp(table, from(dealer));
  if (table.maker === null) return;
  if (rules.variant === "bid-euchre") yield* gift(table);
  if (!rules.bids) yield* alone(table, from);
  yield* play(table);
  table.played = true;
}

function* bid(table, speakers) {
  const { rules, hands, dealer } = table;
  const ladder = rules.variant === "ghost-hand" ? ["3", "4", "5", "moon"] : [...(rules.double ? CALLS.slice(6, 15) : ["3", "4", "5"]), "ask", "moon"];
  let swapped = rules.variant !== "ghost-hand";
  for (const seat of speakers) {
    const stuck = rules.options.stick_dealer && seat === dealer && table.maker === null;
    const legal = [...ladder.slice(ladder.indexOf(table.bid) + 1), ...(stuck ? [] : ["pass"])];
    let said = yield { seat, legal: swapped ? legal : [...legal, "swap"] };
    if (said === "swap") {
      // the whole hand for the ghost, which is dead from now on (G3)
      swapped = true;
      [hands[seat], table.spare] = [table.spare, hands[seat]];
      said = yield { seat, legal };
    }
    if (said === "pass") continue;
    table.bid = said;
    table.maker = seat;
    if (said === "moon") break;
  }
  if (table.maker !== null) table.trump = yield { seat: table.maker, legal: [...SUITS] };
}

function* turnUp(table, speakers) {
  const { rules, hands, dealer } = table;
  const { options } = rules;
  const turned = table.stock[0];
  const suit = turned === JOKER ? yield { seat: dealer, legal: [...SUITS] } : turned[1];
  for (const seat of speakers) {
    if ((yield { seat, legal: ["pass", "order"] }) === "pass") continue;
    table.maker = seat;
    table.trump = suit;
    break;
  }
  if (table.maker !== null) {
    // the dealer takes the card and discards, or leaves it where he may (C3, T1)
    const mayLeave = rules.variant === "cutthroat" && options.dealer_pickup !== "must" && table.maker !== dealer;
    const discard = yield { seat: dealer, legal: [...hands[dealer], ...(mayLeave ? [turned] : [])] };
    if (discard === turned) return;
    remove(hands[dealer], discard);
    hands[dealer].push(turned);
    return;
  }
  for (const seat of speakers) {
    const stuck = options.stick_dealer && seat === dealer;
    const any = options.round2_turned_suit === "yes" || (options.round2_turned_suit === "stuck_only" && stuck);
    const said = yield { seat, legal: [...[...SUITS].filter((name) => any || name !== suit), ...(stuck ? [] : ["pass"])] };
    if (said === "pass") continue;
    table.maker = seat;
    table.trump = said;
    return;
  }
}

function* gift(table) {
  const { hands, maker, trump } = table;
  const partner = maker ^ 2;
  if (table.bid === "ask" || table.bid === "moon") table.out.add(partner);
  if (table.bid !== "ask") return;
  // one card each, neither seeing the other's first; the partner's is his best trump, if he has any (B5)
  const given = yield { seat: maker, legal: only(hands[maker]) };
  remove(hands[maker], given);
  const trumps = hands[partner].filter((card) => suitOf(card, trump) === trump);
  const best = trumps.length ? [trumps.reduce((top, card) => (rank(card, trump) > rank(top, trump) ? card : top))] : only(hands[partner]);
  const back = yield { seat: partner, legal: best };
  remove(hands[partner], back);
  hands[maker].push(back);
  hands[partner].push(given);
}

function* alone(table, from) {
  const { rules, hands, maker } = table;
  const said = yield { seat: maker, legal: ["alone", rules.teams ? "together" : "dummy"] };
  if (said === "alone") {
    table.alone.push(maker);
    if (rules.teams) table.out.add(maker ^ 2);
  } else if (said === "dummy") {
    hands[maker].push(...table.spare.splice(0));
    while (hands[maker].length > rules.size) remove(hands[maker], yield { seat: maker, legal: [...hands[maker]] });
  }
  if (rules.teams && !rules.options.lone_defender) return;
  const defenders = from(rules.teams ? table.dealer : maker).filter((seat) => rules.side(seat) !== rules.side(maker));
  for (const seat of defenders) {
    if ((yield { seat, legal: ["alone", "together"] }) === "together") continue;
    table.alone.push(seat);
    table.out.add(defenders.find((other) => other !== seat));
    return;
  }
}

function* play(table) {
  const { rules, hands, out, trump } = table;
  const after = (seat) => {
    do seat = (seat + 1) % rules.seats;
    while (out.has(seat));
    return seat;
  };
  let leader = table.maker;
  if (rules.variant === "cutthroat") leader = after(table.alone[0] ?? table.dealer);
  if (rules.variant === "turn-up") leader = after(table.dealer);
  while (hands[leader].length) {
    let [seat, led, best, winner] = [leader, null, -1, leader];
    for (let left = rules.seats - out.size; left; left--) {
      const follows = hands[seat].filter((card) => led !== null && suitOf(card, trump) === led);
      const card = yield { seat, legal: only(follows.length ? follows : hands[seat]), play: true };
      remove(hands[seat], card);
      led ??= suitOf(card, trump);
      const value = worth(card, trump, led);
      if (value > best) [best, winner] = [value, seat];
      seat = after(seat);
    }
    table.tricks[winner] += 1;
    leader = winner;
  }
}

/** Points by side of a deal that is over, without penalties. */
function score(table) {
  const { rules, tricks, maker } = table;
  const { options } = rules;
  const bySide = rules.teams ? [tricks[0] + tricks[2], tricks[1] + tricks[3]] : [...tricks];
  if (!table.played) return bySide.map(() => 0);
  const side = rules.side(maker);
  const made = bySide[side];
  if (rules.bids) {
    const awards = rules.variant === "ghost-hand" ? { moon: 24 } : { ask: options.awards[0], moon: options.awards[1] };
    const all = table.bid === "ask" || table.bid === "moon";
    const needed = all ? rules.size : Number(table.bid);
    if (made >= needed) {
      if (all) bySide[side] = awards[table.bid];
    } else {
      bySide[side] = -(all && options[`${table.bid}_fail`] === "award" ? awards[table.bid] : needed);
    }
    return bySide;
  }
  if (rules.teams) {
    const lone = table.alone.some((seat) => rules.side(seat) !== side);
    const points = [0, 0];
    if (made === 5) points[side] = table.alone.includes(maker) ? 4 : 2;
    else if (made >= 3) points[side] = 1;
    else points[1 - side] = lone ? 4 : 2;
    return points;
  }
  if (made >= 3) {
    const march = table.alone.includes(maker) ? Number(options.lone_march) : 3;
    return tricks.map((_, seat) => (seat !== maker ? 0 : made === 5 ? march : 1));
  }
  const swept = table.alone.some((seat) => tricks[seat] === 5);
  return tricks.map((_, seat) => (seat === maker ? 0 : swept ? 4 : 2));
}

// ---- a game: deals until somebody has won, with faults and forfeits ----------------------------------------------------------

const FAULTS = ["ILLEGAL", "LATE", "BANK_EMPTY", "SILENT", "GONE", "CRASHED", "NOT_STARTED"];
const ABSENT = ["GONE", "CRASHED", "NOT_STARTED"];

/** Something in a record that is not so: `kind` is the check that fails, `where` the place. */
export class Wrong extends Error {
  constructor(kind, where, what) {
    super(`${where}: ${what}`);
    this.kind = kind;
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

class Game {
  constructor(rules, head) {
    this.rules = rules;
    this.limit = head.clock.faults ?? 3;
    this.fixed = head.format === "game" ? null : Number(head.format.slice("deals:".length));
    this.totals = Array(rules.sides).fill(0);
    this.faults = Array(rules.sides).fill(0);
    this.house = new Set();
    this.deals = 0;
    this.end = "";
  }

  /** Make every move of a deal, and compare what it comes to. */
  deal(cards, dealer, line, where) {
    const { rules } = this;
    const [count, seats] = [rules.size * 4, rules.seats];
    const dealt = (place) => cards.slice(0, count).filter((_, at) => at % 4 === place);
    const table = {
      rules, dealer, maker: null, trump: null, bid: null, played: false, alone: [], out: new Set(), stock: cards.slice(count),
      hands: Array.from({ length: seats }, (_, seat) => dealt((seat - dealer - 1 + 2 * seats) % seats)),
      spare: seats === 3 ? dealt(3) : [],
      tricks: Array(seats).fill(0),
    };
    const penalty = Array(rules.sides).fill(0);
    const stored = new Map(line.faults.map((fault) => [fault.move, fault]));
    const noted = [];
    const moves = line.moves.split(" ").filter(Boolean);
    const steps = dealOut(table);
    let step = steps.next();
    for (const [at, move] of moves.entries()) {
      if (step.done) throw new Wrong("moves", where, `the deal is over after ${at} moves, ${moves.length - at} more follow`);
      const made = this.move({ at, move, ask: step.value, table, fault: stored.get(at), noted, penalty, where: `${where}, move ${at}` });
      step = steps.next(made);
    }
    if (!step.done) throw new Wrong("moves", where, `the moves end before the deal does, seat ${step.value.seat} is to move`);
    const points = score(table).map((value, side) => value + penalty[side]);
    this.totals = this.totals.map((total, side) => total + points[side]);
    this.deals += 1;
    this.finish();
    const worked = { faults: noted, tricks: table.tricks, points, total: this.totals };
    for (const [name, value] of Object.entries(worked)) {
      if (!same(line[name], value)) throw new Wrong("points", where, `${name} is ${JSON.stringify(line[name])}, the moves give ${JSON.stringify(value)}`);
    }
  }

  /** The move that counts; throws where the record has another. */
  move({ at, move, ask, table, fault, noted, penalty, where }) {
    const side = this.rules.side(ask.seat);
    let made = move;
    if (ask.legal.length === 1) made = ask.legal[0];
    else if (this.house.has(side)) made = fallback(ask.legal, table.trump);
    else if (fault) made = this.fault({ at, fault, ask, table, noted, penalty, side, where });
    else if (!ask.legal.includes(move)) {
      throw new Wrong("moves", where, `seat ${ask.seat} may not play ${move} with these cards (allowed: ${ask.legal.join(" ")})`);
    }
    if (made !== move) throw new Wrong("moves", where, `${move} stands where only ${made} could`);
    return made;
  }

  fault({ at, fault, ask, table, noted, penalty, side, where }) {
    if (fault.seat !== ask.seat) throw new Wrong("moves", where, `the fault blames seat ${fault.seat}, seat ${ask.seat} was to move`);
    if (!FAULTS.includes(fault.cause)) throw new Wrong("moves", where, `cause ${fault.cause} is unknown`);
    if (ask.legal.includes(fault.answer)) throw new Wrong("moves", where, `the fault's answer ${fault.answer} was legal`);
    noted.push({ move: at, seat: ask.seat, cause: fault.cause, ...("answer" in fault ? { answer: fault.answer } : {}) });
    this.faults[side] += 1;
    if (ABSENT.includes(fault.cause) || this.faults[side] >= this.limit) this.house.add(side);
    if (!ask.play || !table.hands[ask.seat].includes(fault.answer)) return fallback(ask.legal, table.trump);
    penalty[side] -= this.rules.options.revoke_points; // a card held that may not be played is a revoke (G9, B9, C10)
    return this.rules.options.revoke === "stand" ? fault.answer : lowest(ask.legal, table.trump);
  }

  finish() {
    const best = Math.max(...this.totals);
    const unique = this.totals.filter((total) => total === best).length === 1;
    const { target, max_deals: most } = this.rules.options;
    if (this.house.size && this.rules.teams) this.end = "forfeit";
    else if (this.fixed !== null) this.end = this.deals === this.fixed ? "deals" : "";
    else if (best >= target && unique) this.end = "won";
    else if (this.deals >= most) this.end = "max_deals";
  }

  /** What the game comes to, as the record has it. */
  result() {
    const others = this.totals.filter((_, side) => !this.house.has(side));
    const place = (total, side) => 1 + (this.house.has(side) ? others.length : others.filter((other) => other > total).length);
    return { total: this.totals, places: this.totals.map(place), end: this.end, forfeits: [...this.house].sort() };
  }
}

/** What the referee does for a seat: pass, no, together, alone, dummy, the first call, or the lowest card. */
function fallback(legal, trump) {
  const cards = legal.filter(isCard);
  if (cards.length) return lowest(cards, trump);
  return ["pass", "no", "together", "alone", "dummy", ...CALLS].find((call) => legal.includes(call));
}

// ---- a record -------------------------------------------------------------------------------------------------------------

/** The lines of a record, with the text before its last line for the digest. Throws Wrong("record"). */
export function parse(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const rows = lines.map((line, at) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      throw new Wrong("record", `line ${at + 1}`, `no JSON (${error.message})`);
    }
  });
  const [head, end] = [rows[0], rows.at(-1)];
  if (head?.record !== "euchre-arena/1") throw new Wrong("record", "line 1", `record is ${JSON.stringify(head?.record)}, not "euchre-arena/1"`);
  if (rows.length < 3 || end.end !== "complete") throw new Wrong("record", "end", "no end line: the match was interrupted, and its key is still secret");
  const before = text.slice(0, text.lastIndexOf(lines.at(-1)));
  return { head, end, sets: rows.slice(1, -1), before };
}

export const CHECKS = {
  record: "The record is whole",
  commitment: "The key is the one that was sealed",
  league: "The match's key follows from the league's",
  dealers: "First dealers follow from the key",
  moves: "Every deal follows from the key, every move from the rules",
  points: "Tricks, points and places follow from the moves",
  digest: "Nothing was altered or left out",
};

/**
 * Check a record.
 *
 * @param {string} text the record, JSON Lines
 * @param {object} known what was noted elsewhere, all optional: commitment, leagueCommitment, leagueKey (hex)
 * @param {function} report is called with {check, state: "running" | "passed" | "failed" | "skipped", detail} as the checks go on
 * @returns {Promise<boolean>} whether none failed
 */
export async function verify(text, known = {}, report = () => {}) {
  let good = true;
  const tell = (check, state, detail) => {
    if (state === "failed") good = false;
    report({ check, state, detail });
  };
  let record;
  try {
    record = parse(text);
    tell("record", "passed", `${record.sets.length} sets of ${record.head.match}, ${record.head.variant}, ${text.length} characters`);
  } catch (error) {
    tell("record", "failed", error.message);
    for (const check of Object.keys(CHECKS).slice(1)) tell(check, "skipped", "there is no record to check");
    return false;
  }
  const sealed = await commitment(record, known, tell);
  await league(record, known, tell);
  if (sealed) await replay(record, tell);
  else for (const check of ["dealers", "moves", "points"]) tell(check, "skipped", "the key is not the sealed one");
  await digest(record, tell);
  return good;
}

async function commitment({ head, end }, known, tell) {
  let hash;
  try {
    const key = fromHex(end.key);
    if (key.length !== 32) throw new Error(`${key.length} bytes, not 32`);
    hash = await sha256(key);
  } catch (error) {
    tell("commitment", "failed", `the record's key is no key: ${error.message}`);
    return false;
  }
  const noted = known.commitment?.trim().toLowerCase();
  if (hash !== head.commitment) {
    tell("commitment", "failed", `SHA-256 of the key is ${hash}, the record's commitment is ${head.commitment}`);
    return false;
  }
  if (noted && noted !== hash) {
    tell("commitment", "failed", `SHA-256 of the key is ${hash}, the commitment that you know is ${noted}`);
    return false;
  }
  tell("commitment", "passed", `SHA-256 of ${end.key} is ${hash}, as the record's first line${noted ? " and the commitment that you know" : ""} said`);
  return true;
}

async function league({ head, end }, known, tell) {
  if (!known.leagueKey) {
    tell("league", "skipped", "the league's key is published when the league ends");
    return;
  }
  const key = fromHex(known.leagueKey);
  const hash = await sha256(key);
  const made = await matchKey(key, head.match);
  if (known.leagueCommitment && hash !== known.leagueCommitment) {
    tell("league", "failed", `SHA-256 of the league's key is ${hash}, its commitment is ${known.leagueCommitment}`);
  } else if (made !== end.key) {
    tell("league", "failed", `the league's key gives ${made} for ${head.match}, the record has ${end.key}`);
  } else {
    tell("league", "passed", `HMAC-SHA256 of ${head.match} under the league's key, whose SHA-256 is ${hash}, is the match's key`);
  }
}

async function replay(record, tell) {
  const { head, end, sets } = record;
  const counts = { sets: 0, games: 0, deals: 0, moves: 0 };
  try {
    const rules = rulesOf(head.variant, head.options);
    const dealer = await Dealer.of(fromHex(end.key));
    for (const [number, line] of sets.entries()) {
      tell("moves", "running", `set ${number + 1} of ${sets.length}`);
      await replaySet({ rules, dealer, head, number, line, counts });
    }
  } catch (error) {
    const kind = error instanceof Wrong ? error.kind : "moves";
    const known = { dealers: ["dealers"], moves: ["dealers", "moves"], points: ["dealers", "moves", "points"] }[kind];
    for (const check of ["dealers", "moves", "points"]) {
      if (check === kind) tell(check, "failed", error.message);
      else if (known.includes(check)) tell(check, "passed", `up to ${error.message.split(":")[0]}`);
      else tell(check, "skipped", "not looked at after the failure above");
    }
    return;
  }
  tell("dealers", "passed", `${counts.sets} first dealers drawn from the key, all as recorded`);
  tell("moves", "passed", `${counts.deals} deals shuffled from the key, ${counts.moves} moves made by the rules with these cards`);
  tell("points", "passed", `${counts.games} games added up: tricks, points, totals, places and endings all as recorded`);
}

async function replaySet({ rules, dealer, head, number, line, counts }) {
  const where = `set ${number}`;
  if (line.set !== number) throw new Wrong("moves", where, `set ${line.set} stands where set ${number} should`);
  const first = await dealer.firstDealer(number, rules.seats);
  if (line.dealer !== first) throw new Wrong("dealers", where, `first dealer is ${line.dealer}, the key gives ${first}`);
  const expected = head.duplicate === false ? [rules.seatings[number % rules.seatings.length]] : rules.seatings;
  const found = line.games.map((game) => game.seating);
  if (!same([...found].sort(), [...expected].sort())) {
    throw new Wrong("moves", where, `seatings are ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }
  counts.sets += 1;
  const packs = [];
  for (const [index, entry] of line.games.entries()) {
    const game = new Game(rules, head);
    const here = `${where}, game ${index}`;
    for (const [at, deal] of entry.deals.entries()) {
      if (game.end) throw new Wrong("points", `${here}, deal ${at}`, `the game was over (${game.end})`);
      packs[at] ??= await dealer.shuffled(rules.pack, number, at);
      game.deal(packs[at], (first + at) % rules.seats, deal, `${here}, deal ${at}`);
      counts.deals += 1;
      counts.moves += deal.moves.split(" ").length;
    }
    if (!game.end) throw new Wrong("points", here, `the game is not over after ${entry.deals.length} deals`);
    for (const [name, value] of Object.entries(game.result())) {
      if (!same(entry[name], value)) throw new Wrong("points", here, `${name} is ${JSON.stringify(entry[name])}, the deals give ${JSON.stringify(value)}`);
    }
    counts.games += 1;
  }
}

async function digest({ end, sets, before }, tell) {
  const made = await sha256(encoder.encode(before));
  if (end.sets !== undefined && end.sets !== sets.length) tell("digest", "failed", `${end.sets} sets were played, the record holds ${sets.length}`);
  else if (end.digest === undefined) tell("digest", "skipped", "this record is older than the digest");
  else if (end.digest !== made) tell("digest", "failed", `SHA-256 of the lines before the last is ${made}, the last line says ${end.digest}`);
  else tell("digest", "passed", `SHA-256 of the ${sets.length + 1} lines before the last is ${made}, as the last line says`);
}

// ---- on a command line ------------------------------------------------------------------------------------------------------

if (typeof process !== "undefined" && process.argv?.[1]?.endsWith("verify.mjs")) {
  const { readFileSync } = await import("node:fs");
  const text = readFileSync(process.argv[2] ?? "/dev/stdin", "utf8");
  const good = await verify(text, {}, ({ check, state, detail }) => {
    if (state !== "running") console.log(`${state.padEnd(8)}${CHECKS[check]}: ${detail}`);
  });
  process.exitCode = good ? 0 : 1;
}
