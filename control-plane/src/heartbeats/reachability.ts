import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { keepLooping } from '../stores/faults.ts'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from 'pino'
import { silenceMsMax } from './outage.ts'

const reachPaceMs = 1_000
const askMsMax = 3_000

/** One control plane's knowledge of the path from clients to it. Unix ms; null: never. */
type ReachState = {
  /** When it last sent a request to PUBLIC_URL that a control plane of this system answered. */
  reachedAtMs: number | null
  /** When a proxy last forwarded a request to it. */
  forwardedAtMs: number | null
}

/**
 * The last instant at which pings could arrive, as far as known. If PUBLIC_URL never led here, as behind a
 * router without hairpin NAT, nothing is known, and clients count as able to reach us.
 */
export const reachableUntilMs = ({ reachedAtMs, forwardedAtMs }: ReachState, nowMs: number): number =>
  reachedAtMs === null ? nowMs : Math.min(nowMs, Math.max(reachedAtMs, forwardedAtMs ?? reachedAtMs))

export type Reachability = {
  reachableUntilMs(nowMs: number): number
  isReachable(): boolean
  /** A proxy forwarded a request. */
  noteForwarded(): void
  /** The proof of this system for the challenge of another control plane. */
  prove(challenge: string): string
  close(): Promise<void>
}

/**
 * Requests PUBLIC_URL every second, like a client. If a proxy in front of us is down or leads elsewhere,
 * pings cannot arrive, and their absence means nothing.
 * @param capabilities.secretsKey the key that proves an answer is from this system is derived from it
 */
export const startReachability = (capabilities: {
  publicUrl: string
  secretsKey: string
  /** While stopping, it does not warn. */
  isServing: () => boolean
  now: () => number
  log: Logger
  /** Shorter in tests, ms. */
  paceMs?: number
}): Reachability => {
  const { publicUrl, secretsKey, isServing, now, log, paceMs = reachPaceMs } = capabilities
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'probe-mesh door', 32))
  const prove = (challenge: string): string => createHmac('sha256', key).update(challenge).digest('base64url')
  const state: ReachState = { reachedAtMs: null, forwardedAtMs: null }
  let wasReachable = true

  const isReachable = (): boolean => now() - reachableUntilMs(state, now()) <= silenceMsMax
  const ask = async (closing: AbortSignal): Promise<boolean> => {
    const challenge = randomBytes(12).toString('base64url')
    const signal = anySignal([closing, AbortSignal.timeout(askMsMax)])
    const url = `${publicUrl}/healthz?door=${challenge}`
    const answer = await fetch(url, { signal, redirect: 'manual' })
    const json: unknown = await answer.json()
    const proof: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'door') : undefined
    return proof === prove(challenge)
  }
  const loop = keepLooping(log, {
    what: 'PUBLIC_URL cannot be tested',
    everyMs: paceMs,
    round: async (signal) => {
      const sentAtMs = now()
      if (await ask(signal).catch(() => false)) state.reachedAtMs = sentAtMs
      if (isReachable() === wasReachable || !isServing() || signal.aborted) return
      wasReachable = !wasReachable
      if (wasReachable) log.info({ publicUrl }, 'PUBLIC_URL reaches this system again')
      else log.warn({ publicUrl }, 'PUBLIC_URL does not reach this system; heartbeat deadlines are suspended')
    },
  })
  return {
    reachableUntilMs: (nowMs) => reachableUntilMs(state, nowMs),
    isReachable,
    noteForwarded: () => {
      state.forwardedAtMs = now()
    },
    prove,
    close: loop.close,
  }
}
