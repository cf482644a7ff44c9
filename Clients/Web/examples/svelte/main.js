import { mount } from "svelte";
import { connect } from "storecast";
import Votes from "./Votes.svelte";
import { address } from "../address.js";

mount(Votes, {
  target: document.getElementById("app"),
  props: { connection: connect(address) },
});
