/** `node:fs`, of the repository's files; those who serve it list folders as JSON. */

export function readFileSync(url, encoding) {
  if (encoding !== "utf8") throw new Error("A page reads texts.");
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.overrideMimeType("text/plain; charset=utf-8");
  request.send();
  if (request.status !== 200) throw new Error(`${url} isn't there: ${request.status}`);
  return request.responseText;
}

export const readdirSync = (url) => JSON.parse(readFileSync(url, "utf8"));
