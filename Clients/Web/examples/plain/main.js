import { connect } from "./storecast.min.js";
import { address } from "../address.js";
import { oneMore, optimistic, sentence } from "../votes.js";

const connection = connect(address);
const votes = connection.select("value", { path: "/votes" }, { optimistic });

const buttons = new Map();
votes.subscribe(() => {
  for (const [drink, count] of Object.entries(votes.getState() ?? {})) {
    const button = buttons.get(drink) ?? document.createElement("button");
    button.textContent = `${drink}: ${count}`;
    if (buttons.has(drink)) continue;
    button.onclick = () => connection.dispatch(oneMore(drink));
    buttons.set(drink, button);
    document.getElementById("votes").append(button);
  }
});

connection.subscribe(() => {
  const { status, pendingCount } = connection;
  document.getElementById("status").textContent = sentence(status.state, pendingCount);
});
