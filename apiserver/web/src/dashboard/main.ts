import "../ui/theme.css";
import "../ui/parts.css";

import { mount } from "svelte";

import { readAhead } from "../api/client";
import { applyScheme } from "../ui/scheme.svelte";
import App from "./App.svelte";
import { keepPlaces } from "./place";
import { match, startRouter } from "./router.svelte";

applyScheme();
startRouter();
keepPlaces();
// The page, and what it reads first, are fetched while the server is asked who has
// signed in; the page tells if that fails.
const first = match(location.pathname);
first?.row.load().catch(() => {});
if (first?.row.reads && first.params.id) readAhead(first.row.reads(encodeURIComponent(first.params.id)));
const target = document.getElementById("page");
if (target) mount(App, { target });
