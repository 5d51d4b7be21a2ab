import { randomInt, randomUUID } from 'node:crypto'

const range = 0x1_0000_0000

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')

/**
 * Ids of requests, each a UUID of its own: the random start belongs to this process, the end changes by a secret step,
 * so that ids do not tell how many requests came in between. A UUID from the system costs five times as much.
 */
export const createRequestIds = (): (() => string) => {
  const start = randomUUID().slice(0, 24)
  // odd: it passes through every value before one repeats
  const step = randomInt(range / 2) * 2 + 1
  let at = randomInt(range)
  let issued = 0
  return () => {
    at += step
    if (at >= range) at -= range
    issued += 1
    const round = Math.floor(issued / range) % 0x1_0000
    return start + hex(round, 4) + hex(at, 8)
  }
}
