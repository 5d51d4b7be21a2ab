import { channelConfigs, type ChannelConfig, type ChannelType } from '@probe-mesh/contracts/channel/channel'
import { refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'

/** Parses a config by the schema of its type: SV-2001 with every problem, its path under `config`. */
export const parseChannelConfig = (type: ChannelType, config: unknown): ChannelConfig | Refusal => {
  const parsed = z.object({ config: channelConfigs[type] }).safeParse({ config })
  return parsed.success ? configOf(type, parsed.data.config) : refuseInvalid([parsed.error])
}

/** Type and config match: the config was parsed by the schema of the type. */
const configOf = (type: ChannelType, config: object): ChannelConfig => ({ type, config }) as ChannelConfig

/** The keys of URLs, in each type and form. */
const urlKeys = new Set(['webhookUrl', 'apiUrl', 'url', 'topicUrl'])

/** The URLs that a channel sends to, with their paths in the input. */
export const channelUrls = ({ config }: ChannelConfig): { path: string; url: string }[] =>
  entriesOf(config).flatMap(([key, url]) => (urlKeys.has(key) ? [{ path: `config.${key}`, url }] : []))

/** Keys that may be shown. Every other value of a config is treated as a secret. */
const plainKeys = new Set(['form', 'contentType', 'chatId'])

/** The values of a config that are credentials, without its URLs, by key. */
export const channelSecrets = ({ config }: ChannelConfig): [key: string, secret: string][] =>
  entriesOf(config).filter(([key]) => !urlKeys.has(key) && !plainKeys.has(key))

/** Every value of a config is a text. */
const entriesOf = (config: ChannelConfig['config']): [string, string][] =>
  Object.entries(config).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))
