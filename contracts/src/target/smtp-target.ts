import type { AllowList } from './address.ts'
import type { SmtpSettings } from '../check/probe-settings.ts'
import { parseHost } from './target.ts'
import type { TargetProblem } from './target.ts'

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
