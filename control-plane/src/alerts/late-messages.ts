import { alertTitle } from './alert-message.ts'
import type { CheckNow } from './digest.ts'
import type { WaitingMessage } from './alert-messages-store.ts'

/** A message waits this long at most for others; longer only while its receiver cannot get it. */
const waitsMsMax = 60_000

/**
 * What of the messages about outages that last is told to a receiver that could get none for a while: of an outage
 * its first message, as its reminders are over. An outage that got worse while its first message waited is told once,
 * as it is. Pure.
 * @param now the current states, without deleted checks
 * @returns `isStale`: a message says what is no longer so, so that only a digest of the current states is true
 */
export const tellLate = (
  waiting: readonly WaitingMessage[],
  now: ReadonlyMap<string, CheckNow>,
  nowMs: number,
): { kept: WaitingMessage[]; isStale: boolean } => {
  const isLate = ({ message }: WaitingMessage): boolean => nowMs - Date.parse(message.content.at) > waitsMsMax
  const outageOf = ({ checkId, cause, message: { flipId } }: WaitingMessage): string =>
    flipId === undefined ? cause : `${checkId} ${flipId}`
  const firsts = new Map<string, WaitingMessage>()
  for (const one of waiting) {
    const known = firsts.get(outageOf(one))
    if (known === undefined || one.message.event === 'alert') firsts.set(outageOf(one), one)
  }
  const kept = waiting.filter((one) => {
    const first = firsts.get(outageOf(one))
    return first === one || first?.message.event !== 'alert' || !isLate(first)
  })
  const told = kept.flatMap((one) => {
    const first = firsts.get(outageOf(one))
    if (first?.message.event !== 'alert' || !isAboutNow(one)) return [one]
    if (first !== one) return []
    const newest = kept.findLast((other) => outageOf(other) === outageOf(one) && isAboutNow(other)) ?? one
    return [newest === one ? one : { ...one, message: asFirst(newest.message) }]
  })
  const isStale = told.some(
    (one) =>
      isLate(one) && one.message.event !== 'recovery' && now.get(one.checkId)?.status !== one.message.status,
  )
  return { kept: told, isStale }
}

const isAboutNow = ({ message: { event } }: WaitingMessage): boolean =>
  event === 'alert' || event === 'reminder'

/** A later message of an outage, as the first one about it. */
const asFirst = (message: WaitingMessage['message']): WaitingMessage['message'] => ({
  ...message,
  event: 'alert',
  content: { ...message.content, event: 'alert', title: alertTitle(message.checkName, message.status) },
})
