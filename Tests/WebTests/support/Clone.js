import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The programs that shell blocks name, made to run what `swift build` has built, on free ports. */
const stands = {
  sudo: 'exec "$@"',
  "apt-get": ":",
  install: 'cp "$1" "$SANDBOX/local/"',
  python3: 'exec "$REAL_PYTHON" "${@/#8000/$PORT_8000}"',
  swift: `case "$1 $2 $3" in
    "run -c release") shift 3; exec product "$@" ;;
    "build -c release")
      mkdir -p .build/release
      printf '#!/usr/bin/env bash\\nexec product %s "$@"\\n' "$5" > ".build/release/$5"
      chmod +x ".build/release/$5" ;;
    *) echo "A walk doesn't run: swift $*" >&2; exit 64 ;;
    esac`,
  "nats-server": 'exec "$NATS_SERVER" -a 127.0.0.1 -p "$PORT_4222" "$@"',
  // Simulations are cut short; all else is as the page has it.
  product: `name=$1; shift
    before=; words=()
    for word in "$@"; do
      case "$before" in
      --seeds) word=3 ;;
      --clients) word=4 ;;
      --steps) word=50 ;;
      --port) word=\${word/#9091/$PORT_9091} ;;
      esac
      before=$word
      word=\${word//:9090/:$PORT_9090}
      if [ "$word" = nats://localhost ]; then word=nats://127.0.0.1:$PORT_4222; fi
      words+=("\${word//:9091/:$PORT_9091}")
    done
    case "$name $1 $*" in
    "storecast serve "*--port*) ;;
    "storecast serve "*) words+=(--port "$PORT_9090") ;;
    esac
    exec "$PRODUCTS/$name" "\${words[@]}"`,
};

/** A scratch folder in which shell blocks run as a reader pastes them into terminals. */
export class Clone {
  #sandbox = mkdtempSync(join(tmpdir(), "storecast-clone-"));
  #folder = join(this.#sandbox, "clone");
  #environment;
  #terminals = [];

  static async make() {
    const clone = new Clone();
    const bin = join(clone.#sandbox, "bin");
    for (const folder of [bin, clone.#folder, join(clone.#sandbox, "local")]) mkdirSync(folder);
    for (const [name, script] of Object.entries(stands)) {
      writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    symlinkSync(join(root, "Clients"), join(clone.#folder, "Clients"));
    const python = await clone.#output("command -v python3", process.env);
    clone.#environment = {
      ...process.env,
      PATH: `${bin}:${join(clone.#sandbox, "local")}:${process.env.PATH}`,
      SANDBOX: clone.#sandbox,
      PRODUCTS: join(root, ".build/debug"),
      REAL_PYTHON: python.trim(),
      NATS_SERVER: join(root, ".build/python/bin/nats-server"),
    };
    for (const port of [9090, 9091, 8000, 4222]) {
      clone.#environment[`PORT_${port}`] = String(await freePort());
    }
    return clone;
  }

  /** Runs a block that ends; fails if a line of it does, or if it goes on for two minutes. */
  async run(block) {
    return this.#output(block, this.#environment);
  }

  /** Starts a block in a terminal of its own; returns when that shows something. */
  async start(block) {
    const file = join(this.#sandbox, `terminal-${this.#terminals.length}`);
    writeFileSync(file, block);
    const child = spawn("script", ["-qefc", `bash -e ${file}`, "/dev/null"], {
      cwd: this.#folder,
      env: this.#environment,
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const terminal = { block, child, shown: "" };
    this.#terminals.push(terminal);
    terminal.end = new Promise((resolve) => child.once("close", resolve));
    const output = new Promise((resolve) =>
      child.stdout.on("data", (data) => resolve((terminal.shown += data))),
    );
    await within(60, Promise.race([output, terminal.end]), `shows nothing:\n${block}`);
  }

  /** Ends what goes on, by Ctrl-C, and tells all that was shown. */
  async interrupt() {
    const terminals = this.#terminals;
    this.#terminals = [];
    for (const { block, child, shown } of terminals) {
      if (child.exitCode !== null) throw new Error(`It ended by itself:\n${block}\n${shown}`);
    }
    for (const { block, child, end } of terminals.reverse()) {
      child.stdin.write("\u0003");
      await within(20, end, `goes on after Ctrl-C:\n${block}`, () => kill(child));
    }
    return terminals.map(({ shown }) => shown);
  }

  remove() {
    for (const { child } of this.#terminals) kill(child);
    rmSync(this.#sandbox, { recursive: true });
  }

  async #output(block, env) {
    const child = spawn("bash", ["-e", "-c", block], {
      cwd: this.#folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [shown, problems] = ["", ""];
    child.stdout.on("data", (data) => (shown += data));
    child.stderr.on("data", (data) => (problems += data));
    const end = new Promise((resolve) => child.once("close", resolve));
    const status = await within(120, end, `goes on:\n${block}`, () => kill(child));
    if (status !== 0) throw new Error(`Status ${status} of:\n${block}\n${shown}${problems}`);
    return shown;
  }
}

/** Why there can be no walk; undefined if there can. */
export const missing = ["storecast", "storecast-board", "Simulate"]
  .filter((name) => !existsSync(join(root, ".build/debug", name)))
  .map((name) => `needs .build/debug/${name}: swift build`)[0];

/** The fenced blocks of a page: their languages and lines. */
export function blocks(page) {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, language, content]) => ({
    page,
    language,
    content,
  }));
}

async function within(seconds, promise, problem, otherwise = () => {}) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      otherwise();
      reject(new Error(`It ${problem}`));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a process that was started here, and those that it has started. */
function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
