// Keeps pages up to date by server-sent events: the live page of a league, and the progress shown on others.
// Where there is no stream to be had the pages go on as they do without it: by asking now and then, or by being loaded again.

const AGAIN = 30000;
const RENEW = 6000;

/** Listen to a stream; `on` maps kinds of events to what to do with their data. Comes back when the stream is lost. */
function listen(url, on, link = () => {}) {
  const source = new EventSource(url);
  source.addEventListener("open", () => link("live"));
  source.addEventListener("error", () => {
    link("connecting");
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(url, on, link), AGAIN * (1 + Math.random()));
  });
  for (const [kind, take] of Object.entries(on)) {
    source.addEventListener(kind, (event) => take(JSON.parse(event.data)));
  }
  source.addEventListener("end", () => {
    source.close();
    link("ended");
  });
  window.addEventListener("pagehide", () => source.close());
}

const element = (name, text = "", attributes = {}) => {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const short = (match) => match.slice(match.indexOf("/") + 1);
const path = (match) => match.split("/").map(encodeURIComponent).join("/");

/** Bring a bar and its figures up to date. */
function setProgress(box, { done, total }) {
  const bar = box.querySelector("progress");
  if (!bar) return;
  bar.max = Math.max(total, 1);
  bar.value = done;
  const [counts, share] = box.querySelectorAll(".progress > div > span");
  const [strong] = counts.querySelectorAll("strong");
  strong.textContent = grouped(done);
  strong.nextSibling.textContent = ` of ${grouped(total)} games`;
  share.textContent = total ? `${Math.floor((100 * done) / total)}\u202f%` : "–";
}

const grouped = (number) => (number >= 10000 ? String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f") : String(number));

class LivePage {
  constructor(box) {
    this.box = box;
    this.find = (name) => box.querySelector(`[data-${name}]`);
    const on = {
      state: (state) => this.whole(state),
      progress: (progress) => this.progress(progress),
      tables: ({ tables }) => this.tables(tables),
      set: (found) => this.finished(found),
    };
    listen(box.dataset.events, on, (state) => this.link(state));
  }

  link(state) {
    const chip = this.find("link");
    chip.hidden = false;
    chip.textContent = { live: "updates by itself", connecting: "connecting again", ended: "ended" }[state];
    chip.classList.toggle("running", state === "live");
  }

  whole({ progress, tables, finished }) {
    this.progress(progress);
    this.tables(tables);
    this.find("finished").replaceChildren(...finished.map((found) => this.finishedItem(found)));
  }

  progress({ games, matches, sets }) {
    setProgress(this.find("progress"), games);
    const counts = { ...matches, sets: sets.done };
    for (const span of this.box.querySelectorAll("[data-count]")) span.textContent = grouped(counts[span.dataset.count]);
  }

  tables(tables) {
    this.find("tables").replaceChildren(...tables.map((table) => this.tableItem(table)));
    this.find("nobody").hidden = tables.length > 0;
  }

  tableItem({ match, bots, games, sets }) {
    const item = element("li");
    const bar = element("progress", "", { max: games.total, value: games.done, "aria-label": `Games of ${match}` });
    const text = `${games.done} of ${games.total} games, ${sets.done} of ${sets.total} sets`;
    item.append(this.anchor(match), " ", who(bots), " ", bar, " ", element("span", text, { class: "note" }));
    return item;
  }

  anchor(match, set) {
    const url = this.box.dataset.matches + path(match) + (set === undefined ? "" : `/sets/${set}`);
    return element("a", set === undefined ? short(match) : `${short(match)}, set ${set}`, { href: url });
  }

  finishedItem({ match, set, bots }) {
    const item = element("li");
    item.append(this.anchor(match, set), " ", who(bots));
    return item;
  }

  finished(found) {
    const list = this.find("finished");
    list.prepend(this.finishedItem(found));
    while (list.children.length > 20) list.lastElementChild.remove();
  }
}

function who(bots) {
  const span = element("span", "", { class: "who" });
  bots.forEach((bot, at) => span.append(at ? " · " : "", element("bdi", bot)));
  return span;
}

/** Renews the page, once, after `wait` milliseconds or `spread` times as long; later if nobody looks at it. */
function renewer(spread = () => 1) {
  let renewing = 0;
  return function renew(wait) {
    renewing ||= setTimeout(() => {
      renewing = 0;
      if (document.hidden) renew(RENEW);
      else document.dispatchEvent(new CustomEvent("arena:changed"));
    }, wait * spread());
  };
}

/** Marks boxes that events keep up to date; the others arena.js asks for again meanwhile. */
function linked(boxes) {
  return (state) => {
    for (const box of boxes) {
      if (state === "live") box.dataset.live = "";
      else delete box.dataset.live;
    }
  };
}

/** On other pages: move the bars at once, and renew the tables now and then while sets are being finished. */
function follow(boxes) {
  const byName = new Map(boxes.map((box) => [box.dataset.league, box]));
  const renew = renewer(() => 0.5 + Math.random());
  const take = (progress) => {
    const box = byName.get(progress.league);
    if (!box) return;
    setProgress(box, progress.games);
    const now = `${progress.state} ${progress.sets.done}`;
    if (box.dataset.sets !== now) renew(progress.state === "running" ? RENEW : 500);
    box.dataset.sets = now;
  };
  const url = boxes.length === 1 && boxes[0].dataset.events ? boxes[0].dataset.events : document.querySelector("[data-all-events]")?.dataset.allEvents;
  if (!url) return;
  listen(url, { state: (state) => (state.leagues ?? [state.progress]).forEach(take), progress: take }, linked(boxes));
}

/** On the page of a match: renew it when its games go on, and when one of its sets is finished. */
function followMatch(box) {
  const { match, events } = box.dataset;
  let seen;
  const renew = renewer();
  const tables = ({ tables }) => {
    const now = tables.find((table) => table.match === match)?.games.done;
    if (now !== seen) renew(AGAIN / 20);
    seen = now;
  };
  listen(events, { state: tables, tables, set: (found) => found.match === match && renew(AGAIN / 60) }, linked([box]));
}

for (const box of document.querySelectorAll("[data-match][data-events]:not([data-final])")) followMatch(box);
for (const box of document.querySelectorAll("[data-live-page]:not([data-final])")) new LivePage(box);
const boxes = [...document.querySelectorAll("[data-league]:not([data-final])")];
if (boxes.length) follow(boxes);
