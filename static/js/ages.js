// Lets the ages on an open page go on counting; written as pools/templatetags/dra.py writes them.
(() => {
  "use strict";
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

  const words = (total) => {
    let seconds = Math.max(0, Math.floor(total));
    const parts = [];
    for (const [size, unit] of units) {
      if (seconds >= size || (unit === "s" && !parts.length)) {
        parts.push(`${Math.floor(seconds / size)} ${unit}`);
        seconds %= size;
      }
    }
    return parts.slice(0, 2).join(" ");
  };

  const count = () => {
    if (document.hidden) return;
    document.querySelectorAll("time[data-age]").forEach((node) => {
      const text = words((Date.now() - Date.parse(node.dateTime)) / 1000);
      if (node.textContent !== text) node.textContent = text;
    });
  };

  setInterval(count, 20000);
})();
