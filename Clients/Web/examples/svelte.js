/** A store as Svelte's `$store` reads it: that wants to be called with the state, and at once. */
export function readable(store) {
  const subscribe = (run) => {
    run(store.getState());
    return store.subscribe(() => run(store.getState()));
  };
  return { subscribe };
}
