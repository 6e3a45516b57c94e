// The card table of a replay: draws the positions that the page brings along. It knows no rule of the game.
// Addresses: #m0 … is the table once that move is made, #t1 … once that trick is led to, #start and #result are the two ends.

const SVG = "http://www.w3.org/2000/svg";
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SPEED = "table-speed";
const COLOURS = "four-colours";

/** Remember something on this device; where that is forbidden it is forgotten. */
const memory = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // private windows may refuse; the choice then holds for this page
    }
  },
};

const named = (card) => (card === "XX" ? "joker" : card === "back" ? "a card, face down" : `${RANKS[card[0]]} of ${SUITS[card[1]]}`);

/** Draw one card ("JC", "XX", "back"). */
function face(card, note = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "card");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", named(card) + note);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#c-${card}`);
  svg.append(use);
  return svg;
}

/** Draw a suit as a sign. */
function sign(suit) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `suit s-${suit}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", SUITS[suit]);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#suit-${suit}`);
  svg.append(use);
  return svg;
}

class Table {
  constructor(felt) {
    this.felt = felt;
    this.deal = JSON.parse(felt.dataset.table);
    this.view = felt.dataset.view === "" ? null : Number(felt.dataset.view);
    this.last = this.deal.moves.length;
    this.trumps = new Set();
    this.player = document.querySelector("[data-player]");
    this.timer = 0;
    this.at = 0;
    this.seats = [...felt.querySelectorAll("[data-seat]")];
    this.options = document.querySelector("[data-options]");
    this.find = (name) => this.player.querySelector(`[data-${name}]`) ?? this.options.querySelector(`[data-${name}]`);
    this.prepare();
    this.show(this.wanted() ?? 0, { quiet: true });
    if (/^#m\d|^#start$/.test(location.hash)) {
      // the browser goes to the move in the list below; the table is what was meant
      window.addEventListener("load", () => requestAnimationFrame(() => felt.scrollIntoView({ block: "start", behavior: "instant" })));
    }
  }

  // ---- from here on: what the visitor does ----------------------------------------------------------------------------

  prepare() {
    this.felt.classList.add("live");
    this.felt.querySelector("[data-middle]").hidden = false;
    this.player.hidden = false;
    this.options.hidden = false;
    const speed = this.find("speed");
    if (memory.get(SPEED)) speed.value = memory.get(SPEED);
    if (!speed.value) speed.selectedIndex = 1;
    speed.addEventListener("change", () => {
      memory.set(SPEED, speed.value);
      if (this.timer) this.play();
    });
    const colours = this.find("colours");
    colours.checked = memory.get(COLOURS) === "yes";
    colours.addEventListener("change", () => {
      memory.set(COLOURS, colours.checked ? "yes" : "no");
      document.documentElement.classList.toggle("four-colours", colours.checked);
    });
    this.find("hands").addEventListener("change", (event) => this.look(event.target.value));
    this.find("track").addEventListener("input", (event) => this.go(Number(event.target.value)));
    this.find("link").addEventListener("click", (event) => this.copy(event));
    for (const button of this.player.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.command(button.dataset.go));
    }
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", (event) => this.follow(event));
    window.addEventListener("hashchange", () => {
      const wanted = this.wanted();
      if (wanted !== null) {
        this.stop();
        this.show(wanted);
      }
    });
  }

  /** The position that the address names, or null. */
  wanted() {
    const [, kind, number] = /^#([mt])(\d+)$/.exec(location.hash) ?? [];
    if (location.hash === "#result") return this.last;
    if (location.hash === "#start" || location.hash === "#auction") return 0;
    if (kind === "m") return Math.min(Number(number) + 1, this.last);
    if (kind !== "t") return null;
    const leads = this.deal.moves.flatMap((move, at) => (move.phase === "play" && this.leads(at) ? [at] : []));
    return Number(number) - 1 in leads ? leads[Number(number) - 1] + 1 : null;
  }

  /** Whether move `at` leads to a trick. */
  leads(at) {
    const trick = this.deal.positions[at].trick;
    return !trick.length || this.deal.positions[at].winner !== null;
  }

  /** A link to a move on this page moves the table instead of the page. */
  follow(event) {
    const link = event.target.closest?.('a[href^="#m"]');
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.stop();
    this.go(Number(link.hash.slice(2)) + 1);
    this.reveal();
  }

  /** Bring the whole table above the controls, which stick to the foot of the window, as far as it fits. */
  reveal() {
    const table = this.felt.getBoundingClientRect();
    const hidden = table.bottom + 8 - this.player.getBoundingClientRect().top;
    if (hidden > 0) window.scrollBy({ top: Math.min(hidden, table.top) });
    else if (table.top < 0) window.scrollBy({ top: table.top });
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    const target = event.target;
    if (target.closest("input:not([type=checkbox]), select, textarea, .scroll")) return;
    const command = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last", " ": "play" }[event.key];
    if (!command || (event.key === " " && target.closest("a, button, summary, input"))) return;
    event.preventDefault();
    this.command(command);
  }

  command(name) {
    this.reveal();
    if (name === "play") {
      if (this.timer) this.stop();
      else this.play();
      return;
    }
    this.stop();
    this.go({ first: 0, back: this.at - 1, next: this.at + 1, last: this.last }[name]);
  }

  play() {
    this.stop();
    if (this.at === this.last) this.go(0);
    this.player.classList.add("playing");
    this.find("play-word").textContent = "Pause";
    const step = () => {
      this.go(this.at + 1);
      if (this.at === this.last) this.stop();
      else this.timer = setTimeout(step, this.pause());
    };
    this.timer = setTimeout(step, this.pause());
  }

  /** Milliseconds until the next move: a whole trick may be looked at a little longer. */
  pause() {
    const pace = Number(this.find("speed").value);
    return this.deal.positions[this.at].winner === null ? pace : 1.6 * pace;
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.player.classList.remove("playing");
    this.find("play-word").textContent = "Play";
  }

  go(at) {
    this.show(Math.max(0, Math.min(at, this.last)));
    history.replaceState(null, "", location.pathname + location.search + this.address());
  }

  /** The part of the address that leads to what the table shows. */
  address() {
    return this.at ? `#m${this.at - 1}` : "#start";
  }

  look(seat) {
    this.view = seat === "" ? null : Number(seat);
    const query = seat === "" ? "" : `?seat=${seat}`;
    history.replaceState(null, "", location.pathname + query + location.hash);
    for (const link of document.querySelectorAll("a[rel=prev], a[rel=next]")) {
      link.href = link.pathname + query;
    }
    this.show(this.at);
  }

  async copy(event) {
    event.preventDefault();
    this.go(this.at);
    const link = this.find("link");
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      said = "It is in the address bar";
    }
    link.textContent = said;
    setTimeout(() => (link.textContent = "Link to this move"), 2000);
  }

  // ---- from here on: what is drawn ------------------------------------------------------------------------------------

  show(at, { quiet = false } = {}) {
    const forward = at === this.at + 1;
    this.at = at;
    const position = this.deal.positions[at];
    for (const box of this.seats) this.drawSeat(box, Number(box.dataset.seat), position);
    this.drawMiddle(position, forward);
    this.drawKitty(position);
    this.tell(at, quiet);
  }

  /** Whether the cards of a seat lie open in this view. */
  open(seat, position) {
    return this.view === null || this.view === seat || position.shown.includes(seat);
  }

  place(seat) {
    const count = this.deal.around.length;
    return this.deal.around[(seat - (this.view ?? 0) + count) % count];
  }

  isTrump(card, trump) {
    if (!trump) return false;
    const left = { C: "JS", S: "JC", D: "JH", H: "JD" }[trump];
    return card === "XX" || card[1] === trump || card === left;
  }

  drawSeat(box, seat, position) {
    box.className = `seat at-${this.place(seat)}`;
    box.classList.toggle("turn", position.turn === seat);
    box.classList.toggle("resting", position.out.includes(seat));
    const marks = { maker: position.maker === seat, alone: position.alone.includes(seat), out: position.out.includes(seat) };
    for (const [name, on] of Object.entries(marks)) box.querySelector(`[data-mark=${name}]`).hidden = !on;
    const taken = box.querySelector("[data-taken]");
    taken.hidden = position.phase !== "play" && !position.trick.length;
    taken.textContent = `${position.taken[seat]} ${position.taken[seat] === 1 ? "trick" : "tricks"}`;
    const said = box.querySelector("[data-said]");
    said.hidden = !position.said[seat];
    said.textContent = position.said[seat] ?? "";
    this.drawHand(box.querySelector(".hand"), position.hands[seat], position, this.open(seat, position), position.turn === seat);
    this.drawAway(box.querySelector("[data-away]"), seat, position);
  }

  drawHand(list, cards, position, open, mayPlay) {
    const playable = open && mayPlay && position.phase === "play" ? new Set(position.legal) : null;
    list.replaceChildren(
      ...cards.map((card) => {
        const item = document.createElement("li");
        const trump = open && this.isTrump(card, position.trump);
        item.append(face(open ? card : "back", trump ? ", trump" : ""));
        item.classList.toggle("trumps", trump);
        item.classList.toggle("barred", playable !== null && !playable.has(card));
        return item;
      }),
    );
  }

  drawAway(box, seat, position) {
    const given = position.passing.filter(([giver]) => giver === seat).map(([, card]) => card);
    const cards = [...position.away[seat], ...given];
    box.hidden = !cards.length;
    const open = this.view === null || this.view === seat;
    const word = given.length ? "gives away" : "laid away";
    box.replaceChildren(word, " ", ...cards.map((card) => face(open ? card : "back")));
  }

  drawMiddle(position, forward) {
    for (const slot of this.felt.querySelectorAll("[data-slot]")) {
      const seat = Number(slot.dataset.slot);
      const played = position.trick.findIndex(([who]) => who === seat);
      slot.className = `slot at-${this.place(seat)}`;
      slot.replaceChildren();
      if (played < 0) continue;
      slot.append(face(position.trick[played][1], position.winner === seat ? ", takes the trick" : ""));
      slot.classList.toggle("wins", position.winner === seat);
      slot.classList.toggle("lead", played === 0);
      slot.classList.toggle("new", forward && played === position.trick.length - 1);
    }
    const contract = this.felt.querySelector("[data-contract]");
    contract.replaceChildren();
    if (position.trump) {
      contract.append(position.bid ? `${position.bid} in ` : "trump ", sign(position.trump), ` by ${this.deal.seats[position.maker]}`);
    } else if (position.bid) {
      contract.append(`${position.bid} by ${this.deal.seats[position.maker]}`);
    }
  }

  drawKitty(position) {
    const spare = this.felt.querySelector("[data-spare]");
    if (spare) {
      this.drawHand(spare.querySelector(".hand"), position.spare, position, this.view === null, false);
      const swapped = this.deal.moves.slice(0, this.at).find((move) => move.action === "swap");
      const word = swapped ? `put down by ${this.deal.seats[swapped.seat]}` : position.spare.length ? "face down" : "taken up";
      spare.querySelector(".who").textContent = word;
    }
    const turned = this.felt.querySelector("[data-turned]");
    if (!turned) return;
    const [first, rest] = turned.querySelectorAll(".hand");
    this.drawHand(first, position.turned ? [position.turned] : [], position, true, false);
    if (rest) this.drawHand(rest, this.deal.stock, position, this.view === null, false);
    const left = this.deal.moves.slice(0, this.at).some((move) => move.phase === "pick_up" && move.action === this.deal.turned);
    const down = position.turned && position.trump && !left && !this.ordered();
    turned.querySelector(".who").textContent = !position.turned ? "taken up" : left ? "left on the table" : down ? "turned down" : "on the table";
  }

  ordered() {
    return this.deal.moves.slice(0, this.at).some((move) => move.action === "order");
  }

  tell(at, quiet) {
    const done = this.deal.moves[at - 1];
    const whole = this.deal.positions[at];
    let text = done ? `${done.tells}.` : "The cards are dealt.";
    if (whole.winner !== null && done?.phase === "play") text += ` ${this.deal.seats[whole.winner]} takes the trick.`;
    if (at === this.last) text += ` ${this.deal.ending}`;
    this.find("tells").textContent = text;
    const fault = this.find("fault");
    fault.hidden = !done?.fault;
    fault.textContent = done?.fault ?? "";
    this.find("count").textContent = `${at} / ${this.last}`;
    const track = this.find("track");
    track.value = at;
    track.setAttribute("aria-valuetext", `after ${at} of ${this.last} moves: ${text}`);
    this.find("link").href = this.address();
    for (const link of document.querySelectorAll("a.move[aria-current]")) link.removeAttribute("aria-current");
    document.getElementById(`m${at - 1}`)?.setAttribute("aria-current", "true");
    for (const button of this.player.querySelectorAll("[data-go=first], [data-go=back]")) button.setAttribute("aria-disabled", at === 0);
    for (const button of this.player.querySelectorAll("[data-go=next], [data-go=last]")) button.setAttribute("aria-disabled", at === this.last);
    if (quiet) this.find("tells").setAttribute("aria-live", "polite");
  }
}

document.documentElement.classList.toggle("four-colours", memory.get(COLOURS) === "yes");
for (const felt of document.querySelectorAll("[data-table]")) new Table(felt);
