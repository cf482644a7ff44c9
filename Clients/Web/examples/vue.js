import { onScopeDispose, shallowRef } from "vue";

/** A store's state as a ref, for `setup()`. */
export function useStore(store) {
  const state = shallowRef(store.getState());
  onScopeDispose(store.subscribe(() => (state.value = store.getState())));
  return state;
}
