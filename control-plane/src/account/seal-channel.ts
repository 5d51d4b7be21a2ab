import type { ChannelConfig } from '@probe-mesh/contracts/channel'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { targetProblem } from '@probe-mesh/contracts/target'
import type { ChannelRecord } from '../channels/channel-record.ts'
import { channelUrls } from '../channels/config.ts'
import { channelOwner } from '../channels/credential.ts'
import { summaryOf } from '../channels/summary.ts'
import type { AccountContext } from './context.ts'
import { refuseUnsafe } from './refuse-unsafe.ts'

/** What saving a channel needs: the guard of its addresses, and the vault of its credential. */
export type SealingContext = {
  readonly vault: AccountContext['vault']
  readonly rules: Pick<AccountContext['rules'], 'targetAllow'>
}

/**
 * A config as it is stored: SV-5001 where it names an address that no probe may try, otherwise sealed
 * for its channel, with the summary that may be shown.
 */
export const sealChannel = (
  { vault, rules }: SealingContext,
  channel: ChannelConfig,
  owner: Pick<ChannelRecord, 'accountId' | 'id'>,
): Pick<ChannelRecord, 'credential' | 'summary'> | Refusal => {
  const unsafe = channelUrls(channel).flatMap(({ path, url }) => {
    const problem = targetProblem(url, { allow: rules.targetAllow })
    return problem === null ? [] : [{ path, ...problem }]
  })
  return (
    refuseUnsafe(unsafe) ?? {
      credential: vault.seal(JSON.stringify(channel.config), channelOwner(owner)),
      summary: summaryOf(channel),
    }
  )
}
