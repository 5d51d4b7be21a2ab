import type { AccountContext } from '../../operations/context.ts'
import type { ChannelSender } from '../outgoing/channel-sender.ts'
import type { Vault } from './vault.ts'

/** The capabilities of the operations of notification channels. */
export type ChannelContext = AccountContext & {
  /** Seals what only a sender reads. */
  readonly vault: Vault
  readonly channelSender: ChannelSender
}
