// As much of what surrounds the module as it uses, so that it is checked without anybody's types.

declare module "react" {
  interface Context<Value> {
    Provider: unknown;
    readonly __value?: Value;
  }
  function createContext<Value>(value: Value): Context<Value>;
  function createElement(type: unknown, props: unknown, ...children: unknown[]): unknown;
  function useContext<Value>(context: Context<Value>): Value;
  function useMemo<Value>(make: () => Value, needs: readonly unknown[]): Value;
  function useSyncExternalStore<Value>(
    subscribe: (listener: () => void) => () => void,
    getSnapshot: () => Value,
    getServerSnapshot?: () => Value,
  ): Value;
}

declare module "vue" {
  interface ShallowRef<Value> {
    value: Value;
  }
  interface App {
    provide(key: unknown, value: unknown): unknown;
  }
  function inject<Value>(key: unknown, otherwise: Value): Value | undefined;
  function onScopeDispose(work: () => void): void;
  function shallowRef<Value>(value: Value): ShallowRef<Value>;
  function unref<Value>(value: Value | { readonly value: Value }): Value;
  function watch<Value>(
    source: () => Value,
    changed: (value: Value) => void,
    options: { immediate: true; flush: "sync" },
  ): () => void;
}

declare module "node:crypto" {
  const webcrypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
  function randomUUID(): string;
  function createHash(name: "sha256"): {
    update(text: string): { digest(encoding: "hex"): string };
  };
}

declare module "node:fs" {
  function readFileSync(path: string, encoding: "utf8"): string;
  function writeFileSync(path: string, text: string, options: { flag: "wx" }): void;
  function linkSync(path: string, other: string): void;
  function renameSync(path: string, other: string): void;
  function rmSync(path: string, options?: { force: boolean }): void;
}

declare module "node:fs/promises" {
  interface FileHandle {
    truncate(length: number): Promise<void>;
    writeFile(text: string): Promise<void>;
    sync(): Promise<void>;
    close(): Promise<void>;
  }
  function open(path: string, flags: string): Promise<FileHandle>;
  function mkdir(path: string, options: { recursive: true }): Promise<void>;
  function readFile(path: string, encoding: "utf8"): Promise<string>;
  function rename(path: string, other: string): Promise<void>;
}

declare module "node:module" {
  function createRequire(url: string): (name: string) => any;
}

declare module "node:path" {
  function dirname(path: string): string;
  function resolve(path: string): string;
}

declare const process: {
  readonly pid: number;
  cwd(): string;
  kill(pid: number, signal: 0): void;
};
declare class Buffer {
  static byteLength(text: string): number;
}
