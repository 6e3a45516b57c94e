// Sorting and filtering without leaving the page, and a table that is behind renewed until it is not. Links and forms do the same.

const SOON = 4000;
const TYPING = 250;

/** Fetch an address of this page and put in place the part of it that is called so, and what says of itself that it changes. */
async function show(address, name, { push = true } = {}) {
  const answer = await fetch(address);
  if (!answer.ok) {
    location.href = address;
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = [[`[data-part="${name}"]`, true], ['[data-refresh="downloads"]', false]];
  for (const [selector, whole] of parts) {
    const old = document.querySelector(selector);
    const other = fresh.querySelector(selector);
    if (!old || !other) continue;
    const focused = whole && old.contains(document.activeElement) ? document.activeElement.textContent : null;
    old.toggleAttribute("data-behind", other.hasAttribute("data-behind"));
    old.replaceChildren(...other.childNodes);
    if (focused) [...old.querySelectorAll("a")].find((link) => link.textContent === focused)?.focus();
  }
  if (push) history.replaceState(null, "", address);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-live]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(link.href, link.dataset.live);
});

for (const form of document.querySelectorAll("form[data-live]")) {
  const address = () => `${form.getAttribute("action")}?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`;
  let timer;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(address(), form.dataset.live), TYPING);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(address(), form.dataset.live);
  });
}

async function catchUp() {
  const part = document.querySelector("[data-part][data-behind]");
  if (part && !document.hidden && !part.contains(document.activeElement)) {
    await show(location.href, part.dataset.part, { push: false }).catch(() => {});
  }
  setTimeout(catchUp, SOON);
}
setTimeout(catchUp, SOON);
