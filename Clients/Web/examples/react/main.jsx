import { createElement, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { connect } from "storecast";
import { Provider, useConnection, usePending, useSelection, useStatus } from "storecast/react";
import { address } from "../address.js";
import { oneMore, optimistic, sentence } from "../votes.js";

const options = { optimistic, suspense: true };

function Votes() {
  const votes = useSelection("value", { path: "/votes" }, options);
  return (
    <p>
      {Object.keys(votes).map((drink) => (
        <Vote key={drink} drink={drink} />
      ))}
    </p>
  );
}

/** Rendered only when its own count changes. */
function Vote({ drink }) {
  const count = useSelection("value", { path: "/votes" }, {
    optimistic,
    select: (votes) => votes[drink],
  });
  const { dispatch } = useConnection();
  return (
    <button onClick={() => dispatch(oneMore(drink))}>
      {drink}: {count}
    </button>
  );
}

function Status() {
  return <p role="status">{sentence(useStatus().state, usePending())}</p>;
}

createRoot(document.getElementById("app")).render(
  <StrictMode>
    <Provider connection={connect(address)}>
      <Suspense fallback={<p>Loading…</p>}>
        <Votes />
      </Suspense>
      <Status />
    </Provider>
  </StrictMode>,
);
