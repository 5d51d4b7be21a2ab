import { canaryTimeoutMs } from '../schedule/run.ts'

export type Family = 4 | 6

/** Whether a canary answers within the time, by an address of the family where one is given. Never rejects. */
export type Reach = (canary: Canary, timeoutMs: number, family?: Family) => Promise<boolean>

/** Whether this agent has a working network, by targets that are never all away at once. */
export type Connectivity = {
  online(): Promise<boolean>
  /** The same by addresses of one family alone. Absent, or without canaries: nobody can say. */
  reaches?(family: Family): Promise<boolean>
}

/** A well-known host. Its name is resolved like any target's, and on port 443 its certificate verified. */
export type Canary = { host: string; port: number }

/**
 * Operators that are never all away at once. Names, not addresses: an answer must come through the
 * resolver and the network that targets are measured through, and prove who gave it, so that
 * neither a resolver that denies everything nor a captive portal passes for the internet.
 */
export const canariesDefault: readonly Canary[] = [
  { host: 'one.one.one.one', port: 443 },
  { host: 'dns.google', port: 443 },
  { host: 'dns.quad9.net', port: 443 },
  { host: 'www.wikipedia.org', port: 443 },
]

/**
 * How long an answer is believed. "Online" ages fast, since it must not be older than the failure
 * that it is asked about; "offline" stays long enough to cover the moment of coming back.
 */
const onlineMs = 1_000
const offlineMs = 5_000

/**
 * Asks the canaries, all at once and only when somebody wants to know; askers share one round (S-809).
 * @param canaries none: the operator does without, and the network counts as working
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
  /** The last canary was lost, or one is reached again. */
  onTurn?: (online: boolean) => void
}): Connectivity => {
  let wasOnline = true
  const any = createRound(async () => {
    const online = await anyOf(canaries.map((canary) => reach(canary, canaryTimeoutMs)))
    if (online !== wasOnline) onTurn(online)
    wasOnline = online
    return online
  }, now)
  const roundOf = (family: Family): (() => Promise<boolean>) =>
    createRound(() => anyOf(canaries.map((canary) => reach(canary, canaryTimeoutMs, family))), now)
  const byFamily = { 4: roundOf(4), 6: roundOf(6) }
  return {
    online: async () => canaries.length === 0 || any(),
    reaches: async (family) => canaries.length > 0 && byFamily[family](),
  }
}

/** Asks only when somebody wants to know; askers share one round, and its answer for a while. */
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
      if (!(await answer)) throw new Error('a canary that does not answer')
    }),
  ).then(
    () => true,
    () => false,
  )
