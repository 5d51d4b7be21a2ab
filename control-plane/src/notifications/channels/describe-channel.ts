import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { ChannelRecord } from './channel-record.ts'

/** A channel as it is answered: "the API never returns the credential" (specification). */
export const describeChannel = (channel: ChannelRecord): Channel => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  verified: channel.verifiedAtMs !== null,
  configSummary: channel.summary,
})
