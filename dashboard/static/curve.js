// Elo over time with its band, drawn by uPlot in place of the picture that the page brings, so that points can be read off.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Figures as everywhere on these pages: no commas. */
const whole = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000];
const plain = (_, values) => values.map(String);

function options(width, shown) {
  const soft = colour("--soft");
  const line = colour("--line");
  const mark = colour("--mark");
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    width,
    height: 260,
    scales: { x: { time: false }, y: { range: () => shown } },
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    axes: [{ ...axis, incrs: whole, values: plain, label: "complete sets of the league", labelSize: 22 }, { ...axis, values: plain, size: 56 }],
    bands: [{ series: [3, 2], fill: `color-mix(in srgb, ${mark} 20%, transparent)` }],
    series: [
      { label: "Sets", value: (_, value) => value ?? "–" },
      { label: "Elo", stroke: mark, width: 2, points: { size: 6, stroke: mark, fill: colour("--sheet") }, value: (_, value) => value?.toFixed(0) ?? "–" },
      { label: "From", stroke: "transparent", points: { show: false }, value: (_, value) => value?.toFixed(0) ?? "–" },
      { label: "To", stroke: "transparent", points: { show: false }, value: (_, value) => value?.toFixed(0) ?? "–" },
    ],
  };
}

async function draw(box) {
  const answer = await fetch(box.dataset.curve, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const { points, shown } = await answer.json();
  const column = (name) => points.map((point) => point[name]);
  const data = [column("sets"), column("elo"), column("low"), column("high")];
  const picture = box.querySelector("svg");
  picture.setAttribute("hidden", "");
  const make = () => {
    const last = { idx: points.length - 1 }; // told until the pointer is on another
    const hooks = { ready: [(made) => made.setLegend(last)] };
    const made = new uPlot({ ...options(box.clientWidth, shown), hooks }, data, box);
    made.over.addEventListener("mouseleave", () => made.setLegend(last));
    return made;
  };
  let chart = make();
  const redraw = () => {
    chart.destroy();
    chart = make();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let width = box.clientWidth;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    chart.setSize({ width, height: 260 });
  }).observe(box);
}

for (const box of document.querySelectorAll("[data-curve]")) draw(box).catch(() => {});
