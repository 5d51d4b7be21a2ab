import { canaryTimeoutMs } from '../schedule/run.ts'

type Family = 4 | 6

/** Whether a canary answers in time, at an address of the given family if any. Never rejects. */
export type Reach = (canary: Canary, timeoutMs: number, family?: Family) => Promise<boolean>

/** Whether this agent's network works, tested with hosts that never all fail at once. */
export type Connectivity = {
  online(): Promise<boolean>
  /** The same for addresses of one family. Absent, or without canaries: unknown. */
  reaches?(family: Family): Promise<boolean>
  /** Whether a canary with a verified certificate answers. Absent, or without such a canary: unknown. */
  reachesByTls?(): Promise<boolean>
  /** When the last round of canaries lost the network, by `now`; null: it works. Absent: unknown. */
  lostSince?(): number | null
}

/** Its canaries are connected by TLS (`reach-canary.ts`). */
export const canaryTlsPort = 443

/**
 * A well-known host. Its name is resolved like a target's, and on port 443 its certificate is
 * verified.
 */
export type Canary = { host: string; port: number }

/**
 * Operators that never all fail at once. Names, not addresses: an answer must come through the same
 * resolver and network as for targets, with proof of its origin, so that a resolver that denies
 * everything or a captive portal does not count as the internet.
 */
export const canariesDefault: readonly Canary[] = [
  { host: 'one.one.one.one', port: 443 },
  { host: 'dns.google', port: 443 },
  { host: 'dns.quad9.net', port: 443 },
  { host: 'www.wikipedia.org', port: 443 },
]

/**
 * How long an answer is valid. "Online" expires fast, since it must not be older than the failure
 * in question; "offline" lasts long enough to cover the recovery.
 */
const onlineMs = 1_000
const offlineMs = 5_000

/**
 * Probes the canaries, all at once and on demand; concurrent callers share one round (S-809).
 * @param canaries empty: the operator disabled them, and the network counts as working
 */
export const createConnectivity = ({
  canaries,
  reach,
  now = () => performance.now(),
  onTurn = () => undefined,
}: {
  canaries: readonly Canary[]
  reach: Reach
  now?: () => number
  /** Called when the last canary is lost, and when one is reachable again. */
  onTurn?: (online: boolean) => void
}): Connectivity => {
  let lostAt: number | null = null
  const any = createRound(async () => {
    const online = await anyOf(canaries.map((canary) => reach(canary, canaryTimeoutMs)))
    if (online !== (lostAt === null)) onTurn(online)
    lostAt = online ? null : (lostAt ?? now())
    return online
  }, now)
  const roundOf = (family: Family): (() => Promise<boolean>) =>
    createRound(() => anyOf(canaries.map((canary) => reach(canary, canaryTimeoutMs, family))), now)
  const secure = canaries.filter(({ port }) => port === canaryTlsPort)
  const byTls = createRound(() => anyOf(secure.map((canary) => reach(canary, canaryTimeoutMs))), now)
  const byFamily = { 4: roundOf(4), 6: roundOf(6) }
  return {
    online: async () => canaries.length === 0 || any(),
    reaches: async (family) => canaries.length > 0 && byFamily[family](),
    reachesByTls: async () => secure.length > 0 && byTls(),
    lostSince: () => lostAt,
  }
}

/** Probes on demand; concurrent callers share one round, and its answer for a while. */
const createRound = (ask: () => Promise<boolean>, now: () => number): (() => Promise<boolean>) => {
  let known: { reached: boolean; at: number } | null = null
  let round: Promise<boolean> | null = null
  const begin = async (): Promise<boolean> => {
    const at = now()
    const reached = await ask()
    known = { reached, at: reached ? at : now() }
    return reached
  }
  return async () => {
    if (known !== null && now() - known.at < (known.reached ? onlineMs : offlineMs)) {
      return known.reached
    }
    round ??= begin().finally(() => {
      round = null
    })
    return round
  }
}

const anyOf = (answers: readonly Promise<boolean>[]): Promise<boolean> =>
  Promise.any(
    answers.map(async (answer) => {
      if (!(await answer)) throw new Error('the canary did not answer')
    }),
  ).then(
    () => true,
    () => false,
  )
