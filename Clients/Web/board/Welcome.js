import { byId } from "../parts/element.js";
import { hasSeenTour, startTour } from "./Tour.js";

/** Cards to begin with: the place of their column, and what they say. */
const samples = /** @type {const} */ ([
  [0, "Drag me to another column, or hold me with a finger first"],
  [0, "Click me to edit me: everybody sees it at once"],
  [0, "Vote ▲ for what matters most"],
  [1, "Share the link of this board, and edit a card together"],
  [2, "Find the board ✓"],
]);

/** What an empty board offers. */
export class Welcome {
  #board;
  #panel = byId("welcome");
  #isClosed = false;

  /** @param {import("./BoardView.js").BoardView} board */
  constructor(board) {
    this.#board = board;
    byId("welcome-samples").onclick = () => this.#addSamples();
    byId("welcome-tour").onclick = () => startTour();
    byId("welcome-close").onclick = () => {
      this.#isClosed = true;
      this.show();
      board.columns[0]?.add.focus();
    };
  }

  /** The cards or columns may be others. */
  show() {
    const { columns } = this.#board;
    const isEmpty = columns.every(({ column, cards }) => column.count === 0 && cards.length === 0);
    this.#panel.hidden = !this.#board.isKnown || !isEmpty || this.#isClosed;
    byId("welcome-samples").hidden = columns.length === 0;
    byId("welcome-tour").hidden = hasSeenTour();
  }

  #addSamples() {
    const { columns } = this.#board;
    for (const [place, text] of samples) {
      const column = columns[Math.min(place, columns.length - 1)]?.column.id;
      this.#board.dispatch("AddCard", { column, text });
    }
    columns[0]?.add.focus();
  }
}
