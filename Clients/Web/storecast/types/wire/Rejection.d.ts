/**
 * Why a dispatch has no effect, or a selection can't be mirrored.
 *
 * `code` is a short, stable word for programs: one of the server's (`invalid`, `forbidden`,
 * `conflict`, `unknown-action`, `outcome-unknown`, … or an application's own), or of this client's:
 * `closed`, `outbox-full`, `outbox-unwritable`, `too-large`. `title` is one sentence for people.
 */
export class Rejection extends Error {
    /**
     * @param {string} code
     * @param {string} title
     * @param {string} [detail]  what exactly was wrong
     */
    constructor(code: string, title: string, detail?: string | undefined);
    code: string;
    title: string;
    detail: string | undefined;
}
