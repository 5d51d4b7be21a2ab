import type { ChannelType, Channel } from '@probe-mesh/contracts/channel/channel'

/** A channel as it is stored: its sealed config, and a summary that people may see. */
export type ChannelRecord = {
  id: string
  accountId: string
  type: ChannelType
  name: string
  /** The config as JSON, sealed for the account and the channel. */
  credential: Uint8Array
  summary: Record<string, string>
  verifiedAtMs: number | null
  createdAtMs: number
  updatedAtMs: number
}

/** A channel as the API returns it, without its credential (S-2002). */
export const describeChannel = (channel: ChannelRecord): Channel => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  verified: channel.verifiedAtMs !== null,
  configSummary: channel.summary,
})
