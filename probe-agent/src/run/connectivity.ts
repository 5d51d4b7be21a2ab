import { canaryTimeoutMs } from '../slots/run.ts'

/** Whether a canary answers within the time. Never rejects. */
export type Reach = (canary: Canary, timeoutMs: number) => Promise<boolean>

/** Whether this agent has a working network, by targets that are never all away at once. */
export type Connectivity = { online(): Promise<boolean> }

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
 * Asks the canaries, all at once and only when somebody wants to know; askers share one round.
 * @param canaries none: the operator does without, and the network counts as working
 */
export const createConnectivity = ({
  canaries,
  reach,
  now = () => performance.now(),
}: {
  canaries: readonly Canary[]
  reach: Reach
  now?: () => number
}): Connectivity => {
  let known: { online: boolean; at: number } | null = null
  let round: Promise<boolean> | null = null
  const ask = async (): Promise<boolean> => {
    const at = now()
    const online = await anyOf(canaries.map((canary) => reach(canary, canaryTimeoutMs)))
    known = { online, at: online ? at : now() }
    return online
  }
  return {
    online: async () => {
      if (canaries.length === 0) return true
      if (known !== null && now() - known.at < (known.online ? onlineMs : offlineMs)) {
        return known.online
      }
      round ??= ask().finally(() => {
        round = null
      })
      return round
    },
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
