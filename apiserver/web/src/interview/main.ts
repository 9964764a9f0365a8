import "../ui/theme.css";

import { mount } from "svelte";

import App from "./App.svelte";
import { Client } from "./protocol";
import { Session } from "./session.svelte";

const base = location.pathname.replace(/\/+$/, "");
const target = document.getElementById("page");
if (target) mount(App, { target, props: { session: new Session(new Client(base)) } });
