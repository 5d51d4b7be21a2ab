import type { AllowList } from './address.ts'
import type { TcpSettings, SmtpSettings } from '../check/probe-settings.ts'
import { parseHost, portAllowed } from './target.ts'
import type { TargetProblem } from './target.ts'

/**
 * The target rule of a tcp check, at save and again on every run. Any port may be connected to. Text
 * of the check's own is sent only where a web server may listen: elsewhere it could command a mail
 * server or a store (S-502).
 * @returns null when the check may run; whether a name leads to an allowed address shows at connect
 */
export const tcpTargetProblem = (
  { host, port, send }: Pick<TcpSettings, 'host' | 'port' | 'send'>,
  { allow }: { allow: AllowList },
): TargetProblem | null => {
  const parsed = parseHost(host, { allow })
  if (!parsed.ok) return parsed.problem
  if (send === null || parsed.opened || portAllowed(port)) return null
  return {
    rule: 'url_port',
    message: `nothing may be sent to the port ${port}: use 80, 443, or a web port from 1024 up`,
  }
}

/** Where mail is taken: relay, submission over TLS, submission, and the common alternative to 25. */
const smtpPorts: ReadonlySet<number> = new Set([25, 465, 587, 2525])

/**
 * The target rule of an smtp check, at save and again on every run: the host as in any target, and a
 * port for mail, unless the operator opened the address.
 * @returns null when the check may run; whether a name leads to an allowed address shows at connect
 */
export const smtpTargetProblem = (
  { host, port }: Pick<SmtpSettings, 'host' | 'port'>,
  { allow }: { allow: AllowList },
): TargetProblem | null => {
  const parsed = parseHost(host, { allow })
  if (!parsed.ok) return parsed.problem
  if (parsed.opened || smtpPorts.has(port)) return null
  return {
    rule: 'url_port',
    message: `the port ${port} is not allowed: use ${[...smtpPorts].join(', ')}`,
  }
}
