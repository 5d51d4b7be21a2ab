import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { hashPassword, isPassword } from '../passwords/password.ts'

/** Hashes passwords a few at a time: each takes 19 MB and a thread for tens of milliseconds. */
export type Hashing = {
  /** SV-9002 where too many wait already. */
  hash(password: string): Promise<string | Refusal>
  /**
   * Whether a password is the one that was hashed, or SV-9002 as above. Takes as long where there is
   * no such user.
   * @param stored null where there is no such user
   */
  isPassword(password: string, stored: string | null): Promise<boolean | Refusal>
  /** Those that wait for their turn, and those that were refused since the start. */
  readonly waiting: number
  readonly refused: number
}

const atATime = 2
const waitingMax = 50
const retryAfterSeconds = 1

/** The hash of nobody's password: as costly as any other, and none is known to make it. */
export const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

export const createHashing = (): Hashing => {
  const waiting: (() => void)[] = []
  let running = 0
  let refused = 0

  const inTurn = async <T>(work: () => Promise<T>): Promise<T | Refusal> => {
    if (waiting.length >= waitingMax) {
      refused += 1
      return refuse('SV-9002', { message: busy, retryAfterSeconds })
    }
    // a place that falls free goes to the next one in line, not to whoever comes at that moment
    if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    isPassword: (password, stored) => inTurn(() => isPassword(password, stored ?? nobody)),
    get waiting() {
      return waiting.length
    },
    get refused() {
      return refused
    },
  }
}

const busy = 'Too many people log in at the moment. Try again shortly.'
