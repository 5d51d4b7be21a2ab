import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Registry } from 'prom-client'
import { matching } from './setting.ts'

/** `METRICS_TOKEN`. It is sent in a header field, so not every character may be in it. */
export const metricsToken = matching(
  'text, 16 to 512 characters',
  /^[\x21-\x7e]{16,512}$/,
  'must have 16 to 512 characters, all of them visible ASCII',
)

/** However many readers there are, the figures are collected once in this time, ms. */
export const metricsAgeMsMax = 1_000
/** How long a reader waits for figures that are being collected, ms. */
const collectMsMax = 5_000

/** Who reads: the address of the socket, never one that a header names. */
export type MetricsReader = {
  remoteAddress: string | undefined
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type MetricsAnswer = {
  status: 200 | 401 | 503
  headers: Readonly<Record<string, string>>
  body: string
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

/** By its `WWW-Authenticate` field a client knows how to ask again. */
const refused = (token: string | null): MetricsAnswer => ({
  status: 401,
  headers: { ...plainText, 'www-authenticate': 'Bearer realm="metrics"' },
  body:
    token === null
      ? 'Without METRICS_TOKEN the metrics answer connections from this machine only.\n'
      : 'Send METRICS_TOKEN as "Authorization: Bearer <token>".\n',
})
const tooSlow: MetricsAnswer = {
  status: 503,
  headers: { ...plainText, 'retry-after': '5' },
  body: 'The metrics are still being collected. Retry in 5 s.\n',
}

/**
 * `/metrics` of every program. With a token it answers readers that send it; without one, readers on this
 * machine.
 * @returns what answers one reader
 */
export const createMetricsPage = (capabilities: {
  registry: Registry
  token: string | null
  now: () => number
}): ((reader: MetricsReader) => Promise<MetricsAnswer>) => {
  const { registry, token, now } = capabilities
  let kept: { body: string; bornMs: number } | null = null
  let collecting: Promise<string> | null = null

  const collect = async (): Promise<string> => {
    const bornMs = now()
    try {
      const body = await registry.metrics()
      kept = { body, bornMs }
      return body
    } finally {
      collecting = null
    }
  }
  const figures = (): Promise<string | null> => {
    const ageMs = kept === null ? Infinity : now() - kept.bornMs
    // a clock that was set back must not keep a text for ever
    if (kept !== null && ageMs >= 0 && ageMs < metricsAgeMsMax) return Promise.resolve(kept.body)
    collecting ??= collect()
    return inTime(collecting, collectMsMax)
  }
  return async (reader) => {
    if (!mayReadMetrics(reader, token)) return refused(token)
    const body = await figures()
    if (body === null) return tooSlow
    const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
    return { status: 200, headers, body }
  }
}

/** Whether a reader has the token, or is on this machine where there is none. */
export const mayReadMetrics = (reader: MetricsReader, token: string | null): boolean =>
  token === null ? isOnThisMachine(reader) : hasToken(reader, token)

const hasToken = ({ headers: { authorization } }: MetricsReader, token: string): boolean => {
  const sent =
    typeof authorization === 'string' ? /^bearer +(\S+)$/i.exec(authorization)?.[1] : null
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** What proxies add: the reader is then somebody behind a proxy on this machine. */
const forwarding =
  /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|[a-z]+-connecting-ip|true-client-ip|fastly-client-ip)$/

/** A proxy that adds no header still passes on the public name that it was asked for, as a page does by DNS rebinding. */
const isOnThisMachine = ({ remoteAddress, headers }: MetricsReader): boolean =>
  isLoopback(remoteAddress ?? '') &&
  isLocalName(headers['host']) &&
  !Object.keys(headers).some((name) => forwarding.test(name.toLowerCase()))

const isLoopback = (address: string): boolean => {
  const plain = address.replace(/^::ffff:/i, '')
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1'
}

const isLocalName = (host: MetricsReader['headers'][string]): boolean => {
  if (typeof host !== 'string') return false
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}

/** null where it takes longer; the work itself goes on. */
const inTime = async <T>(work: Promise<T>, ms: number): Promise<T | null> => {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, ms, null)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
