import { TestRoom } from "../../../../Clients/Web/storecast/testing.js";

/** A room with votes, in which `vote` is the only action. */
export const votes = () =>
  new TestRoom({
    state: { tea: 2, coffee: 0, log: [] },
    reduce: (state, { payload }) => ({ ...state, [payload]: state[payload] + 1 }),
    selections: {
      all: (state) => state,
      of: (state, { drink }) => state[drink],
      value: (state) => state,
    },
  });

export const vote = (drink) => ({ type: "vote", payload: drink });
