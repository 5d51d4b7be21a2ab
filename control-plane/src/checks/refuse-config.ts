import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import { refuse, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { parseConnectTo } from '@probe-mesh/contracts/target/connect-to'
import { targetProblem, type TargetProblem } from '@probe-mesh/contracts/target/target'
import { caProblems } from './requests/ca-problems.ts'
import { secretProblems } from './requests/secret-problems.ts'
import { refuseUnsafe, type UnsafeTarget } from '../targets/refuse-unsafe.ts'
import { heartbeatSettingsProblems } from '../heartbeats/schedule.ts'

/**
 * Refuses the config of a check before it is saved: invalid settings SV-2001, then unsafe targets SV-5001,
 * each with every problem.
 */
export const refuseConfig = (
  config: CheckConfig,
  { targetAllow }: { targetAllow: AllowList },
): Refusal | null => {
  const unsound = unsoundSettings(config)
  if (unsound.length > 0) return refuse('SV-2001', { errors: unsound })
  return refuseUnsafe(unsafeTargets(config, { allow: targetAllow }))
}

/**
 * SV-2001 for a URL of an http check that names a secret, SV-5001 for one that may not be probed, or whose connection
 * leads to such a target.
 * @param url null: unchanged, so it is not refused
 */
export const refuseHttpTarget = (
  { url, config }: { url: string | null; config: CheckConfig },
  { targetAllow: allow }: { targetAllow: AllowList },
): Refusal | null => {
  const errors = url === null ? [] : secretProblems('url', url)
  if (errors.length > 0) return refuse('SV-2001', { errors })
  const ofUrl = url === null ? [] : at('url', targetProblem(url, { allow }))
  return refuseUnsafe([...ofUrl, ...unsafeTargets(config, { allow })])
}

/**
 * All targets of a config that may not be probed. This check is made on saving; agents repeat it on every run
 * (S-209).
 */
const unsafeTargets = (config: CheckConfig, options: { allow: AllowList }): UnsafeTarget[] => {
  switch (config.type) {
    case 'multistep':
      return config.steps.flatMap(({ url, options: own }, index) => [
        ...at(`steps[${index}].url`, targetProblem(url, options)),
        ...at(`steps[${index}].options.connectTo`, connectToProblem(own, options)),
      ])
    case 'http':
      return at('request.connectTo', connectToProblem(config.request, options))
    case 'heartbeat':
      return []
    default: {
      const problem = typeOf(config).unsafeField(config.settings, options)
      return at(`settings.${problem?.path}`, problem)
    }
  }
}

const connectToProblem = (
  request: RequestOptions | undefined,
  { allow }: { allow: AllowList },
): TargetProblem | null => {
  if (request?.connectTo === undefined) return null
  const parsed = parseConnectTo(request.connectTo, { allow, defaultPort: 443 })
  return parsed.ok ? null : parsed.problem
}

type Problem = { rule: string; message: string } | null

const at = (path: string, problem: Problem): UnsafeTarget[] =>
  problem === null ? [] : [{ path, rule: problem.rule, message: problem.message }]

/** Problems that the schema cannot find, such as a value that no record can have. */
const unsoundSettings = (config: CheckConfig): FieldProblem[] =>
  config.type === 'multistep'
    ? config.steps.flatMap(({ url }, index) => secretProblems(`steps[${index}].url`, url))
    : problemsOf(config).map(({ path, message }) => ({ path: `settings.${path}`, message }))

const problemsOf = (config: CheckConfig): FieldProblem[] => {
  if (config.type === 'heartbeat') return heartbeatSettingsProblems(config.settings)
  if (config.type === 'http' || config.type === 'multistep') return []
  const { settings } = config
  const caCertificates = 'caCertificates' in settings ? settings.caCertificates : undefined
  return [...(typeOf(config).problemsOf?.(config.settings) ?? []), ...caProblems({ caCertificates })]
}
