// Draws each .figure from the JSON in it, in the colours of the theme in force, and again when either changes.
(() => {
  "use strict";
  const drawn = new WeakMap();
  const options = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false };

  // "var(--claim-0)" becomes the value that the style sheet gives it now.
  const resolve = (value, styles) => {
    if (typeof value === "string") {
      const match = /^var\((--[\w-]+)\)$/.exec(value);
      return match ? styles.getPropertyValue(match[1]).trim() : value;
    }
    if (Array.isArray(value)) return value.map((item) => resolve(item, styles));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, styles)]));
    }
    return value;
  };

  const follow = (event) => {
    const address = event.points[0] && event.points[0].customdata;
    if (typeof address === "string" && address.startsWith("/") && !address.startsWith("//")) location.assign(address);
  };

  const draw = (box) => {
    const source = box.querySelector("script[type='application/json']");
    const plot = box.querySelector(".plot");
    const styles = getComputedStyle(document.documentElement);
    const state = `${styles.getPropertyValue("--surface")}|${source.textContent}`;
    if (drawn.get(plot) === state) return;
    const first = !drawn.has(plot);
    drawn.set(plot, state);
    const figure = resolve(JSON.parse(source.textContent), styles);
    Plotly.react(plot, figure.data, figure.layout, options).then(() => {
      if (first && box.hasAttribute("data-links")) plot.on("plotly_click", follow);
      box.dataset.drawn = "yes";
    });
  };

  const drawAll = () => document.querySelectorAll(".figure").forEach(draw);

  // What a script has drawn or a person has opened stays as it is when a new version of the page is laid over it.
  Idiomorph.defaults.ignoreActiveValue = true;
  Object.assign(Idiomorph.defaults.callbacks, {
    beforeNodeMorphed: (old) => !(old.nodeType === 1 && old.classList.contains("plot")),
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.nodeName === "DETAILS") && name !== "data-drawn",
  });

  drawAll();
  document.addEventListener("theme:changed", drawAll);
  document.body.addEventListener("htmx:afterSettle", drawAll);
})();
