import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import { durationText } from '../status/duration-text.ts'
import type { WaitingMessage } from './alert-messages-store.ts'

/** The messages of one outage that began and ended, in any order. */
type Ended = { first: WaitingMessage; last: WaitingMessage }

const endedOf = (of: readonly WaitingMessage[]): Ended | null => {
  const first = of.find(({ message }) => message.event === 'alert')
  const last = of.find(({ message }) => message.event === 'recovery')
  return first === undefined || last === undefined ? null : { first, last }
}

/** The outage that a message is about; one of an earlier version stands for itself. */
export const outageOf = ({ checkId, cause, message: { flipId } }: WaitingMessage): string =>
  flipId === undefined ? cause : `${checkId} ${flipId}`

/** Separates the messages of outages whose alert and recovery both wait, by outage, from the others. */
export const separateEnded = (
  waiting: readonly WaitingMessage[],
): { ended: (readonly WaitingMessage[])[]; rest: WaitingMessage[] } => {
  const outages = Map.groupBy(waiting, outageOf)
  const ended = [...outages.values()].filter((of) => endedOf(of) !== null)
  const all = new Set(ended.flat())
  return { ended, rest: waiting.filter((one) => !all.has(one)) }
}

/** One message for an outage that ended before its alert was sent. It closes what receivers may have opened. */
export const composeEnded = (of: readonly WaitingMessage[]): { cause: string; message: ChannelMessage } => {
  const outage = endedOf(of)
  if (outage === null) throw new Error('the outage lasts')
  const { first, last } = outage
  const { content, checkName, since = content.at } = last.message
  const lastedMs = Date.parse(content.at) - Date.parse(since)
  const [why = ''] = first.message.content.text.split('\n')
  return {
    cause: last.cause,
    message: {
      ...content,
      title: `${checkName} failed and recovered after ${durationText(lastedMs)}`,
      text: `It failed: ${why}\n${content.text}`,
    },
  }
}
