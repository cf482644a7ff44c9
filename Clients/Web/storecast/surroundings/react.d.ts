// As much of React as the module uses, so that it is checked without anybody's types.

export interface Context<Value> {
  Provider: unknown;
  readonly __value?: Value;
}
export declare function createContext<Value>(value: Value): Context<Value>;
export declare function createElement(
  type: unknown,
  props: unknown,
  ...children: unknown[]
): unknown;
export declare function useContext<Value>(context: Context<Value>): Value;
export declare function useMemo<Value>(make: () => Value, needs: readonly unknown[]): Value;
export declare function useSyncExternalStore<Value>(
  subscribe: (listener: () => void) => () => void,
  getSnapshot: () => Value,
  getServerSnapshot?: () => Value,
): Value;
