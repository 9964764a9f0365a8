// Shows the API's operations with forms to try them out. Only this origin is ever called: the
// policy of the page allows no other.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", paint);
  paint();

  // The page in one landmark with headings in order. Swagger UI's own layout begins with what /docs
  // says already.
  const layout = ({ React: { createElement } }) => ({
    components: {
      ConsoleLayout: ({ getComponent, specSelectors }) => {
        if (specSelectors.loadingStatus() !== "success") return createElement(getComponent("BaseLayout", true));
        const parts = ["errors", "AuthorizeBtnContainer", "FilterContainer"].map((name) => createElement(getComponent(name, true), { key: name }));
        return createElement("div", { className: "swagger-ui" },
          createElement(getComponent("SvgAssets")),
          createElement("main", { className: "wrapper" },
            createElement("h1", null, "API console"),
            createElement("p", null, "Authorize with an API key, open an operation and try it out. Requests go to this server and take effect. The ", createElement("a", { href: "/docs" }, "reference"), " explains each operation."),
            parts,
            createElement("h2", null, "Operations"),
            createElement(getComponent("operations", true)),
            createElement(getComponent("Webhooks", true)),
            createElement(getComponent("Models", true))));
      },
      // A path stands in a button, which may hold no link.
      DeepLink: ({ text }) => createElement("span", null, text),
    },
  });

  // Attributes that Swagger UI's elements lack, or have wrongly where the value is null.
  const mends = [
    ["pre.microlight", "tabindex", "0"], // it scrolls
    ["table.responses-table", "role", null],
    [".examples-select select", "aria-label", "Example"],
    ["button.close-modal", "aria-label", "Close"],
    [".modal-ux .auth-btn-wrapper button", "aria-label", null],
    [".modal-ux-header h3", "aria-level", "2"],
    [".modal-ux h4", "aria-level", "3"],
    ["section.models > h4", "aria-level", "2"],
  ];
  const mendAttribute = (element, name, value) => {
    if (element.getAttribute(name) === value) return;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  };
  const mendAttributes = () => {
    for (const [selector, name, value] of mends) {
      for (const element of document.querySelectorAll(selector)) mendAttribute(element, name, value);
    }
    for (const row of document.querySelectorAll("[data-param-name], [data-property-name]")) {
      const name = row.dataset.paramName ?? row.dataset.propertyName;
      for (const control of row.querySelectorAll(":is(select, input, textarea):not([aria-label])")) mendAttribute(control, "aria-label", name);
    }
  };

  addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("reference");
    new MutationObserver(mendAttributes).observe(place, { childList: true, subtree: true });
    SwaggerUIBundle({
      domNode: place,
      url: "/v1/openapi.json",
      plugins: [layout],
      layout: "ConsoleLayout",
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      filter: true,
      showExtensions: true,
      persistAuthorization: false, // a key stays in this tab until it is closed
      validatorUrl: null, // the document goes to nobody
      // With a key the session of whoever reads this stays out of it: a request
      // with both is refused.
      requestInterceptor: (request) => {
        if (request.headers?.Authorization) request.credentials = "omit";
        return request;
      },
    });
  });
})();
