import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "./support/testing.js";

const read = (path) => readFileSync(new URL(`../../Docs/${path}`, import.meta.url), "utf8");

// A server of a cluster has two parts in one process, and most metrics of each: those of its rooms
// with part="owner", those of its clients without a part.

/** Clients count at the server that they are connected to, a process counts once. */
const ofClients = [
  "actions_deferred_total",
  "connections",
  "connections_behind",
  "connections_ended_total",
  "conflations_total",
  "info",
  "memory_bytes",
  "messages_received_total",
  "messages_sent_total",
  "received_bytes_total",
  "sent_bytes_total",
];

/** Rooms count at the server that has them, not at those that pass them on. */
const ofRooms = ["groups", "rooms"];

/** Both parts have their own, which says nothing of the other's. */
const ofBoth = ["ready", "turn_seconds_bucket"];

/** Only one part has more than 0 of it, or what one has isn't in the other's. */
const ofOne = [
  "actions_total",
  "cluster_pulse_age_seconds",
  "cluster_servers",
  "journal_append_seconds_bucket",
  "journal_entries_total",
  "journal_failures_total",
  "journal_free_bytes",
  "journal_replaced_total",
  "limits_reached_total",
  "nats_connected",
  "nats_reconnects_total",
  "open_descriptors",
  "open_descriptors_limit",
  "rooms_left_total",
  "snapshot_age_seconds",
  "snapshots_total",
  "takeover_seconds_bucket",
  "takeover_seconds_count",
  "upstream_rooms",
  "upstream_round_trip_seconds_bucket",
  "upstream_silence_seconds",
  "waiting_bytes",
];

/** What a query asks for: the metric's name without `storecast_`, and the part's matcher. */
function selectors(query) {
  return [...query.matchAll(/\bstorecast_(\w+)(\{[^}]*\})?/g)].map(([, name, labels = ""]) => ({
    name,
    part: /part(!?=)""/.exec(labels)?.[1],
  }));
}

describe("queries of Docs/Monitoring", () => {
  const dashboard = JSON.parse(read("Monitoring/dashboard.json"))
    .panels.flatMap(({ targets }) => targets)
    .map(({ expr }) => expr);
  const alerts = [...read("Monitoring/alerts.yml").matchAll(/^ +expr: (.*)$/gm)].map(([, e]) => e);
  const queries = [...dashboard, ...alerts];
  const asked = queries.flatMap((query) =>
    selectors(query).map((selector) => ({ ...selector, query })),
  );

  test("are about metrics of which is known who has them", () => {
    assert(queries.length > 50);
    const known = [...ofClients, ...ofRooms, ...ofBoth, ...ofOne];
    assert.equal(new Set(known).size, known.length);
    for (const { name, query } of asked) assert(known.includes(name), query);
  });

  test("count the clients of a cluster's server once, and its memory", () => {
    const found = asked.filter(({ name }) => ofClients.includes(name));
    assert(found.length > 8);
    for (const { part, query } of found) assert.equal(part, "=", query);
  });

  test("count a room at the server that has it, if others pass it on", () => {
    const found = queries.filter((query) => selectors(query).some(isOfRooms));
    assert.equal(found.length, 3);
    for (const query of found) {
      const [own, sole, ...more] = selectors(query);
      assert.deepEqual([own.part, sole.part, sole.name, more], ["!=", "=", own.name, []], query);
      assert(query.includes("or on (instance)"), query);
    }
  });

  test("don't hide one part of a server behind the other", () => {
    const found = asked.filter(({ name }) => ofBoth.includes(name));
    assert(found.length > 4);
    for (const { part, query } of found) {
      // Whether one isn't ready is true of all, too.
      assert(part || /by \((\w+, )*part,/.test(query) || query.startsWith("min("), query);
    }
  });

  function isOfRooms({ name }) {
    return ofRooms.includes(name);
  }
});
