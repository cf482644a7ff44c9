/** The server's address: that of Docs/Web.md, or what the page's own says. */
export const address =
  new URLSearchParams(location.search).get("server") ?? "ws://127.0.0.1:9090/";
