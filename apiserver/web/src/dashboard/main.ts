import "../ui/theme.css";
import "../ui/parts.css";

import { mount } from "svelte";

import { applyScheme } from "../ui/scheme.svelte";
import App from "./App.svelte";
import { match, startRouter } from "./router.svelte";

applyScheme();
startRouter();
// The page is fetched while the server is asked who has signed in; Page tells if it fails.
match(location.pathname)?.row.load().catch(() => {});
const target = document.getElementById("page");
if (target) mount(App, { target });
