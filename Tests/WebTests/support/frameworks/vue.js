/** As much of Vue as an example uses: an effect scope, and a ref that tells when it is set. */
let disposals;

export function shallowRef(value) {
  const ref = { changes: 0 };
  Object.defineProperty(ref, "value", {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      ref.changes += 1;
    },
  });
  return ref;
}

export function onScopeDispose(work) {
  disposals.push(work);
}

export function effectScope(setup) {
  disposals = [];
  const own = disposals;
  return { result: setup(), stop: () => own.forEach((work) => work()) };
}
