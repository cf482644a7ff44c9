"""The board's main ways, in Firefox, with a real server and others around it."""

import unittest

from marionette_driver.keys import Keys

from firefox import Firefox
from programs import Server

CARDS = 'texts(".card:not(.ghost) > p", column(arguments[0]))'
WAITING = 'texts(".card.waiting > p")'
STATUS = 'document.querySelector("#status").textContent'
FOCUSED = 'document.activeElement.querySelector("p")?.textContent'
SPOT = """(() => {
  const { left, top } = (%s).getBoundingClientRect();
  return [Math.round(left + 30), Math.round(top + 15)];
})()"""


# When the cache has what the board shows.
IS_KEPT = """new Promise((done) => {
    const opening = indexedDB.open("storecast-cache");
    opening.onsuccess = () => {
        const look = () => {
            const mirrors = opening.result.transaction("mirrors").objectStore("mirrors");
            mirrors.getAll().onsuccess = ({ target }) => {
                if (!String(target.result).includes("Read")) return setTimeout(look, 50);
                opening.result.close();
                done(true);
            };
        };
        look();
    };
})"""


class BoardTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.stop)

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)

    def tearDown(self):
        self.assertEqual(self.firefox.take_problems(self.server.page), [])

    def open(self, path="", private=False):
        tab = self.firefox.open(self.server.page + path, private)
        self.addCleanup(tab.close)
        return tab

    def join(self, name, private=False):
        tab = self.open(private=private)
        tab.element("seen('#name')")
        tab.type(name)
        tab.click("button('Join the board')")
        # With the name the page begins anew.
        tab.sees('document.querySelector("#name-button").textContent.includes(arguments[0])',
                 True, name)
        self.is_live(tab)
        return tab

    def is_live(self, tab):
        tab.sees(STATUS, "Live")

    def has(self, tab, title, texts):
        tab.sees(CARDS, texts, title)

    def add(self, tab, title, text):
        tab.click("column(arguments[0])?.querySelector('.add')", title)
        tab.type(text + Keys.ENTER + Keys.ESCAPE)

    def test_what_one_does_another_sees(self):
        ada, bob = self.join("ada"), self.join("bob", private=True)
        ada.sees('texts("#people .spoken")', ["bob"])
        self.add(ada, "To do", "Buy tea")
        self.has(bob, "To do", ["Buy tea"])
        bob.click("card('Buy tea').querySelector('p')")
        bob.sees("document.activeElement.value", "Buy tea")
        bob.type(" and milk" + Keys.ENTER)
        for tab in (ada, bob):
            self.has(tab, "To do", ["Buy tea and milk"])
            tab.sees(WAITING, [])
        self.assertEqual(self.server.cards("todo"), ["Buy tea and milk"])
        ada.click("card('Buy tea and milk').querySelector('.votes')")
        bob.sees('texts(".votes")', ["▲ 1"])

    def test_two_in_one_text_lose_nothing(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Buy tea."})
        ada, bob = self.join("ada"), self.join("bob", private=True)
        for tab in (ada, bob):
            tab.click("button('Open the card', card('Buy tea.'))")
            tab.sees("document.activeElement.id", "card-text")
        ada.press(Keys.END)
        ada.type(" And milk.")
        bob.press(Keys.HOME)
        bob.type("Now: ")
        bob.click("button('Save')")
        ada.sees("document.activeElement.value", "Now: Buy tea. And milk.")
        # The cursor is where it was.
        ada.type(" Soon.")
        ada.click("button('Save')")
        for tab in (ada, bob):
            self.has(tab, "To do", ["Now: Buy tea. And milk. Soon."])
        self.assertEqual(self.server.cards("todo"), ["Now: Buy tea. And milk. Soon."])

    def test_cards_are_moved_by_mouse_and_by_keyboard_and_moves_are_undone(self):
        for text in ["Read", "Write", "Rest"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        tab = self.join("ada")
        self.has(tab, "To do", ["Read", "Write", "Rest"])
        tab.drag(tab.read(SPOT % "card('Write')"),
                 tab.read(SPOT % "column('Doing').querySelector('.add')"))
        self.has(tab, "To do", ["Read", "Rest"])
        self.has(tab, "Doing", ["Write"])
        tab.drag(tab.read(SPOT % "card('Rest')"), tab.read(SPOT % "card('Write')"))
        self.has(tab, "Doing", ["Rest", "Write"])
        tab.read("card('Read').focus()")
        tab.press(Keys.ARROW_RIGHT, holding=Keys.SHIFT)
        self.has(tab, "Doing", ["Read", "Rest", "Write"])
        tab.sees(FOCUSED, "Read")
        tab.press(Keys.ARROW_DOWN, holding=Keys.SHIFT)
        self.has(tab, "Doing", ["Rest", "Read", "Write"])
        tab.press("z", holding=Keys.CONTROL)
        self.has(tab, "Doing", ["Read", "Rest", "Write"])
        tab.press(Keys.DELETE)
        self.has(tab, "Doing", ["Rest", "Write"])
        tab.click("button('Undo')")
        self.has(tab, "Doing", ["Read", "Rest", "Write"])
        tab.sees(WAITING, [])
        self.assertEqual(self.server.cards("doing"), ["Read", "Rest", "Write"])
        tab.reload()
        self.is_live(tab)
        self.has(tab, "Doing", ["Read", "Rest", "Write"])

    def test_what_is_done_without_a_network_is_sent_when_it_is_back(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        tab = self.join("ada")
        self.addCleanup(self.firefox.set_offline, False)
        self.firefox.set_offline(True)
        tab.sees("navigator.onLine", False)
        # What it has of connections it keeps until they break.
        self.server.kill()
        self.server.start()
        tab.sees(STATUS, "Offline")
        self.add(tab, "To do", "Ada's")
        tab.sees(WAITING, ["Ada's"])
        self.server.dispatch("AddCard", {"column": "todo", "text": "Theirs"})
        self.firefox.set_offline(False)
        self.is_live(tab)
        self.has(tab, "To do", ["Read", "Theirs", "Ada's"])
        tab.sees(WAITING, [])

    def test_a_page_opens_without_its_server_and_what_waits_is_sent_once(self):
        self.server.dispatch("AddCard", {"column": "todo", "text": "Read"})
        tab = self.join("ada")
        self.has(tab, "To do", ["Read"])
        self.assertIn("value", tab.promised("navigator.serviceWorker.ready.then(() => true)"))
        # What is shown is kept a second later.
        self.assertIn("value", tab.promised(IS_KEPT))
        self.server.kill()
        tab.sees(STATUS, "Offline")
        self.add(tab, "To do", "Ada's")
        tab.sees(WAITING, ["Ada's"])
        tab.reload()
        self.has(tab, "To do", ["Read", "Ada's"])
        tab.sees(WAITING, ["Ada's"])
        # Another tab is of the same browser: they share what waits, and later the connection.
        other = self.open()
        self.has(other, "To do", ["Read", "Ada's"])
        self.server.start()
        for each in (tab, other):
            self.is_live(each)
            self.has(each, "To do", ["Read", "Ada's"])
            each.sees(WAITING, [])
        self.assertEqual(self.server.cards("todo"), ["Read", "Ada's"])

    def test_the_devtools_show_the_versions(self):
        for text in ["One", "Two"]:
            self.server.dispatch("AddCard", {"column": "todo", "text": text})
        tab = self.open(self.server.devtools)
        tab.sees('document.querySelector("#status").textContent', "live")
        tab.sees('all("#log li").some((row) => row.textContent.includes("Two"))', True)
        tab.sees('document.querySelector("#time output").textContent.includes("v0 of")', False)
        tab.read("all('[aria-label=Version]')[0].focus()")
        tab.press(Keys.HOME)
        tab.sees('document.querySelector("#time output").textContent.includes("v0 of")', True)

    def test_what_goes_wrong_in_a_page_is_heard(self):
        tab = self.open()
        self.assertEqual(self.firefox.take_problems(self.server.page), [])
        tab.promised("""new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", () => resolve());
          document.body.append(Object.assign(new Image(), { src: "https://other.example/" }));
        })""")
        self.assertRegex(str(self.firefox.take_problems(self.server.page)), "(?i)csp|policy")


if __name__ == "__main__":
    unittest.main()
