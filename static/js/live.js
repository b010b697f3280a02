// Asks whether anything has changed, and fires mirror:changed on <body> when it has. Parts of the page listen to that.
(() => {
  "use strict";
  const body = document.body;
  const status = document.getElementById("live");
  const url = body.dataset.liveUrl;
  const every = Number(body.dataset.liveSeconds) * 1000;
  const whenHidden = Math.max(15000, every);
  const longest = 15000;
  let tag = body.dataset.liveTag;
  let failures = 0;
  let last = new Date();
  let timer = 0;
  let settle = 0;

  const clock = (time) => time.toISOString().slice(11, 19) + " UTC";

  const show = (state, words, title) => {
    if (status.dataset.state !== state || status.textContent !== words) {
      status.dataset.state = state;
      status.textContent = words;
    }
    status.title = title;
  };

  const changed = () => {
    body.dispatchEvent(new CustomEvent("mirror:changed"));
    show("updated", "Updated", `Last change shown at ${clock(last)}`);
    clearTimeout(settle);
    settle = setTimeout(() => show("live", "Live", `Up to date at ${clock(last)}`), 4000);
  };

  const lost = (why) => {
    failures += 1;
    clearTimeout(settle);
    show("lost", `${why}, last update ${clock(last)}`, "Trying again by itself");
  };

  const ask = async () => {
    const answer = await fetch(url, { headers: { "If-None-Match": tag }, cache: "no-store", redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) return lost("Signed out");
    if (answer.status !== 304 && !answer.ok) return lost("Server trouble");
    const recovered = failures > 0;
    failures = 0;
    last = new Date();
    const newTag = (answer.headers.get("ETag") || tag).replace(/^W\//, "");
    if (newTag !== tag) {
      tag = newTag;
      changed();
    } else if (recovered || !status.dataset.state) {
      show("live", "Live", `Up to date at ${clock(last)}`);
    }
  };

  const next = () => {
    clearTimeout(timer);
    const pause = failures ? Math.min(longest, every * 2 ** failures) : document.hidden ? whenHidden : every;
    timer = setTimeout(poll, pause);
  };

  const poll = async () => {
    try {
      await ask();
    } catch {
      lost("Connection lost");
    }
    next();
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      clearTimeout(timer);
      poll();
    }
  });
  body.addEventListener("htmx:sendError", () => lost("Connection lost"));
  poll();
})();
