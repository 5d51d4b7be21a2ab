import { channelConfigs } from '@probe-mesh/contracts/channel/channel'
import type { ChannelConfig, ChannelType } from '@probe-mesh/contracts/channel/channel'
import { refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'

/** Holds a config to the keys of its type: SV-2001 with every problem, its path under `config`. */
export const parseChannelConfig = (type: ChannelType, config: unknown): ChannelConfig | Refusal => {
  const parsed = z.object({ config: channelConfigs[type] }).safeParse({ config })
  return parsed.success ? configOf(type, parsed.data.config) : refuseInvalid([parsed.error])
}

/** The pair belongs together: the config was parsed by its type's schema. */
const configOf = (type: ChannelType, config: object): ChannelConfig =>
  ({ type, config }) as ChannelConfig

/** The addresses that a channel sends to, with the paths they have in an input. */
export const channelUrls = ({ type, config }: ChannelConfig): { path: string; url: string }[] => {
  switch (type) {
    case 'discord':
    case 'teams':
      return [{ path: 'config.webhookUrl', url: config.webhookUrl }]
    case 'opsgenie':
      return config.apiUrl === undefined ? [] : [{ path: 'config.apiUrl', url: config.apiUrl }]
    case 'json':
      return [{ path: 'config.url', url: config.url }]
  }
}
