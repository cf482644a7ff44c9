"""Draws the pictures of the board and the devtools in Docs from their pages: `python pictures.py`.

Vectors, so that they are small and a change of the page is a change of lines.
"""

import pathlib

from playwright.sync_api import expect, sync_playwright

from pages import Board
from programs import DEADLINE, Server

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "Docs/Images"
PHONE = {"viewport": {"width": 390, "height": 700}, "is_mobile": True, "has_touch": True}

# The boxes, lines of text and vectors of what is shown, in the order in which they are painted.
DRAW = """(title) => {
  const out = [];
  const escaped = (text) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
  const round = (number) => Math.round(number * 10) / 10;
  const colour = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    const hex = "#" + [r, g, b].map((it) => Math.round(it).toString(16).padStart(2, "0")).join("");
    return { hex, a: round(a) };
  };
  const fill = (text, name = "fill") => {
    const { hex, a } = colour(text);
    return ` ${name}="${hex}"` + (a < 1 ? ` ${name}-opacity="${a}"` : "");
  };
  const rect = (box, radius, paint) => out.push(
    `<rect x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" ` +
    `height="${round(box.height)}"${radius ? ` rx="${round(radius)}"` : ""}${paint}/>`);
  const write = (text, box, style) => {
    if (!text.trim()) return;
    const size = parseFloat(style.fontSize);
    const weight = style.fontWeight >= 600 ? ` font-weight="600"` : "";
    const family = style.fontFamily.includes("mono") ? ` class="m"` : "";
    const struck = style.textDecorationLine === "line-through"
      ? ` text-decoration="line-through"` : "";
    const y = box.y + box.height / 2 + size * 0.36;
    const look = fill(style.color) + weight + family + struck;
    out.push(`<text x="${round(box.x)}" y="${round(y)}" font-size="${round(size)}" ` +
      `textLength="${round(box.width)}"${look}>${escaped(text)}</text>`);
  };
  const lines = (node, style) => {
    const range = document.createRange();
    const shown = style.textTransform === "uppercase" ? node.data.toUpperCase() : node.data;
    let line = { text: "" };
    // Spaces count only between words: SVG has none at the ends.
    let space = "";
    const end = () => line.text && write(line.text, line.box, style);
    for (let at = 0; at < node.length; at += 1) {
      if (/\\s/.test(shown[at])) {
        space = " ";
        continue;
      }
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getClientRects()[0];
      if (!box?.width) continue;
      if (box.x > clip.right) {
        line.text = `${line.text.slice(0, -1)}…`;
        break;
      }
      if (line.box && Math.abs(box.y - line.box.y) > 2) { end(); line = { text: "" }; }
      const { box: old = box } = line;
      line.box = new DOMRect(old.x, old.y, box.right - old.x, old.height);
      line.text += (line.text && space) + shown[at];
      space = "";
    }
    if (line.box) end();
  };
  const field = (element, style) => {
    const text = element.selectedOptions?.[0]?.label ?? element.value ?? "";
    const box = element.getBoundingClientRect();
    if (element.type === "checkbox") {
      return rect(box, 2, fill(style.color, "stroke") + ` fill="none"`);
    }
    if (element.type === "range") {
      const middle = box.y + box.height / 2;
      const at = box.x + 8 + (box.width - 16) * element.value / element.max;
      const track = (end, paint) => rect(new DOMRect(box.x, middle - 3, end - box.x, 6), 3, paint);
      track(box.right, ` fill="#8884"`);
      track(at, fill(style.accentColor));
      out.push(`<circle cx="${round(at)}" cy="${round(middle)}" r="8"${fill(style.accentColor)}/>`);
      return;
    }
    const shown = text || element.placeholder || "";
    // Where its lines break isn't told: a copy of it tells.
    const copy = document.createElement("div");
    for (const name of ["font", "padding", "lineHeight"]) copy.style[name] = style[name];
    Object.assign(copy.style, { position: "fixed", left: `${box.x}px`, top: `${box.y}px`,
      width: `${box.width}px`, boxSizing: "border-box", whiteSpace: "pre-wrap",
      border: "1px solid transparent" });
    copy.textContent = shown;
    document.body.append(copy);
    lines(copy.firstChild ?? new Text(), text ? style : getComputedStyle(element, "::placeholder"));
    copy.remove();
  };
  // A drawing that the page itself makes, with the colours that it has there.
  const graph = (svg, box) => {
    const copy = svg.cloneNode(true);
    const shapes = svg.querySelectorAll("*");
    for (const [index, shape] of copy.querySelectorAll("*").entries()) {
      const style = getComputedStyle(shapes[index]);
      shape.removeAttribute("class");
      for (const name of ["fill", "stroke"]) {
        const paint = style[name] === "none" ? ` ${name}="none"` : fill(style[name], name);
        shape.setAttribute(name, paint.match(/"([^"]*)"/)[1]);
      }
    }
    out.push(`<svg x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" ` +
      `height="${round(box.height)}" viewBox="${svg.getAttribute("viewBox")}" ` +
      `preserveAspectRatio="none">${copy.innerHTML}</svg>`);
  };
  // What stands before an element's text: the arrow of something to open, a sign, a colour's key.
  const before = (element, style) => {
    const box = element.getClientRects()[0];
    const dot = getComputedStyle(element, "::before");
    if (element.matches("summary")) {
      const isOpen = element.parentElement.open;
      const [x, y] = [round(box.x + 1), round(box.y + box.height / 2)];
      const path = isOpen ? `M${x} ${y - 2.5}h7l-3.5 6z` : `M${x} ${y - 3.5}v7l6-3.5z`;
      out.push(`<path d="${path}"${fill(style.color)}/>`);
    } else if (element.matches(".key")) {
      const middle = box.y + box.height / 2;
      rect(new DOMRect(box.x, middle - 4.5, 9, 9), 2, fill(dot.backgroundColor));
    } else if (/^"."?/.test(dot.content) && dot.content !== `""`) {
      const text = dot.content.slice(1, -1).trim();
      write(text, new DOMRect(box.x, box.y, parseFloat(dot.fontSize) * 0.6, box.height), dot);
    }
  };
  let clip = new DOMRect(0, 0, innerWidth, innerHeight);
  const draw = (element) => {
    const style = getComputedStyle(element);
    const isShown = element.checkVisibility({ visibilityProperty: true });
    if (!isShown || element.matches(".spoken, option, datalist")) return;
    const box = element.getBoundingClientRect();
    if (box.height > 0 && (box.y > clip.bottom || box.bottom < clip.y)) return;
    if (box.width > 0 && box.x > clip.right) return;
    const opacity = Number(style.opacity);
    if (opacity < 1) {
      out.push(`<g opacity="${opacity}">`);
      element.style.opacity = 1;
      draw(element);
      element.style.opacity = "";
      return out.push("</g>");
    }
    if (element.matches("dialog:modal:not(#tour)")) {
      rect(new DOMRect(0, 0, innerWidth, innerHeight), 0, ` fill="#000" fill-opacity=".42"`);
    }
    if (element.id === "tour-spot") {
      out.push(`<path d="M0 0h${innerWidth}v${innerHeight}h-${innerWidth}z` +
        `M${round(box.x)} ${round(box.y)}v${round(box.height)}h${round(box.width)}` +
        `v-${round(box.height)}z" fill="#000" fill-opacity=".45"/>`);
    }
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2);
    const edges = ["Top", "Right", "Bottom", "Left"].map((side) =>
      colour(style[`border${side}Color`]).a > 0 ? parseFloat(style[`border${side}Width`]) : 0);
    const border = edges.every((width) => width > 0);
    if (colour(style.backgroundColor).a > 0 || border) {
      const dash = style.borderTopStyle === "dashed" ? ` stroke-dasharray="4 3"` : "";
      const paint = colour(style.backgroundColor).a > 0 ? fill(style.backgroundColor)
        : ` fill="none"`;
      const inner = new DOMRect(box.x + .5, box.y + .5, box.width - 1, box.height - 1);
      rect(border ? inner : box, radius, paint + (border ? fill(style.borderTopColor, "stroke") + dash : ""));
    }
    const [above, end, under, start] = border ? [] : edges;
    const line = (x, y, width, height, side) =>
      rect(new DOMRect(x, y, width, height), 0, fill(style[`border${side}Color`]));
    if (above) line(box.x, box.y, box.width, above, "Top");
    if (under) line(box.x, box.bottom - under, box.width, under, "Bottom");
    if (start) line(box.x, box.y, start, box.height, "Left");
    if (end) line(box.right - end, box.y, end, box.height, "Right");
    if (element.matches(".status")) {
      const dot = getComputedStyle(element, "::before");
      out.push(`<circle cx="${round(box.x + 4)}" cy="${round(box.y + box.height / 2)}" r="4"` +
        `${fill(dot.backgroundColor)}/>`);
    } else if (box.width > 0) before(element, style);
    if (element.matches("input, textarea, select")) return field(element, style);
    if (element.matches("img")) {
      out.push(`<g transform="translate(${round(box.x)} ${round(box.y)})">` +
        `<rect width="24" height="24" rx="6" fill="#2a57c4"/><g fill="#fff">` +
        `<rect x="5" y="6" width="4" height="12" rx="1.2"/>` +
        `<rect x="10" y="6" width="4" height="8" rx="1.2" opacity=".85"/>` +
        `<rect x="15" y="6" width="4" height="5" rx="1.2" opacity=".7"/></g></g>`);
      return;
    }
    if (element.matches("svg:not(.glyph)")) return graph(element, box);
    if (element.matches("svg")) {
      const scale = round(box.width / 16);
      out.push(`<path transform="translate(${round(box.x)} ${round(box.y)}) scale(${scale})" ` +
        `d="${element.querySelector("path").getAttribute("d")}" fill="none" stroke-width="1.5" ` +
        `stroke-linecap="round" stroke-linejoin="round"${fill(style.color, "stroke")}/>`);
      return;
    }
    const isCut = style.overflowX !== "visible" &&
      (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
    const outer = clip;
    if (isCut) {
      const [x, y] = [Math.max(clip.x, box.x), Math.max(clip.y, box.y)];
      clip = new DOMRect(x, y, Math.min(clip.right, box.right) - x,
        Math.min(clip.bottom, box.bottom) - y);
      const at = [box.x, box.y, box.width, box.height].map(round);
      out.push(`<svg x="${at[0]}" y="${at[1]}" width="${at[2]}" height="${at[3]}" ` +
        `viewBox="${at.join(" ")}">`);
    }
    for (const child of element.childNodes) {
      if (child instanceof Text) lines(child, style);
      else if (child instanceof Element) draw(child);
    }
    clip = outer;
    if (isCut) out.push("</svg>");
    const after = getComputedStyle(element, "::after").content;
    if (/^"/.test(after) && element.childElementCount === 0) {
      const text = after.slice(1, -1);
      const width = text.length * 7;
      const isChat = element.id === "messages";
      const x = isChat ? box.x + (box.width - width) / 2 : box.x + 16;
      write(text, new DOMRect(x, isChat ? box.y + box.height / 2 - 10 : box.y + 24, width, 20),
        getComputedStyle(element, "::after"));
    }
  };
  rect(new DOMRect(0, 0, innerWidth, innerHeight), 0,
    fill(getComputedStyle(document.body).backgroundColor));
  for (const child of document.body.children) draw(child);
  for (const ghost of document.querySelectorAll(".ghost > *")) draw(ghost);
  const size = `${innerWidth} ${innerHeight}`;
  const family = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', " +
    "sans-serif";
  const mono = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";
  const look = out.some((line) => line.includes(`class="m"`))
    ? `<style>.m{font-family:${mono}}</style>\\n` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" width="${innerWidth}" ` +
    `height="${innerHeight}" role="img">\\n<title>${escaped(title)}</title>\\n${look}` +
    `<g font-family="${family}" lengthAdjust="spacingAndGlyphs">\\n` +
    `${out.join("\\n")}\\n</g>\\n</svg>\\n`;
}"""

CARDS = [
    ("todo", "Buy milk and tea"), ("todo", "Water the plants in the hall"), ("todo", "Call Linus"),
    ("doing", "Paint the fence"), ("done", "Mend the lamp"),
]


class Studio:
    """A server, a browser, and people whose windows are drawn."""

    def __init__(self, playwright, server):
        self.server = server
        self.chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"])

    def join(self, name, path="", **options):
        look = {"viewport": {"width": 1280, "height": 560}, "reduced_motion": "reduce"}
        page = self.chromium.new_context(**{**look, **options}).new_page()
        page.goto(self.server.page + path)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Join the board").click()
        expect(page.locator("#name-button")).to_contain_text(name)
        expect(page.locator(".column")).to_have_count(3)
        board = Board(page)
        board.is_live()
        return board

    def draw(self, board, name, title):
        page = getattr(board, "page", board)
        IMAGES.joinpath(f"{name}.svg").write_text(page.evaluate(DRAW, title))

    def draw_many(self):
        self.server.fill("todo", 10_000)
        ada = self.join("ada")
        last = ada.page.get_by_text("55", exact=True)
        last.scroll_into_view_if_needed()
        expect(last).to_be_in_viewport()
        self.draw(ada, "board-many", "A column of ten thousand cards, scrolled")

    def draw_devtools(self):
        for column, text in CARDS:
            self.server.dispatch("AddCard", {"column": column, "text": text}, "linus")
        text = "Ask for the ladder back"
        self.server.dispatch("AddCard", {"column": "doing", "text": text}, "grace")
        ada = self.join("ada")
        page = self.chromium.new_context(viewport={"width": 1280, "height": 600}).new_page()
        page.goto(self.server.page + self.server.devtools)
        row = page.locator("#log li", has_text=text)
        expect(row).to_have_count(1)
        ada.card("Mend").get_by_label("Vote").click()
        expect(page.locator("figcaption").first).to_contain_text("max")
        row.click()
        expect(page.get_by_role("tabpanel")).to_contain_text("this dispatch changed 2 places")
        self.draw(page, "devtools",
                  "The devtools: rooms and their rates, the log of one, its state at a version "
                  "with what the dispatch changed, and a slider through the versions")
        page.get_by_role("tab", name="Find").click()
        form = page.get_by_role("form", name="Who changed this place?")
        form.get_by_label("Place").fill("/columns/1/count")
        form.get_by_role("button", name="Find").click()
        expect(page.locator(".answer ins")).to_have_count(1)
        self.draw(page, "devtools-find", "Who changed a place of the state, found in the journal")
        page.get_by_role("tab", name="Costs").click()
        for number in range(8):
            ada.add("Done", f"Tidy up shelf {number + 1}")
        expect(page.get_by_role("row", name="AddCard").first).to_be_visible()
        expect(page.locator(".strip rect.reduce").nth(7)).to_have_count(1)
        self.draw(page, "devtools-costs",
                  "What each turn of the loop took, and what dispatches and selections cost")

    def draw_board(self):
        ada = self.join("ada", "b/empty")
        self.draw(ada, "board-empty", "An empty board, which offers sample cards and a tour")
        ada.page.get_by_role("button", name="Take the one-minute tour").click()
        ada.page.locator("#tour-next").click()
        self.draw(ada, "board-tour", "The tour lights up one part of the board after another")
        for column, text in CARDS:
            self.server.dispatch("AddCard", {"column": column, "text": text}, "linus")
        self.server.dispatch("Say", {"text": "Shall we begin?"}, "linus")
        ada, linus = self.join("ada"), self.join("linus", color_scheme="dark")
        ada.card("Paint").get_by_label("Vote").click()
        ada.edit("Call Linus")
        ada.page.keyboard.type(" about the lamp")
        linus.edit("Call Linus").press("Home")
        linus.page.keyboard.type("Now: ")
        linus.save()
        expect(ada.page.get_by_label("Text of the card")).to_have_value(
            "Now: Call Linus about the lamp")
        self.draw(ada, "board-together",
                  "A card that two edit at once: the field has what both have typed")
        ada.page.keyboard.press("Escape")
        expect(linus.page.locator(".votes", has_text="1")).to_have_count(1)
        self.draw(linus, "board-dark", "The board in dark colours")
        phone = self.join("grace", **PHONE)
        phone.has("Doing", ["Paint the fence"])
        self.draw(phone, "board-phone", "The board on a phone: one column at a time")
        ada.page.context.set_offline(True)
        expect(ada.page.locator("#banner")).to_be_visible()
        ada.card("Water").get_by_label("Vote").click()
        self.draw(ada, "board-web",
                  "The board without a connection: a card that isn't saved yet has a dashed line, "
                  "and one has a draft")
        linus.remove("Now: Call")
        linus.has("To do", ["Buy milk and tea", "Water the plants in the hall"])
        ada.page.context.set_offline(False)
        expect(ada.notice()).to_be_visible()
        self.draw(ada, "board-conflict",
                  "A card was removed while somebody edited it: what they had typed is shown")


if __name__ == "__main__":
    expect.set_options(timeout=DEADLINE * 1000)
    with sync_playwright() as playwright:
        for draw in (Studio.draw_many, Studio.draw_board, Studio.draw_devtools):
            server = Server()
            try:
                draw(Studio(playwright, server))
            finally:
                server.stop()
