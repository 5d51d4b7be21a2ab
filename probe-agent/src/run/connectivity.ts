import net from 'node:net'

/** Whether this agent has a working network, by targets that are never all away at once. */
export type Connectivity = { online(): Promise<boolean> }

export type Canary = { host: string; port: number }

/** Anycast resolvers of four operators: one that accepts a connection proves the network. */
export const canariesDefault: readonly Canary[] = [
  { host: '1.1.1.1', port: 443 },
  { host: '8.8.8.8', port: 443 },
  { host: '9.9.9.9', port: 443 },
  { host: '2606:4700:4700::1111', port: 443 },
]

/** How long a round of canaries may take, ms. */
export const canaryTimeoutMs = 2_000

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
  canaries = canariesDefault,
  reach = tcpReach,
  now = () => performance.now(),
}: {
  canaries?: readonly Canary[]
  reach?: (canary: Canary, timeoutMs: number) => Promise<boolean>
  now?: () => number
} = {}): Connectivity => {
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

/** Whether a TCP connection comes to be in time; it carries nothing. */
export const tcpReach = ({ host, port }: Canary, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host, port, autoSelectFamily: false })
    const end = (reached: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reached)
    }
    const timer = setTimeout(end, timeoutMs, false)
    socket.once('connect', () => end(true))
    socket.on('error', () => end(false))
  })
