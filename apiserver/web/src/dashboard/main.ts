import "../ui/theme.css";
import "../ui/parts.css";

import { mount } from "svelte";

import { applyScheme } from "../ui/scheme.svelte";
import App from "./App.svelte";
import { startRouter } from "./router.svelte";

applyScheme();
startRouter();
const target = document.getElementById("page");
if (target) mount(App, { target });
