// Searches the operations, shows the samples in one language, and copies them.
"use strict";

(() => {
  const search = document.querySelector("#search");
  const found = document.querySelector("#found");
  const menu = document.querySelector("#sections");
  const sections = [...document.querySelectorAll(".sections details")];
  const opened = sections.map((s) => s.open);

  const find = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    sections.forEach((section, i) => {
      let here = 0;
      for (const entry of section.querySelectorAll("li")) {
        const fits = words.length === 0 || (entry.dataset.find && words.every((w) => entry.dataset.find.includes(w)));
        entry.hidden = !fits;
        if (fits) here++;
      }
      section.hidden = here === 0;
      section.open = words.length > 0 ? here > 0 : opened[i];
      count += here;
    });
    found.textContent = words.length === 0 ? "" : count === 0 ? "Nothing found" : count === 1 ? "1 result" : `${count} results`;
  };
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") document.querySelector(".sections li:not([hidden]) a")?.click();
    if (event.key === "Escape") {
      search.value = "";
      find();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    showMenu();
    search.focus();
  });
  // On a narrow page the sections are behind a button.
  const isNarrow = matchMedia("(max-width: 48rem)");
  const showMenu = () => isNarrow.matches && menu.togglePopover?.(true);
  const hideMenu = () => menu.togglePopover?.(false);
  menu.addEventListener("click", (event) => event.target.closest("a") && hideMenu());
  isNarrow.addEventListener("change", hideMenu);

  const key = "assay.docs.language";
  const languages = new Map([...document.querySelectorAll("figure[data-language]")].map((f) => [f.dataset.language, f.querySelector("span").textContent]));
  const choose = (language) => {
    for (const block of document.querySelectorAll(".code")) {
      const figures = [...block.querySelectorAll("figure[data-language]")];
      const shown = figures.find((f) => f.dataset.language === language) ?? figures[0];
      for (const figure of figures) figure.hidden = figure !== shown;
    }
    for (const button of document.querySelectorAll("button[data-choose]")) button.setAttribute("aria-pressed", String(button.dataset.choose === language));
  };
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", () => act(made));
    return made;
  };
  for (const figure of document.querySelectorAll(".code figure")) {
    const caption = figure.querySelector("figcaption");
    if (figure.dataset.language) {
      const offered = [...figure.parentElement.querySelectorAll("figure[data-language]")].map((f) => f.dataset.language);
      caption.querySelector("span").remove();
      for (const language of offered) {
        const choice = button(languages.get(language), () => {
          try {
            localStorage.setItem(key, language);
          } catch {
            // Without storage the choice is for this page.
          }
          choose(language);
          choice.closest(".code").querySelector(`figure:not([hidden]) button[data-choose="${language}"]`).focus();
        });
        choice.dataset.choose = language;
        caption.append(choice);
      }
    }
    const copy = button("Copy", async (self) => {
      try {
        await navigator.clipboard.writeText(figure.querySelector("pre").textContent);
        self.textContent = "Copied";
      } catch {
        self.textContent = "Select and copy it yourself"; // the browser was told not to
      }
      setTimeout(() => (self.textContent = "Copy"), 2000);
    });
    copy.className = "copy";
    caption.append(copy);
  }
  let kept = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    // Storage may be switched off.
  }
  choose(languages.has(kept) ? kept : "curl");
})();
