import { randomInt, randomUUID } from 'node:crypto'

const range = 0x1_0000_0000

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
/** The two digits of each byte. */
const bytes = Array.from({ length: 256 }, (_, byte) => hex(byte, 2))
const hex32 = (number: number): string => {
  const [first, second] = [bytes[number >>> 24], bytes[(number >>> 16) & 255]]
  return `${first}${second}${bytes[(number >>> 8) & 255]}${bytes[number & 255]}`
}

/**
 * Ids of requests, each a UUID of its own: the random start belongs to this process, the end changes by a secret step,
 * so that ids do not tell how many requests came in between. A UUID from the system costs five times as much.
 */
export const createRequestIds = (): (() => string) => {
  const start = randomUUID().slice(0, 24)
  // odd: it passes through every value before one repeats
  const step = randomInt(range / 2) * 2 + 1
  let at = randomInt(range)
  const first = at
  let round = 0
  let prefix = start + hex(round, 4)
  return () => {
    at = (at + step) >>> 0
    if (at === first) {
      round = (round + 1) % 0x1_0000
      prefix = start + hex(round, 4)
    }
    return prefix + hex32(at)
  }
}
