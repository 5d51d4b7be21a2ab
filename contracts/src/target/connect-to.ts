import { isIPv6 } from 'node:net'
import type { AllowList } from './address.ts'
import { parseHost, portAllowed, type Target, type TargetProblem } from './target.ts'

/** Where a request is sent instead of the host and port of its URL. */
export type Dialled = Pick<Target, 'host' | 'literal' | 'port'>

const withPort = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/

/** The host of such a text, which may not be allowed. */
export const hostOfConnectTo = (text: string): string =>
  isIPv6(text) ? text : (withPort.exec(text)?.[1] ?? '')

/**
 * Parses `host`, `host:port`, an address, or `[address]:port`, by the rules for any target (S-209, S-350).
 * @param defaultPort the port of the URL
 */
export const parseConnectTo = (
  text: string,
  { allow, defaultPort }: { allow: AllowList; defaultPort: number },
): { ok: true; dialled: Dialled } | { ok: false; problem: TargetProblem } => {
  const [, host = '', digits] = isIPv6(text) ? [text, text] : (withPort.exec(text) ?? [])
  const parsed = parseHost(host, { allow })
  if (!parsed.ok) return parsed
  const { literal, opened } = parsed
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port < 1 || port > 65_535 || (!opened && !portAllowed(port))) {
    const message = `the port ${port} is not allowed: use 80, 443, or a web port from 1024 up`
    return { ok: false, problem: { rule: 'url_port', message } }
  }
  return { ok: true, dialled: { host: parsed.host, literal, port } }
}
