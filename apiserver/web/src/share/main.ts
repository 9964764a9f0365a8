import "../ui/theme.css";

import { mount } from "svelte";

import App from "./App.svelte";

const target = document.getElementById("page");
if (target) mount(App, { target });
