/**
 * The id that the server gives to the action of a client's dispatch: 26 letters and digits, from
 * what both sides know. Docs/Protocol.md says how.
 *
 * @param {string} client
 * @param {number} seq
 */
export function stampId(client, seq) {
  const digest = BigInt(`0x${sha256(`${client}/${seq}/0`)}`);
  return (digest >> 126n).toString(32).padStart(26, "0");
}

/**
 * The SHA-256 digest of a text (FIPS 180-4). The browser's own is only there for pages from a
 * secure origin, and only as a promise.
 *
 * @param {string} text  of ASCII
 * @returns {string} in hexadecimal digits
 */
export function sha256(text) {
  const blocks = (text.length + 72) >> 6;
  const bytes = new DataView(new ArrayBuffer(blocks * 64));
  for (let i = 0; i < text.length; i++) bytes.setUint8(i, text.charCodeAt(i));
  bytes.setUint8(text.length, 0x80);
  bytes.setUint32(blocks * 64 - 4, text.length * 8);
  const sum = new Int32Array(initial);
  for (let block = 0; block < blocks; block++) compress(sum, bytes, block * 64);
  return Array.from(sum, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const schedule = new Int32Array(64);

/**
 * @param {Int32Array} sum
 * @param {DataView} bytes
 * @param {number} start
 */
function compress(sum, bytes, start) {
  /** @type {any} */
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = bytes.getInt32(start + i * 4);
  for (let i = 16; i < 64; i++) {
    const [x, y] = [w[i - 15], w[i - 2]];
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = /** @type {any} */ (sum);
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i]) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, place) => (sum[place] += value));
}

/**
 * @param {number} x
 * @param {number} by
 */
const turn = (x, by) => (x >>> by) | (x << (32 - by));

const primes = [2];
for (let n = 3; primes.length < 64; n += 2) if (primes.every((p) => n % p)) primes.push(n);

/**
 * The first 32 bits behind the point of a root of each prime.
 *
 * @param {(x: number) => number} root
 */
const fractions = (root) => primes.map((prime) => (root(prime) % 1) * 2 ** 32);

const initial = Int32Array.from(fractions(Math.sqrt).slice(0, 8), (x) => x | 0);
/** @type {any} */
const constants = Int32Array.from(fractions(Math.cbrt), (x) => x | 0);
