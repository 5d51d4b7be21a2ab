import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Registry } from 'prom-client'
import { matching } from './setting.ts'

/** `METRICS_TOKEN`. Only characters that a header field allows. */
export const metricsToken = matching(
  'text, 16 to 512 characters',
  /^[\x21-\x7e]{16,512}$/,
  'must have 16 to 512 characters, all of them visible ASCII',
)

/** Metrics are collected at most once in this time, ms. */
export const metricsAgeMsMax = 1_000
/** The longest wait of a reader for metrics, ms. */
const collectMsMax = 5_000

/** A reader. The address is that of the socket, never one from a header. */
type MetricsReader = {
  remoteAddress: string | undefined
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

type MetricsAnswer = {
  status: 200 | 401 | 503
  headers: Readonly<Record<string, string>>
  body: string
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

const refused = (token: string | null): MetricsAnswer => ({
  status: 401,
  headers: { ...plainText, 'www-authenticate': 'Bearer realm="metrics"' },
  body:
    token === null
      ? 'METRICS_TOKEN is not set, so only connections from this machine can read the metrics.\n'
      : 'Send METRICS_TOKEN as "Authorization: Bearer <token>".\n',
})
const tooSlow: MetricsAnswer = {
  status: 503,
  headers: { ...plainText, 'retry-after': '5' },
  body: 'The metrics are still being collected. Retry in 5 s.\n',
}

/**
 * `/metrics` of all programs. With a token it serves readers that send the token; without one, readers on
 * this machine.
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
  const readMetrics = (): Promise<string | null> => {
    const ageMs = kept === null ? Infinity : now() - kept.bornMs
    // a clock set back must not keep a text forever
    if (kept !== null && ageMs >= 0 && ageMs < metricsAgeMsMax) return Promise.resolve(kept.body)
    collecting ??= collect()
    return inTime(collecting, collectMsMax)
  }
  return async (reader) => {
    if (!mayReadMetrics(reader, token)) return refused(token)
    const body = await readMetrics()
    if (body === null) return tooSlow
    const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
    return { status: 200, headers, body }
  }
}

/** Whether a reader has the token, or is on this machine when no token is set. */
export const mayReadMetrics = (reader: MetricsReader, token: string | null): boolean =>
  token === null ? isOnThisMachine(reader) : hasToken(reader, token)

const hasToken = ({ headers: { authorization } }: MetricsReader, token: string): boolean => {
  const sent = typeof authorization === 'string' ? /^bearer +(\S+)$/i.exec(authorization)?.[1] : null
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Header fields that proxies add. The reader is then behind a proxy on this machine. */
const forwarding =
  /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|[a-z]+-connecting-ip|true-client-ip|fastly-client-ip)$/

/** Checks `Host` too: a proxy without headers, or a page with DNS rebinding, sends its public name. */
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

/** null when it takes longer. The work itself continues. */
const inTime = async <T>(work: Promise<T>, ms: number): Promise<T | null> => {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, ms, null)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
