import assert from "node:assert/strict";

/** As much of React as an example uses, with React's demands. */
let hooks;
let place;

export function createElement(type, props, ...children) {
  return { type, props: props ?? {}, children };
}

/** https://react.dev/reference/react/useSyncExternalStore */
export function useSyncExternalStore(subscribe, getSnapshot) {
  const hook = (hooks.list[place] ??= {});
  place += 1;
  const snapshot = getSnapshot();
  assert(Object.is(snapshot, getSnapshot()), "The result of getSnapshot should be cached");
  if (hook.subscribe !== subscribe) {
    hook.end?.();
    hook.subscribe = subscribe;
    hook.end = subscribe(() => {
      if (!Object.is(hook.snapshot, getSnapshot())) hooks.render();
    });
    hooks.subscriptions += 1;
  }
  hook.snapshot = snapshot;
  return snapshot;
}

/** Shows a component; what it made last is `element`. */
export function mount(component, props) {
  const root = {
    list: [],
    renders: 0,
    subscriptions: 0,
    render: () => {
      [hooks, place] = [root, 0];
      root.renders += 1;
      root.element = component(props);
    },
    unmount: () => root.list.forEach(({ end }) => end?.()),
  };
  root.render();
  return root;
}
