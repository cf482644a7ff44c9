/**
 * What a client keeps of its mirrors for the next time that it is started: values as the server
 * sent them, each with the version at which it is known to be right, and where the client was in
 * the room's history.
 *
 * All of it is of one history. The next session says in its `hello` where this one was, and in
 * which term; if the server goes on in that epoch, every value is a part of its history, however
 * long ago it was kept.
 */
export class KeptMirrors {
    /**
     * @param {Home} home
     * @param {{ characters: number, selectionCharacters: number }} limits
     */
    constructor(home: Home, limits: {
        characters: number;
        selectionCharacters: number;
    });
    /**
     * Where the session was that kept them; undefined if none did.
     *
     * @type {{ position: Position, term: string | undefined } | undefined}
     */
    start: {
        position: Position;
        term: string | undefined;
    } | undefined;
    /**
     * Gives a mirror what was kept of it, if it has nothing newer.
     *
     * @param {Mirror} mirror
     * @param {string | undefined} epoch  that of the connection; undefined before the first welcome
     */
    restore(mirror: Mirror, epoch: string | undefined): void;
    /**
     * Takes what a mirror holds.
     *
     * @param {Mirror} mirror
     * @param {string | undefined} epoch  that of the connection
     */
    keep(mirror: Mirror, epoch: string | undefined): undefined;
    clear(): void;
    /**
     * What is to be stored.
     *
     * @param {readonly Mirror[]} mirrors  those that are followed
     * @param {Position} position  where the client is
     * @param {string | undefined} term
     */
    write(mirrors: readonly Mirror[], position: Position, term: string | undefined): string;
    /**
     * Takes what was stored, if it is whole and of this room and viewer.
     *
     * @param {unknown} text
     */
    read(text: unknown): void;
    #private;
}
export type Position = import("./Position.js").Position;
/**
 * Whose mirrors these are.
 */
export type Home = {
    url: string;
    viewer: string;
    client: string;
};
export type KeptMirror = {
    select: string;
    /**
     * undefined for none
     */
    params: unknown;
    /**
     * the newest version at which the value is known to be right
     */
    v: number;
    /**
     * the one at which it last changed, which names it within its epoch
     */
    since: number;
    tag: string;
    /**
     * the last of the client's dispatches that is in it
     */
    included: number;
    /**
     * the value's
     */
    text: string;
};
import { Mirror } from "./Mirror.js";
