import { hashingBounds, hashingWaitMsMax } from '@probe-mesh/contracts/account/login-rules'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import { hashPassword, isPassword } from './passwords/password.ts'
import type { Visitor, Known } from './visitor.ts'

/** Who waits for a password to be hashed: turns go round. */
export type HashingTurn = { pool: keyof typeof hashingBounds; owner: string }

/** Hashes passwords a few at a time: each takes 19 MB and a thread for tens of milliseconds. */
export type Hashing = {
  /** SV-9002 where too many wait already. */
  hash(turn: HashingTurn, password: string): Promise<string | Refusal>
  /**
   * Whether a password is the one that was hashed, or SV-9002 as above. Takes as long where there is
   * no such user.
   * @param stored null where there is no such user
   */
  isPassword(turn: HashingTurn, password: string, stored: string | null): Promise<boolean | Refusal>
  /** By pool: those that wait for their turn, and those that were refused since the start. */
  readonly pools: Readonly<Record<keyof typeof hashingBounds, FairPool>>
}

const retryAfterSeconds = 1

/** The hash of nobody's password: as costly as any other, and none is known to make it. */
export const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Known visitors wait among accounts; all others among networks, of IPv6 the largest that is counted. Pure. */
export const turnOf = (
  { network, widerNetworks }: Pick<Visitor, 'network' | 'widerNetworks'>,
  known: Pick<Known, 'accountId'> | null,
): HashingTurn =>
  known === null
    ? { pool: 'strangers', owner: widerNetworks.at(-1) ?? network }
    : { pool: 'known', owner: known.accountId }

export const createHashing = (): Hashing => {
  const pools = {
    strangers: createFairPool(hashingBounds.strangers),
    known: createFairPool(hashingBounds.known),
  }
  const inTurn = async <T>(
    { pool, owner }: HashingTurn,
    work: () => Promise<T>,
  ): Promise<T | Refusal> => {
    const place = await pools[pool].take(owner, { waitMsMax: hashingWaitMsMax })
    if (typeof place === 'string') return refuse('SV-9002', { message: busy, retryAfterSeconds })
    try {
      return await work()
    } finally {
      place.release()
    }
  }
  return {
    hash: (turn, password) => inTurn(turn, () => hashPassword(password)),
    isPassword: (turn, password, stored) =>
      inTurn(turn, () => isPassword(password, stored ?? nobody)),
    pools,
  }
}

const busy = 'Too many logins are being checked. Retry in 1 s.'
