import type { ChannelType } from '@probe-mesh/contracts/channel/channel'
import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import { isObject } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { valueOf } from './settle.ts'

/** Keys of `config` by type; the API judges their values. */
export const configKeys = {
  discord: { required: ['webhookUrl'], optional: [] },
  teams: { required: ['webhookUrl'], optional: [] },
  opsgenie: { required: ['apiKey'], optional: ['apiUrl'] },
  json: { required: ['url'], optional: ['secret'] },
} as const satisfies Record<ChannelType, { required: string[]; optional: string[] }>

export const channelTypes = Object.keys(configKeys)

/** Keys that a type has not, and those it lacks; what is null was left out. No value is repeated. */
export const validateChannel = (channel: ObjectValue): Diagnostic[] => {
  const type = valueOf(channel, 'type')
  const config = valueOf(channel, 'config')
  if (typeof type !== 'string' || !Object.hasOwn(configKeys, type) || !isObject(config)) return []
  const keys: { required: readonly string[]; optional: readonly string[] } =
    configKeys[type as ChannelType]
  const known = [...keys.required, ...keys.optional]
  const given = Object.keys(config).filter((key) => config[key] !== null)
  const unknownKeys = given.filter((key) => !known.includes(key))
  const missing = keys.required.filter((key) => !given.includes(key))
  return [
    ...unknownKeys.map((key) =>
      errorAt(
        ['config', { key }],
        'Unknown config key',
        `config: a channel of type ${type} has no key of this name; it has ${known.join(', ')}.`,
      ),
    ),
    ...missing.map((key) =>
      errorAt(
        ['config'],
        'Missing config key',
        `config: a channel of type ${type} needs the key ${key}.`,
      ),
    ),
  ]
}
