// Small comforts; every page works without them. Nothing is fetched from another host.

const EVERY = 3000;
const SLOWEST = 30000;

/** Ask what a league, a match or a submission is at, and renew the page's parts when it has changed, until it is in one of its last states. */
function follow(box) {
  let wait = EVERY;
  const tick = async () => {
    if (!document.hidden && !("live" in box.dataset)) {
      try {
        const answer = await fetch(box.dataset.poll, { headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const progress = await answer.json();
        const games = progress.games ?? { done: 0, total: 1 };
        const now = `${progress.state} ${games.done}`;
        if (now !== box.dataset.seen) {
          box.dataset.seen = now;
          await refresh();
        }
        if (box.dataset.last.split(" ").includes(progress.state)) return;
        wait = games.done < games.total ? EVERY : 3 * EVERY;
      } catch {
        wait = Math.min(wait * 2, SLOWEST);
      }
    }
    setTimeout(tick, wait);
  };
  setTimeout(tick, wait);
}

/** Fetch this page again and put in place those of its parts that say that they change. */
async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-refresh]")) {
    const other = fresh.querySelector(`[data-refresh="${CSS.escape(part.dataset.refresh)}"]`);
    if (other && other.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
      part.replaceChildren(...other.childNodes);
      part.toggleAttribute("data-behind", other.hasAttribute("data-behind")); // then standings.js asks again
      part.classList.remove("fresh");
      requestAnimationFrame(() => part.classList.add("fresh"));
    }
  }
}

/** In a replay, step from trick to trick with the arrow keys left and right. */
function steps(list) {
  const ids = [...list.querySelectorAll("[id]")].map((step) => step.id).filter((id) => /^t\d+$|^auction$|^result$/.test(id));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, summary, .scroll");
    if (typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = ids.indexOf(location.hash.slice(1));
    const next = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by];
    if (next) {
      event.preventDefault();
      location.hash = next;
    }
  });
}

/** Put a button beside commands that copies them, where the browser lets pages do that. */
function copies(code) {
  if (!navigator.clipboard) return;
  const box = document.createElement("div");
  const button = document.createElement("button");
  box.className = "copied";
  button.className = "button quiet small";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  code.replaceWith(box);
  box.append(code, button);
}

for (const code of document.querySelectorAll("[data-copy]")) copies(code);
document.addEventListener("arena:changed", () => refresh().catch(() => {}));
for (const box of document.querySelectorAll("[data-poll]:not([data-final])")) follow(box);
for (const list of document.querySelectorAll("[data-steps]")) steps(list);
