import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { ChannelRecord } from './channel-record.ts'

/** A channel as it is answered, without its credential (S-2002). */
export const describeChannel = (channel: ChannelRecord): Channel => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  verified: channel.verifiedAtMs !== null,
  configSummary: channel.summary,
})
