import { createElement, useSyncExternalStore } from "react";

/** A room's votes: stores are what `useSyncExternalStore` takes, and equal selections are one. */
export function Votes({ connection }) {
  const store = connection.select("value", { path: "/votes" });
  const votes = useSyncExternalStore(store.subscribe, store.getState);
  const status = useSyncExternalStore(connection.subscribe, () => connection.status.state);
  if (!votes) return createElement("p", null, status);
  const vote = { type: "increment", payload: { path: "/votes/tea", by: 1 } };
  return createElement("button", { onClick: () => store.dispatch(vote) }, `Tea: ${votes.tea}`);
}
