import type { AllowList } from './address.ts'
import type { TcpSettings, SmtpSettings } from '../check/probe-settings.ts'
import { parseHost, portAllowed, type TargetProblem } from './target.ts'

/**
 * The target rule of a tcp check, at save and on every run. It may connect to any port. It may send text only to
 * ports of web servers: on others the text could control a mail server or a database (S-502).
 * @returns null when the check may run; the addresses of a name are checked on connect
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
    message: `a tcp check must not send text to port ${port}: use 80, 443, or a web port from 1024 up`,
  }
}

/** SMTP ports: relay, submission over TLS, submission, and the common alternative to 25. */
const smtpPorts: ReadonlySet<number> = new Set([25, 465, 587, 2525])

/**
 * The target rule of an smtp check, at save and on every run: an allowed host and an SMTP port, unless the operator
 * allowed the address.
 * @returns null when the check may run; the addresses of a name are checked on connect
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
