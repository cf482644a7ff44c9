/** Makes every button that is to close its dialog do so; Escape does already. */
export function closeButtons() {
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close(""));
  }
}

/**
 * Opens a dialog, and waits until it is closed.
 *
 * @param {HTMLDialogElement} dialog
 * @returns {Promise<string>} the value of the button that closed it; empty if it was cancelled
 */
export function ask(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
