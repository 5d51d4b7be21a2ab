import { hashingBounds, hashingWaitMsMax } from '@probe-mesh/contracts/account/login-rules'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import { hashPassword, isPassword } from './passwords/password.ts'
import type { Visitor, Known } from './visitor.ts'

/** The owner of a password hash in the queue. Owners take turns. */
export type HashingTurn = { pool: keyof typeof hashingBounds; owner: string }

/** Hashes passwords a few at a time: each takes 19 MB and a thread for tens of milliseconds. */
export type Hashing = {
  /** SV-9002 if too many wait. */
  hash(turn: HashingTurn, password: string): Promise<string | Refusal>
  /**
   * Whether a password matches a hash, or SV-9002 as above. Takes the same time without a user.
   * @param stored null: there is no such user
   */
  isPassword(turn: HashingTurn, password: string, stored: string | null): Promise<boolean | Refusal>
  /** The queues, for metrics. */
  readonly pools: Readonly<Record<keyof typeof hashingBounds, FairPool>>
}

const retryAfterSeconds = 1

/** A hash without a known password, as costly as any other. */
export const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Known visitors queue by account; all others by network, which is a /48 for IPv6. */
export const turnOf = (
  { network, widerNetworks }: Pick<Visitor, 'network' | 'widerNetworks'>,
  known: Pick<Known, 'accountId'> | null,
): HashingTurn =>
  known === null
    ? { pool: 'strangers', owner: widerNetworks.at(-1) ?? network }
    : { pool: 'known', owner: known.accountId }

/** @param waitMsMax how long a password waits for its turn, ms */
export const createHashing = (waitMsMax = hashingWaitMsMax): Hashing => {
  const pools = {
    strangers: createFairPool(hashingBounds.strangers),
    known: createFairPool(hashingBounds.known),
  }
  const inTurn = async <T>({ pool, owner }: HashingTurn, work: () => Promise<T>): Promise<T | Refusal> => {
    const place = await pools[pool].take(owner, { waitMsMax })
    if (typeof place === 'string') return refuse('SV-9002', { message: busy, retryAfterSeconds })
    try {
      return await work()
    } finally {
      place.release()
    }
  }
  return {
    hash: (turn, password) => inTurn(turn, () => hashPassword(password)),
    isPassword: (turn, password, stored) => inTurn(turn, () => isPassword(password, stored ?? decoyHash)),
    pools,
  }
}

const busy = 'Too many logins are being checked. Retry in 1 s.'
