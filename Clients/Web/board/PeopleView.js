import { avatar, shownName } from "../parts/avatar.js";
import { byId, element } from "../parts/element.js";
import { myFormerName } from "./NameDialog.js";

const most = 6;

/** Who else is here, as a row of discs. */
export class PeopleView {
  #former = myFormerName();

  /**
   * @param {import("../storecast/index.js").Connection<any>} connection
   * @param {string} me
   */
  constructor(connection, me) {
    const present = connection.select("present");
    // Who was here the last time, as the cache has it, may be anywhere now.
    let isKnown = false;
    const show = () => {
      isKnown ||= present.isLive;
      const all = isKnown ? present.getState() ?? [] : [];
      this.#show(all, connection.identity?.id ?? me);
    };
    present.subscribe(show);
    if (this.#former) setTimeout(show, this.#former.until - Date.now());
  }

  /**
   * @param {{ id: string, name: string }[]} all
   * @param {string} me
   */
  #show(all, me) {
    // One's own name is on the button beside them; under the one before nobody is there any more.
    const { name: former, until = 0 } = this.#former ?? {};
    const hidden = Date.now() < until ? [me, former] : [me];
    const people = all.filter(({ id }) => !hidden.includes(id));
    const room = matchMedia("(max-width: 640px)").matches ? 2 : most;
    const shown = people.slice(0, people.length > room ? room - 1 : room);
    const items = shown.map((person) => {
      const name = shownName(person.name);
      const spoken = element("span", { class: "spoken", text: name });
      return element("li", { title: name }, avatar(person.id), spoken);
    });
    const others = people.slice(shown.length).map(({ id }) => shownName(id));
    if (others.length > 0) {
      const text = `+${others.length}`;
      const more = element("span", { class: "avatar more", "aria-hidden": "true", text });
      const names = others.join(", ");
      const spoken = element("span", { class: "spoken", text: names });
      items.push(element("li", { title: names }, more, spoken));
    }
    byId("people").replaceChildren(...items);
    byId("names").replaceChildren(
      ...all.filter(({ id }) => id).map(({ id }) => element("option", { value: id }))
    );
  }
}
