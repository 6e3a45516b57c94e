// The panel that proves the deals of a match: runs verify.mjs on the record and shows what each check compared.

const MARKS = { passed: "✓", failed: "✗", skipped: "–", running: "…" };
const WORDS = { passed: "passed", failed: "failed", skipped: "not checked", running: "running" };

class Proof {
  constructor(box) {
    this.box = box;
    this.find = (name) => box.querySelector(`[data-${name}]`);
    if (!this.find("verify")) return;
    if (!globalThis.crypto?.subtle) {
      this.find("insecure").hidden = false;
      return;
    }
    this.find("verify").hidden = false;
    this.find("file-label").hidden = false;
    this.find("verify").addEventListener("click", () => this.run(() => this.download()));
    this.find("file").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) this.run(() => file.text());
    });
  }

  async download() {
    const answer = await fetch(this.box.dataset.record);
    if (!answer.ok) throw new Error(`the record cannot be downloaded (status ${answer.status})`);
    return answer.text();
  }

  async run(read) {
    const button = this.find("verify");
    const verdict = this.find("verdict");
    button.setAttribute("aria-disabled", "true");
    verdict.className = "verdict";
    verdict.textContent = "Checking…";
    try {
      const [{ verify, CHECKS, ...tools }, text] = await Promise.all([import(this.box.dataset.script), read()]);
      const { commitment, leagueCommitment, leagueKey } = this.box.dataset;
      this.list({ ...CHECKS, ...(this.box.dataset.deal ? { shown: "The cards on this page are the ones that the key deals" } : {}) });
      let good = await verify(text, { commitment, leagueCommitment, leagueKey }, (result) => this.tell(result));
      if (this.box.dataset.deal) good = (await this.compareShown(tools, text)) && good;
      verdict.textContent = good ? "Everything agrees." : "This record is not what was played: see the check that failed.";
      verdict.classList.add(good ? "good" : "bad");
    } catch (error) {
      verdict.textContent = `It could not be checked: ${error.message}`;
      verdict.classList.add("bad");
    }
    button.removeAttribute("aria-disabled");
  }

  list(checks) {
    const list = this.find("checks");
    list.hidden = false;
    list.replaceChildren(
      ...Object.entries(checks).map(([check, title]) => {
        const item = document.createElement("li");
        item.dataset.check = check;
        const [mark, name, detail] = ["span", "strong", "span"].map((kind) => document.createElement(kind));
        mark.className = "mark";
        name.textContent = title;
        detail.className = "detail";
        item.append(mark, " ", name, " ", detail);
        return item;
      }),
    );
  }

  tell({ check, state, detail }) {
    const item = this.find("checks").querySelector(`[data-check=${check}]`);
    item.dataset.state = state;
    item.querySelector(".mark").textContent = MARKS[state];
    item.querySelector(".detail").textContent = `${WORDS[state]}: ${detail}`;
  }

  /** On the page of a deal: deal it again and compare with the cards that the page shows. */
  async compareShown({ Dealer, fromHex, rulesOf, parse }, text) {
    const { set, deal } = this.box.dataset;
    const page = JSON.parse(document.querySelector("[data-table]").dataset.table);
    let made;
    try {
      const { head, end } = parse(text);
      const rules = rulesOf(head.variant, head.options);
      const dealer = await Dealer.of(fromHex(end.key));
      const pack = await dealer.shuffled(rules.pack, Number(set), Number(deal));
      const first = await dealer.firstDealer(Number(set), rules.seats);
      made = hands(pack, rules, (first + Number(deal)) % rules.seats);
    } catch (error) {
      this.tell({ check: "shown", state: "skipped", detail: error.message });
      return true;
    }
    const shown = [...page.positions[0].hands, page.positions[0].spare].map((cards) => [...cards].sort().join(" "));
    const good = made.every((cards, at) => cards === (shown[at] ?? ""));
    const detail = good
      ? `deal ${deal} of set ${set}: ${made.filter(Boolean).join(" | ")}`
      : `the key deals ${made.join(" | ")}, the page shows ${shown.join(" | ")}`;
    this.tell({ check: "shown", state: good ? "passed" : "failed", detail });
    return good;
  }
}

/** Hands by seat and the spare hand, each as sorted text: dealt one at a time from the dealer's left. */
function hands(pack, rules, dealer) {
  const count = rules.size * 4;
  const dealt = (place) => pack.slice(0, count).filter((_, at) => at % 4 === place);
  const found = Array.from({ length: rules.seats }, (_, seat) => dealt((seat - dealer - 1 + 2 * rules.seats) % rules.seats));
  if (rules.bids && rules.options.joker) found[dealer].push(pack[count]);
  return [...found, rules.seats === 3 ? dealt(3) : []].map((cards) => cards.sort().join(" "));
}

for (const box of document.querySelectorAll("[data-proof]")) new Proof(box);
