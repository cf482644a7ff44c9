/** In a page a file's path is its URL. */
export const fileURLToPath = String;
