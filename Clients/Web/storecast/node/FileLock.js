import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Rejection } from "../wire/Rejection.js";

/**
 * Takes what a file beside `path` stands for, for this program alone, until it ends or gives it
 * back. Node can't lock files as the system does; so a lock says whose it is, and one of a program
 * that has ended is taken away.
 *
 * @param {string} path
 * @returns {() => void} gives it back
 * @throws {Rejection} `outbox-locked`, if another program has it
 */
export function lockFile(path) {
  const lock = `${path}.lock`;
  const mine = `${owner(process.pid)} ${randomUUID()}`;
  while (!isTaken(lock, mine)) {
    const theirs = text(lock);
    if (theirs === undefined) continue;
    const pid = Number(theirs.split(" ")[0]);
    if (owner(pid) === theirs.split(" ").slice(0, 2).join(" ")) {
      const whose = pid === process.pid ? "Another connection of this program" : "Another program";
      const detail = `Process ${pid} has it; if that isn't so, remove ${lock}.`;
      throw new Rejection("outbox-locked", `${whose} has this outbox open.`, detail);
    }
    remove(lock, theirs);
  }
  return () => remove(lock, mine);
}

/**
 * @param {string} lock
 * @param {string} mine
 */
function isTaken(lock, mine) {
  try {
    // Whole from the beginning, also for who looks at it meanwhile.
    const draft = `${lock}.${mine.split(" ")[2]}`;
    writeFileSync(draft, mine, { flag: "wx", mode: 0o600 });
    try {
      linkSync(draft, lock);
    } finally {
      rmSync(draft, { force: true });
    }
    return true;
  } catch (error) {
    if (Object(error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Takes a lock away if it is the one that was seen, and not another that was made since.
 *
 * @param {string} lock
 * @param {string} seen
 */
function remove(lock, seen) {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (Object(error).code === "ENOENT") return;
    throw error;
  }
  try {
    if (text(aside) !== seen) linkSync(aside, lock);
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * A running program, which another one of its number later isn't: on Linux by when it began.
 * Undefined if it has ended.
 *
 * @param {number} pid
 */
function owner(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (Object(error).code !== "EPERM") return undefined;
  }
  // The name, in brackets, may hold anything; the start is the 20th field behind it.
  const stat = text(`/proc/${pid}/stat`) ?? "";
  return `${pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "?"}`;
}

/** @param {string} path */
function text(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(Object(error).code)) return undefined;
    throw error;
  }
}
