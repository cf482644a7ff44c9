// As much of node as the module uses, so that it is checked without anybody's types.

declare module "node:crypto" {
  const webcrypto: { getRandomValues(bytes: Uint8Array): Uint8Array };
  function randomUUID(): string;
  function createHash(name: "sha256"): {
    update(text: string): { digest(encoding: "hex"): string };
  };
}

declare module "node:fs" {
  function readFileSync(path: string, encoding: "utf8"): string;
  function writeFileSync(path: string, text: string, options: { flag: "wx"; mode: number }): void;
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
  function open(path: string, flags: string, mode?: number): Promise<FileHandle>;
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
