import type { ChannelType, Channel } from '@probe-mesh/contracts/channel/channel'

/** A channel as it is stored: its config sealed, and what a person may see of it. */
export type ChannelRecord = {
  id: string
  accountId: string
  type: ChannelType
  name: string
  /** The config as JSON, sealed for its account and id. */
  credential: Uint8Array
  summary: Record<string, string>
  verifiedAtMs: number | null
  createdAtMs: number
  updatedAtMs: number
}

/** A channel as it is answered, without its credential (S-2002). */
export const describeChannel = (channel: ChannelRecord): Channel => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  verified: channel.verifiedAtMs !== null,
  configSummary: channel.summary,
})
