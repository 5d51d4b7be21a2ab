import { alertTitle } from './alert-message.ts'
import { outageOf } from './ended-alerts.ts'
import type { CheckNow } from './digest.ts'
import type { WaitingMessage } from './alert-messages-store.ts'

/** A message waits this long at most for others; longer only while its receiver cannot get it. */
const waitsMsMax = 60_000

/**
 * What of the messages about outages that last is told to a receiver that could get none for a while: of an outage
 * its first message, as its reminders are over. An outage that got worse while its first message waited is told once,
 * as it is.
 * @param now the current states, without deleted checks
 * @returns `isStale`: a message says what is no longer so, so that only a digest of the current states is true
 */
export const tellLate = (
  waiting: readonly WaitingMessage[],
  now: ReadonlyMap<string, CheckNow>,
  nowMs: number,
): { kept: WaitingMessage[]; isStale: boolean } => {
  const isLate = ({ message }: WaitingMessage): boolean => nowMs - Date.parse(message.content.at) > waitsMsMax
  const firsts = new Map<string, WaitingMessage>()
  for (const one of waiting) {
    const known = firsts.get(outageOf(one))
    if (known === undefined || one.message.event === 'alert') firsts.set(outageOf(one), one)
  }
  const kept = waiting.filter((one) => {
    const first = firsts.get(outageOf(one))
    return first === one || first?.message.event !== 'alert' || !isLate(first)
  })
  const newest = new Map(kept.filter(isAboutNow).map((one) => [outageOf(one), one]))
  const told = kept.flatMap((one) => {
    const first = firsts.get(outageOf(one))
    if (first?.message.event !== 'alert' || !isAboutNow(one)) return [one]
    if (first !== one) return []
    const last = newest.get(outageOf(one)) ?? one
    return [last === one ? one : { ...one, message: asFirst(last.message) }]
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
const asFirst = ({ parts, ...message }: WaitingMessage['message']): WaitingMessage['message'] => ({
  ...message,
  ...(parts !== undefined && { parts: { ...parts, notice: { ...parts.notice, event: 'alert' } } }),
  event: 'alert',
  content: { ...message.content, event: 'alert', title: alertTitle(message.checkName, message.status) },
})
