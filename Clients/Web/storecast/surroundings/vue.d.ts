// As much of Vue as the module uses, so that it is checked without anybody's types.

export interface ShallowRef<Value> {
  value: Value;
}
export interface App {
  provide(key: unknown, value: unknown): unknown;
}
export declare function inject<Value>(key: unknown, otherwise: Value): Value | undefined;
export declare function onScopeDispose(work: () => void): void;
export declare function shallowRef<Value>(value: Value): ShallowRef<Value>;
export declare function unref<Value>(value: Value | { readonly value: Value }): Value;
export declare function watch<Value>(
  source: () => Value,
  changed: (value: Value) => void,
  options: { immediate: true; flush: "sync" },
): () => void;
