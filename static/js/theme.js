// Switches between the system's, the light and the dark theme; a cookie tells the server, so that no page flashes.
(() => {
  "use strict";
  const root = document.documentElement;
  const order = ["auto", "light", "dark"];

  const current = () => root.dataset.theme || "auto";

  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const age = theme === "auto" ? 0 : 31536000;
    document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
    document.dispatchEvent(new CustomEvent("theme:changed"));
  };

  const label = (button) => {
    const words = { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" }[current()];
    button.setAttribute("aria-label", `${words}. Change.`);
    button.title = words;
    button.dataset.theme = current();
  };

  document.querySelectorAll("[data-theme-button]").forEach((button) => {
    label(button);
    button.addEventListener("click", () => {
      apply(order[(order.indexOf(current()) + 1) % order.length]);
      label(button);
    });
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    document.dispatchEvent(new CustomEvent("theme:changed"));
  });
})();
