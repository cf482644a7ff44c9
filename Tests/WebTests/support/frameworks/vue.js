import { readFileSync } from "node:fs";
import { vuePath } from "./installed.js";

// The build for browsers, which keeps what it has in a variable.
const Vue = new Function(`${readFileSync(vuePath, "utf8")}; return Vue;`)();

export const { createApp, effectScope, inject, nextTick, onScopeDispose, ref } = Vue;
export const { shallowRef, unref, version, watch } = Vue;
