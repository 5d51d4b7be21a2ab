import { randomUUID } from 'node:crypto'
import { pause } from '@probe-mesh/runtime/pause'
import type { AskProxy } from './proxied-mesh.ts'

/** An answer that is no answer: 5xx, 429, or none at all. */
export type Refused = { what: string; atMs: number; why: string }

export type Asking = {
  answered(): number
  /** Of one kind, that were answered 200. */
  taken(what: string): number
  since(fromMs: number): { answered: number; refused: Refused[] }
  stop(): Promise<void>
}

/** Asks through the proxy what people and programs ask, each kind at its own pace, until it is stopped. */
export const startAsking = (
  ask: AskProxy,
  account: {
    key: Record<string, string>
    siteId: string
    editedId: string
    slug: string
    pingPath: string
  },
): Asking => {
  const { key: headers, siteId, editedId, slug, pingPath } = account
  const kinds: Record<string, { everyMs: number; send: () => ReturnType<AskProxy> }> = {
    alive: { everyMs: 500, send: () => ask('GET', '/healthz') },
    page: { everyMs: 500, send: () => ask('GET', `/status/${slug}`) },
    login: { everyMs: 500, send: () => ask('GET', '/login') },
    check: { everyMs: 500, send: () => ask('GET', `/v1/checks/${siteId}`, { headers }) },
    answer: { everyMs: 3_000, send: () => ask('GET', '/v1/public/weather') },
    ping: { everyMs: 3_000, send: () => ask('GET', pingPath) },
    write: {
      everyMs: 1_000,
      send: () =>
        ask('PATCH', `/v1/checks/${editedId}/assertions`, {
          body: {},
          headers: { ...headers, 'idempotency-key': randomUUID() },
        }),
    },
    series: {
      everyMs: 1_000,
      send: () => ask('GET', `/v1/checks/${siteId}/series?${lastHour()}`, { headers }),
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
    taken: (kind) => answers.filter(({ what, why }) => what === kind && why === null).length,
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
