import { randomUUID } from 'node:crypto'
import { pause } from '@probe-mesh/runtime/pause'
import type { SendToProxy } from './proxied-mesh.ts'

/** A failed request: 5xx, 429, or no answer. */
type Refused = { what: string; atMs: number; why: string }

export type Traffic = {
  answered(): number
  /** The successful requests of one kind. */
  accepted(what: string): number
  since(fromMs: number): { answered: number; refused: Refused[] }
  stop(): Promise<void>
}

/**
 * Sends typical requests of people and programs through the proxy, each kind at its own pace, until `stop`.
 */
export const startTraffic = (
  request: SendToProxy,
  account: {
    key: Record<string, string>
    siteId: string
    editedId: string
    slug: string
    pingPath: string
  },
): Traffic => {
  const { key: headers, siteId, editedId, slug, pingPath } = account
  const kinds: Record<string, { everyMs: number; send: () => ReturnType<SendToProxy> }> = {
    alive: { everyMs: 500, send: () => request('GET', '/healthz') },
    page: { everyMs: 500, send: () => request('GET', `/status/${slug}`) },
    login: { everyMs: 500, send: () => request('GET', '/login') },
    check: { everyMs: 500, send: () => request('GET', `/v1/checks/${siteId}`, { headers }) },
    answer: { everyMs: 3_000, send: () => request('GET', '/v1/public/weather') },
    ping: { everyMs: 3_000, send: () => request('GET', pingPath) },
    write: {
      everyMs: 1_000,
      send: () =>
        request('PATCH', `/v1/checks/${editedId}/assertions`, {
          body: {},
          headers: { ...headers, 'idempotency-key': randomUUID() },
        }),
    },
    series: {
      everyMs: 1_000,
      send: () => request('GET', `/v1/checks/${siteId}/series?${lastHour()}`, { headers }),
    },
  }
  const answers: { what: string; atMs: number; why: string | null }[] = []
  const closing = new AbortController()
  const follow = async (what: string, { everyMs, send }: (typeof kinds)[string]): Promise<void> => {
    while (!closing.signal.aborted) {
      const atMs = Date.now()
      const why = await send().then(
        ({ status, text }) => (status < 400 ? null : `${status} ${text.slice(0, 200)}`),
        (error: unknown) => String(error),
      )
      answers.push({ what, atMs, why })
      await pause(Math.max(0, atMs + everyMs - Date.now()), closing.signal)
    }
  }
  const following = Object.entries(kinds).map(([what, kind]) => follow(what, kind))
  return {
    answered: () => answers.length,
    accepted: (kind) => answers.filter(({ what, why }) => what === kind && why === null).length,
    since: (fromMs) => {
      const later = answers.filter(({ atMs }) => atMs >= fromMs)
      const refused = later.flatMap(({ what, atMs, why }) => (why === null ? [] : [{ what, atMs, why }]))
      return { answered: later.length, refused }
    },
    stop: async () => {
      closing.abort()
      await Promise.all(following)
    },
  }
}

const lastHour = (): string => {
  const to = new Date()
  const from = new Date(to.getTime() - 3_600_000)
  return new URLSearchParams({ from: from.toISOString(), to: to.toISOString() }).toString()
}
