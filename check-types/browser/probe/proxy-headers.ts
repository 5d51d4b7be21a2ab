import { listMembers } from '@probe-mesh/runtime/headers'

/** Hop-by-hop headers (RFC 9110 7.6.1). */
const betweenNeighbours: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The headers to forward, in their order and spelling.
 * @param raw alternating names and values, as Node provides them
 */
export const forwardedHeaders = (raw: readonly string[]): string[] => {
  const connection = pairs(raw).filter(([name]) => name.toLowerCase() === 'connection')
  const named = new Set(connection.flatMap(([, value]) => listMembers(value.toLowerCase())))
  return pairs(raw)
    .filter(([name]) => {
      const lower = name.toLowerCase()
      return !betweenNeighbours.has(lower) && !named.has(lower) && !lower.startsWith('proxy-')
    })
    .flat()
}

const pairs = (raw: readonly string[]): [name: string, value: string][] =>
  Array.from({ length: Math.floor(raw.length / 2) }, (_, n) => [raw[2 * n] ?? '', raw[2 * n + 1] ?? ''])

/** The credential in a `Proxy-Authorization` header; null when it cannot be read. */
export const credentialOf = (header: string | undefined): { username: string; password: string } | null => {
  const encoded = /^basic ([A-Za-z0-9+/=]{1,400})$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The target of CONNECT as a URL for the target rule; null when it is not `host:port`. */
export const connectUrlOf = (authority: string): URL | null => {
  if (!/^(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#@:[\]\\%]{1,255}):\d{1,5}$/i.test(authority)) return null
  return URL.parse(`https://${authority}/`)
}

/** `host:port` of a web URL, always with the port. */
export const authorityOf = ({ protocol, hostname, port }: URL): string =>
  `${hostname}:${port === '' ? (protocol === 'https:' || protocol === 'wss:' ? 443 : 80) : port}`
