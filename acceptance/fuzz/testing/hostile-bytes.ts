/** Hostile bytes: deep, wide, long and broken JSON, derived from valid input. */

export type Random = () => number

/** Mulberry32: the same seed gives the same bytes on every machine. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const below = (random: Random, end: number): number => Math.floor(random() * end)
const pick = <T>(random: Random, all: readonly T[]): T => all[below(random, all.length)] as T
/** Mostly small, seldom near `most`. */
const sizeOf = (random: Random, most: number): number => Math.max(1, Math.floor(most ** random()))

const odd: readonly string[] = [
  'null',
  'true',
  '-0',
  '1e400',
  '-1e400',
  '9007199254740993',
  '1e-400',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"__proto__"',
  '[]',
  '{}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toJSON":1,"then":1,"length":1e9}',
  '{"a":1,"a":2}',
  '[[[[]]]]',
]

/** Nested text: closed, cut off, or with mismatched brackets. */
const deep = (random: Random, bytesMax: number): string => {
  const depth = sizeOf(random, bytesMax / 6)
  const [open, close] = pick(random, [
    ['[', ']'],
    ['{"a":', '}'],
    ['[[', ']]'],
    ['[{"":', '}]'],
  ] as const)
  const end = pick(random, [close.repeat(depth), '', ']'.repeat(depth)])
  return `${open.repeat(depth)}${pick(random, odd)}${end}`
}

const wide = (random: Random, bytesMax: number): string => {
  const value = pick(random, odd)
  const count = sizeOf(random, bytesMax / (value.length + 12))
  if (random() < 0.5) return `[${Array<string>(count).fill(value).join()}]`
  return `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join()}}`
}

const long = (random: Random, bytesMax: number): string => {
  const count = sizeOf(random, bytesMax / 8)
  const part = pick(random, ['x', '9', '\\u0000', '\\ud800', ' ', 'é', '\\\\', '\\"', '💥', '[', '{'])
  const text = `"${part.repeat(count)}"`
  return pick(random, [text, `{${text}:1}`, '9'.repeat(count), `[${' '.repeat(count)}]`])
}

/** Replaces a value of the text, found after a colon, comma or bracket. */
const replaceValue = (random: Random, text: string, value: string): string => {
  const places = [...text.matchAll(/(?<=[:,[])(?:"[^"]*"|-?[\d.]+|null|true|false|\[\]|\{\})/g)]
  if (places.length === 0) return value
  const { index, 0: found } = pick(random, places)
  return text.slice(0, index) + value + text.slice(index + found.length)
}

const damage = (random: Random, text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  for (let times = sizeOf(random, 8); times > 0; times--) {
    const at = below(random, bytes.length || 1)
    if (bytes.length > 0) bytes[at] = below(random, 256)
  }
  const from = random() < 0.3 ? below(random, bytes.length) : 0
  const to = random() < 0.5 ? bytes.length : below(random, bytes.length)
  return bytes.subarray(Math.min(from, to), Math.max(from, to))
}

/**
 * Creates the bytes of one attack on an entrance.
 * @param samples valid inputs as text
 */
export const hostileBytes = (random: Random, samples: readonly string[], bytesMax: number): Uint8Array => {
  const sample = pick(random, samples)
  const kind = pick(random, [deep, wide, long, () => pick(random, odd)])
  const value = kind(random, bytesMax)
  const how = random()
  if (how < 0.2) return Buffer.from(value)
  if (how < 0.75) return Buffer.from(replaceValue(random, sample, value))
  if (how < 0.85) return damage(random, replaceValue(random, sample, value))
  return damage(random, sample)
}
