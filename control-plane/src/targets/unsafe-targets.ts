import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { dnsTargetProblem } from '@probe-mesh/contracts/target/dns-target'
import { smtpTargetProblem, tcpTargetProblem } from '@probe-mesh/contracts/target/host-port-target'
import { targetProblem } from '@probe-mesh/contracts/target/target'

/** A field that names an unsafe target: the message says which rule, and repeats no address. */
export type UnsafeTarget = { path: string; rule: string; message: string }

/**
 * Every target of a config that may not be probed, here at save; agents look again on every run (S-209). Pure.
 */
export const unsafeTargets = (
  config: CheckConfig,
  options: { allow: AllowList },
): UnsafeTarget[] => {
  switch (config.type) {
    case 'multistep':
      return config.steps.flatMap(({ url }, index) =>
        at(`steps[${index}].url`, targetProblem(url, options)),
      )
    case 'browser':
      return at('settings.url', targetProblem(config.settings.url, options))
    case 'tcp':
      return atHost(tcpTargetProblem(config.settings, options))
    case 'smtp':
      return atHost(smtpTargetProblem(config.settings, options))
    case 'dns': {
      const problem = dnsTargetProblem(config.settings, options)
      return at(`settings.${problem?.path}`, problem)
    }
    case 'http':
    case 'heartbeat':
      return []
    default:
      return config satisfies never
  }
}

type Problem = { rule: string; message: string } | null

const at = (path: string, problem: Problem): UnsafeTarget[] =>
  problem === null ? [] : [{ path, rule: problem.rule, message: problem.message }]

const atHost = (problem: Problem): UnsafeTarget[] =>
  at(problem?.rule.endsWith('port') ? 'settings.port' : 'settings.host', problem)
