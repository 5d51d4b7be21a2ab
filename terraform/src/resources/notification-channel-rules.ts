import {
  channelConfigs,
  configKeys,
  UpdateChannelInput,
  type ChannelType,
} from '@probe-mesh/contracts/channel/channel'
import { jsonFormNames } from '@probe-mesh/contracts/channel/json-forms'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { errorAt, type Diagnostic, type Path } from '../protocol/diagnostic.ts'
import { isObject, type ObjectValue } from '../protocol/value.ts'
import { channelSchema as schema } from './notification-channel-schema.ts'
import { configuredProblems } from './configured-problems.ts'
import { valueOf } from './settle.ts'

/** The rules of the type for `config` and `config_wo`; a null key counts as missing. No message repeats a value. */
export const validateChannel = (channel: ObjectValue): Diagnostic[] => [
  ...configuredProblems(schema, channel, { name: 'name' }, NameInput),
  ...validateVersion(channel),
  ...validateValues(channel, 'config'),
  ...validateValues(channel, 'config_wo'),
]

const NameInput = UpdateChannelInput.pick({ name: true })

const validateVersion = (channel: ObjectValue): Diagnostic[] => {
  const [config, writeOnly, version] = ['config', 'config_wo', 'config_wo_version'].map(
    (name) => valueOf(channel, name) !== null,
  )
  const refuse = (name: string, summary: string, detail: string) => [
    errorAt([name], summary, `${name}: ${detail}`),
  ]
  if (config && writeOnly)
    return refuse('config_wo', 'Two configs', 'set either config or config_wo, not both.')
  if (writeOnly && !version) {
    const detail =
      'is required with config_wo. Raise it when config_wo changes: Terraform does not compare that.'
    return refuse('config_wo_version', 'Missing version', detail)
  }
  return version && !writeOnly ? refuse('config_wo_version', 'Version of nothing', 'needs config_wo.') : []
}

const validateValues = (channel: ObjectValue, name: 'config' | 'config_wo'): Diagnostic[] => {
  const type = valueOf(channel, 'type')
  const config = valueOf(channel, name)
  if (typeof type !== 'string' || !Object.hasOwn(channelConfigs, type) || !isObject(config)) return []
  const refuse = (path: Path, summary: string, detail: string) =>
    errorAt([name, ...path], summary, `${name}: ${detail}`)
  const form = valueOf(config, 'form')
  const keys = configKeys(type as ChannelType, form)
  if (keys === null) {
    if (typeof form !== 'string') return []
    return [refuse([{ key: 'form' }], 'Unknown form', `form must be one of ${jsonFormNames.join(', ')}.`)]
  }
  const what = typeof form === 'string' ? `${type} and form ${form}` : type
  const given = Object.entries(config).flatMap(([key, value]): Diagnostic[] => {
    const rule = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (value === null) return []
    if (rule === undefined) {
      const detail = `a channel of type ${what} takes the keys ${Object.keys(keys).join(', ')} and no other.`
      return [refuse([{ key }], 'Unknown config key', detail)]
    }
    const problem =
      typeof value === 'string' ? rule.safeParse(value, { error: plainProblem }).error?.issues[0] : undefined
    return problem === undefined
      ? []
      : [refuse([{ key }], 'Invalid value (SV-2001)', `${key} ${problem.message}`)]
  })
  const missing = Object.keys(keys).filter(
    (key) => !keys[key]?.safeParse(undefined).success && (config[key] ?? null) === null,
  )
  return [
    ...given,
    ...missing.map((key) =>
      refuse([], 'Missing config key', `a channel of type ${what} needs the key ${key}.`),
    ),
  ]
}
