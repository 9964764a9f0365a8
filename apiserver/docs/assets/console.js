// Shows the API's operations with forms to try them out. Only this origin is ever called: the
// policy of the page allows no other.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", paint);
  paint();

  addEventListener("DOMContentLoaded", () => SwaggerUIBundle({
    dom_id: "#reference",
    url: "/v1/openapi.json",
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
  }));
})();
