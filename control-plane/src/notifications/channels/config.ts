import { channelConfigs } from '@probe-mesh/contracts/channel/channel'
import type { ChannelConfig, ChannelType } from '@probe-mesh/contracts/channel/channel'
import { refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'

/** Parses a config by the schema of its type: SV-2001 with every problem, its path under `config`. */
export const parseChannelConfig = (type: ChannelType, config: unknown): ChannelConfig | Refusal => {
  const parsed = z.object({ config: channelConfigs[type] }).safeParse({ config })
  return parsed.success ? configOf(type, parsed.data.config) : refuseInvalid([parsed.error])
}

/** Type and config match: the config was parsed by the schema of the type. */
const configOf = (type: ChannelType, config: object): ChannelConfig => ({ type, config }) as ChannelConfig

/** The URLs that a channel sends to, with their paths in the input. */
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
