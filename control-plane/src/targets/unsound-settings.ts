import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { dnsExpectProblem } from '@probe-mesh/contracts/target/dns-value'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { heartbeatSettingsProblems } from '../heartbeats/schedule.ts'

/** What the schema cannot see in a type's settings, such as a value that no record could have. Pure. */
export const unsoundSettings = (config: CheckConfig): FieldProblem[] =>
  problemsOf(config).map(({ path, message }) => ({ path: `settings.${path}`, message }))

const problemsOf = (config: CheckConfig): FieldProblem[] => {
  if (config.type === 'heartbeat') return heartbeatSettingsProblems(config.settings)
  if (config.type !== 'dns') return []
  const problem = dnsExpectProblem(config.settings)
  return problem === null ? [] : [problem]
}
