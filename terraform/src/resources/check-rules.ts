import { assertionRules } from '@probe-mesh/contracts/check/assertions'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { judgeCheck } from '@probe-mesh/contracts/check/check-rules'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import { isWhollyKnown, type ObjectValue } from '../protocol/value.ts'
import { assertionNames, checkFields, checkSchema } from './check-schema.ts'
import { configuredFields, toDiagnostics } from './configured-problems.ts'
import { valueOf } from './settle.ts'

/** The rules of an http check that need no account, for what is known. */
export const validateCheck = (config: ObjectValue): Diagnostic[] => {
  const body = configuredFields(config, checkFields)
  const isOpen = !isWhollyKnown(valueOf(config, 'regions'))
  // regions that are not known yet may be a private agent, which decides for itself what it measures
  const { problems } = judgeCheck(CreateCheckInput, isOpen ? { ...body, regions: [someAgent] } : body)
  const areKnown = Object.keys(assertionNames).every((name) => isWhollyKnown(valueOf(config, name)))
  const held = problems.filter(
    ({ rule }) => !ofAbsent.has(rule) && (areKnown || !assertionRules.some((each) => each === rule)),
  )
  return toDiagnostics(
    checkSchema,
    config,
    held.map(({ rule, message, ...problem }) => ({ ...problem, message: message + hintOf(config, rule) })),
  )
}

const someAgent = privateRegion('00000000-0000-0000-0000-000000000000')
/** Terraform reports a missing name itself; a check that is imported may have no URL. */
const ofAbsent: ReadonlySet<string> = new Set(['name.type', 'url.type'])

const hintOf = (config: ObjectValue, rule: string): string =>
  (rule === 'host_single_label' || rule === 'host_internal') && valueOf(config, 'regions') === null
    ? '. A check of a private agent names it in regions'
    : ''
