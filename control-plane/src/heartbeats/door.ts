import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { pause } from '@probe-mesh/bus/pause'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from 'pino'
import { silenceMsMax } from './outage.ts'

const paceMs = 1_000
const askMsMax = 3_000

/** What one control plane knows of the way from clients to it. Unix ms; null: never. */
type DoorState = {
  /** When a request was sent to PUBLIC_URL that a control plane of this system answered. */
  provedAtMs: number | null
  /** When a request came that a proxy passed on. */
  heardAtMs: number | null
}

/**
 * The last instant at which pings could come, as far as that is known. Where PUBLIC_URL never led here, as behind
 * a router that lets nobody out and in again, nothing is known, and what is not known shuts no door.
 */
export const openUntilMs = ({ provedAtMs, heardAtMs }: DoorState, nowMs: number): number =>
  provedAtMs === null ? nowMs : Math.min(nowMs, Math.max(provedAtMs, heardAtMs ?? provedAtMs))

export type Door = {
  openUntilMs(nowMs: number): number
  isOpen(): boolean
  /** A request came that a proxy passed on. */
  heard(): void
  /** What a control plane of this system answers to a question of another one's. */
  prove(question: string): string
  close(): Promise<void>
}

/**
 * Asks PUBLIC_URL every second, as clients do: where a proxy before us is dead, or sends requests to nobody,
 * pings cannot come, and their absence says nothing.
 * @param capabilities.secretsKey of which a key is made that proves an answer to be of this system
 */
export const startDoor = (capabilities: {
  publicUrl: string
  secretsKey: string
  /** While it stops, nobody is warned that it cannot be reached. */
  isServing: () => boolean
  now: () => number
  log: Logger
}): Door => {
  const { publicUrl, secretsKey, isServing, now, log } = capabilities
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'probe-mesh door', 32))
  const prove = (question: string): string =>
    createHmac('sha256', key).update(question).digest('base64url')
  const state: DoorState = { provedAtMs: null, heardAtMs: null }
  const closing = new AbortController()
  let wasOpen = true

  const isOpen = (): boolean => now() - openUntilMs(state, now()) <= silenceMsMax
  const ask = async (): Promise<boolean> => {
    const question = randomBytes(12).toString('base64url')
    const signal = anySignal([closing.signal, AbortSignal.timeout(askMsMax)])
    const url = `${publicUrl}/healthz?door=${question}`
    const answer = await fetch(url, { signal, redirect: 'manual' })
    const json: unknown = await answer.json()
    const told: unknown =
      typeof json === 'object' && json !== null ? Reflect.get(json, 'door') : undefined
    return told === prove(question)
  }
  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const sentAtMs = now()
      if (await ask().catch(() => false)) state.provedAtMs = sentAtMs
      if (isOpen() !== wasOpen && isServing() && !closing.signal.aborted) {
        wasOpen = !wasOpen
        if (wasOpen) log.info({ publicUrl }, 'PUBLIC_URL leads here again')
        else log.warn({ publicUrl }, 'PUBLIC_URL does not lead here: heartbeats are not judged')
      }
      await pause(paceMs, closing.signal)
    }
  }
  const following = follow()
  return {
    openUntilMs: (nowMs) => openUntilMs(state, nowMs),
    isOpen,
    heard: () => {
      state.heardAtMs = now()
    },
    prove,
    close: async () => {
      closing.abort()
      await following
    },
  }
}
