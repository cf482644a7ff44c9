/** One more vote, as the room's action. */
export const oneMore = (drink) => ({
  type: "increment",
  payload: { path: `/votes/${drink}`, by: 1 },
});

/** What that makes of the votes, shown before the server has answered. */
export const optimistic = (votes, { payload: { path, by } }) => {
  const drink = path.replace("/votes/", "");
  return { ...votes, [drink]: votes[drink] + by };
};

/** What the page says of the connection. */
export const sentence = (state, pending) =>
  pending > 0 ? `${state}, ${pending} not saved yet` : state;
