import type { ChannelTest } from '@probe-mesh/contracts/channel/channel'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { slowChannelMs } from '@probe-mesh/contracts/channel/outgoing-pools'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeChannel, type ChannelRecord } from './channel-record.ts'
import type { ChannelMessage } from './forms/message.ts'
import { isOperatorsAccount } from '../../accounts/accounts-store.ts'
import { findChannel, lockChannel, updateChannelVerified } from './channels-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Writer } from '../../accounts/operations/context.ts'
import type { ChannelContext } from './channels.ts'
import { write } from '../../accounts/operations/write.ts'

const testMsMax = 10_000

type TestingContext = Pick<ChannelContext, 'sql' | 'channelSender' | 'now'> & {
  readonly rules: Pick<AccountContext['rules'], 'publicUrl'>
}

/**
 * Sends a test message now and returns the receiver's answer. An alert that it opens is closed. A success verifies the channel and sends its
 * pending messages (S-2003, S-2004). No transaction is open during the test: a channel whose config was
 * changed in the meantime is SV-3002, a deleted one SV-3001.
 */
export const testChannel = async (
  context: TestingContext,
  writer: Writer,
  { params: { id } }: RouteInput<'testChannel'>,
): Promise<ChannelTest | Refusal> => {
  const { accountId } = writer
  const tried = await inAccount(context.sql, accountId, async (tx) => {
    const channel = await findChannel(tx, accountId, id)
    if (channel === null) return null
    return { ...channel, isOperators: await isOperatorsAccount(tx, accountId) }
  })
  if (tried === null) return refuse('SV-3001')
  const startedMs = performance.now()
  const signal = AbortSignal.timeout(testMsMax)
  const send = (message: ChannelMessage) =>
    context.channelSender.send(tried, { id: uuidv7(context.now()), message }, signal)
  const result = await send(testMessage(context, tried))
  const slow = performance.now() - startedMs > slowChannelMs
  const closed = result.ok && opensAlert(tried) ? await send(testIsOver(context, tried)) : null
  const audit = {
    action: 'testChannel',
    resourceType: 'notification_channel',
    resourceId: () => id,
  }
  return write(context, writer, audit, async (tx) => {
    const channel = await lockChannel(tx, accountId, id)
    if (channel === null) return refuse('SV-3001')
    if (!isSameCredential(channel, tried)) {
      return refuse('SV-3002', {
        message: 'The channel was changed during the test. Test it again.',
      })
    }
    const nowMs = context.now()
    if (result.ok) await updateChannelVerified(tx, id, slow, nowMs)
    return {
      channel: describeChannel(result.ok ? { ...channel, verifiedAtMs: nowMs } : channel),
      delivered: result.ok,
      httpStatus: result.httpStatus,
      detail:
        closed === null || closed.ok
          ? result.detail
          : `${result.detail} Close the test alert yourself: ${closed.detail}`.trim(),
    }
  })
}

/** Each change seals with a new nonce, so equal bytes mean the same config. */
const isSameCredential = (one: ChannelRecord, other: ChannelRecord): boolean =>
  Buffer.compare(one.credential, other.credential) === 0

/** Receivers whose messages open an alert there, which must not page anybody after the test. */
const opensAlert = ({ type, summary }: ChannelRecord): boolean =>
  type === 'opsgenie' || summary['form'] === 'pagerduty' || summary['form'] === 'jsm'

const testIsOver = (
  context: Pick<TestingContext, 'rules' | 'now'>,
  channel: ChannelRecord,
): ChannelMessage => ({
  ...testMessage(context, channel),
  event: 'recovery',
  text: 'The test is over.',
})

const testMessage = (
  { rules, now }: Pick<TestingContext, 'rules' | 'now'>,
  { id, name }: ChannelRecord,
): ChannelMessage => ({
  event: 'test',
  title: `Test of ${name}`,
  text: 'This is a test message. Nothing is down. Alerts of this account will be sent here.',
  facts: [{ name: 'Channel', value: name }],
  url: rules.publicUrl,
  at: new Date(now()).toISOString(),
  alertKey: `test-${id}`,
})
