import { bytes, duration, element, rate } from "../elements.js";

/** @typedef {import("../model/types.js").Sample} Sample */

/**
 * @typedef {object} Kind
 * @property {string} title
 * @property {(sample: Sample) => number} read
 * @property {(value: number) => string} text
 */

/** @type {Kind[]} */
const kinds = [
  { title: "actions/s", read: (sample) => sample.actions, text: rate },
  { title: "messages/s out", read: (sample) => sample.messages, text: rate },
  { title: "bytes/s out", read: (sample) => sample.sent, text: bytes },
  { title: "bytes/s in", read: (sample) => sample.received, text: bytes },
  { title: "journal, p99", read: (sample) => sample.append?.most ?? 0, text: duration },
  { title: "reduce, p99", read: (sample) => sample.commit?.most ?? 0, text: duration },
];

const [width, height] = [240, 34];

/** The last minutes as small graphs. */
export class Graphs {
  /** @type {{ figure: HTMLElement, now: HTMLElement, top: HTMLElement, line: Element,
   *     area: Element, image: Element }[]} */
  #graphs;

  /** @param {HTMLElement} home */
  constructor(home) {
    this.#graphs = kinds.map(({ title }) => graph(title));
    home.append(...this.#graphs.map(({ figure }) => figure));
  }

  /** @param {Sample[] | undefined} samples */
  show(samples = []) {
    for (const [index, { title, read, text }] of kinds.entries()) {
      const { now, top, line, area, image } = this.#graphs[index];
      const values = samples.map(read);
      const highest = Math.max(...values, 0);
      const last = values.at(-1) ?? 0;
      now.textContent = text(last);
      top.textContent = highest > 0 ? `max ${text(highest)}` : "";
      image.setAttribute("aria-label", `${title}: now ${text(last)}, at most ${text(highest)}`);
      const points = values.map((value, place) => {
        const x = width - (values.length - 1 - place);
        const y = height - 1 - (highest > 0 ? (value / highest) * (height - 3) : 0);
        return `${x},${y.toFixed(1)}`;
      });
      line.setAttribute("points", points.join(" "));
      const left = width - Math.max(values.length - 1, 0);
      area.setAttribute("points", `${left},${height} ${points.join(" ")} ${width},${height}`);
    }
  }
}

/** @param {string} title */
function graph(title) {
  const line = drawn("polyline", { class: "line" });
  const area = drawn("polygon", { class: "area" });
  const image = drawn("svg", {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
  });
  image.append(area, line);
  const now = element("b");
  const top = element("span", { class: "faint" });
  const caption = element("figcaption", {}, element("span", {}, title), top, now);
  return { figure: element("figure", {}, caption, image), now, top, line, area, image };
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
