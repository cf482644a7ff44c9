/**
 * Stands in for Svelte's compiler, which no package here has: as much of its language as an example
 * uses, with what its documentation says of stores: `$store` is what the store last called with; it
 * is subscribed to from the beginning, and calls at once.
 */
export function compileComponent(source) {
  const [whole, script] = /<script>(.*?)<\/script>/s.exec(source);
  const template = source.replace(whole, "").trim();
  const imports = script.match(/^ *import .*;$/gm).join("\n");
  const body = script
    .replace(/^ *import .*;$/gm, "")
    .replace(/export let (\w+);/g, "let { $1 } = $$$$props;");
  const stores = new Set([...template.matchAll(/\$(\w+)/g)].map(([, name]) => name));
  return `${imports}
    const $$element = (name, on, children) => {
      const element = Object.assign(document.createElement(name), on.properties);
      for (const [event, act] of Object.entries(on.events)) element.addEventListener(event, act);
      for (const [key, value] of Object.entries(on.attributes)) element.setAttribute(key, value);
      element.append(...children);
      return element;
    };
    export default function ($$target, $$props) {
      ${body}
      const $$values = {};
      const $$stores = { ${[...stores].join(", ")} };
      let $$render = () => {};
      for (const [name, store] of Object.entries($$stores)) {
        store.subscribe((value) => {
          $$values[name] = value;
          $$render();
        });
        if (!(name in $$values)) throw new Error("A store calls at once.");
      }
      $$render = () => $$target.replaceChildren(${new Template(template).nodes()});
      $$render();
    }`;
}

/** What is in place of the package `svelte`. */
export const runtime = "export const mount = (make, { target, props }) => make(target, props);";

/** Reads a template from its start to its end. */
class Template {
  #rest;

  constructor(text) {
    this.#rest = text;
  }

  /** Expressions of what is there until `end`, with commas. */
  nodes(end) {
    const nodes = [];
    while (this.#rest !== "" && !(end && this.#rest.startsWith(end))) nodes.push(this.#node());
    if (end) this.#take(end);
    return nodes.join(", ");
  }

  #node() {
    if (this.#rest.startsWith("<")) return this.#element();
    if (!this.#rest.startsWith("{")) return JSON.stringify(this.#take(/^[^<{]+/)[0]);
    const braces = this.#braces();
    const each = /^#each (.*) as (\w+)( \(.*\))?$/s.exec(braces);
    if (!each) return `String(${values(braces)})`;
    return `...(${values(each[1])}).flatMap((${each[2]}) => [${this.nodes("{/each}")}])`;
  }

  #element() {
    const [, name] = this.#take(/^<(\w+)\s*/);
    const on = { events: [], attributes: [] };
    while (!this.#rest.startsWith(">")) {
      const [, kind = "", key] = this.#take(/^(on:)?(\w+)=/);
      const isBraced = this.#rest.startsWith("{");
      const value = isBraced ? values(this.#braces()) : this.#take(/^"[^"]*"/)[0];
      on[kind ? "events" : "attributes"].push(`${JSON.stringify(key)}: ${value}`);
      this.#take(/^\s*/);
    }
    this.#take(">");
    const options = `{ events: { ${on.events} }, attributes: { ${on.attributes} } }`;
    return `$$element("${name}", ${options}, [${this.nodes(`</${name}>`)}])`;
  }

  /** What is between braces. */
  #braces() {
    let depth = 0;
    for (let place = 0; place < this.#rest.length; place += 1) {
      if (this.#rest[place] === "{") depth += 1;
      if (this.#rest[place] === "}") depth -= 1;
      if (depth > 0) continue;
      const inner = this.#rest.slice(1, place);
      this.#rest = this.#rest.slice(place + 1);
      return inner;
    }
    throw new Error("A brace isn't closed.");
  }

  #take(what) {
    const found = typeof what === "string" ? [what] : what.exec(this.#rest);
    if (!found || !this.#rest.startsWith(found[0])) throw new Error(`Unknown: ${this.#rest}`);
    this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

function values(expression) {
  return expression.replace(/\$(\w+)/g, "$$$$values.$1");
}
