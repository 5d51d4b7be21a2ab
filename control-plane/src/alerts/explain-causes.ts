import { findOpenIncidents } from '../public-answers/observe/shared-watch.ts'
import { factorKey } from '../public-answers/shared-factors.ts'
import { causeText, factorText } from './shared-causes/cause-text.ts'
import { findEvidence } from './shared-causes/providers-store.ts'
import { readInTime } from './shared-causes/read-in-time.ts'
import { sharedCauseOf, type SharedCause } from './shared-causes/shared-cause.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertMessage } from './alert-message.ts'
import type { WaitingMessage } from './alert-messages-store.ts'
import type { AlertContext } from './context.ts'

/** An alert does not wait longer for its explanation. */
const limit = { msMax: 1_000, statements: 3 }

const knownMax = 1_000
const knownMs = 1_000
/** An account whose read took too long is not read again for this time. */
const slowMs = 30_000

/**
 * Adds to alerts and reminders what else is known of the failure (S-1955). Without an answer of the database in
 * time they are sent without it.
 */
export const explainCauses = async (
  { log, now, causes }: Pick<AlertContext, 'log' | 'now' | 'causes'>,
  tx: Transaction,
  accountId: string,
  waiting: readonly WaitingMessage[],
): Promise<readonly WaitingMessage[]> => {
  if (!waiting.some(isExplained)) return waiting
  const nowMs = now()
  const known = causes?.get(accountId)
  const isKnown = known !== undefined && nowMs < known.untilMs
  const evidence = isKnown
    ? known.evidence
    : await readInTime(tx, limit, (within) =>
        findEvidence(within, accountId, () => findOpenIncidents(within, nowMs), nowMs),
      )
  if (!isKnown) {
    if (causes !== undefined && causes.size >= knownMax) causes.clear()
    causes?.set(accountId, { evidence, untilMs: nowMs + (evidence === null ? slowMs : knownMs) })
    if (evidence === null)
      log.warn({ accountId }, 'alerts are sent without their cause: the database is slow')
  }
  if (evidence === null) return waiting
  const since = new Map(evidence.failing.map(({ id, sinceMs }) => [id, sinceMs]))
  return waiting.map((one) => {
    const shared = isExplained(one) ? sharedCauseOf(one.checkId, evidence) : null
    if (shared === null) return one
    return { ...one, message: withCause(one.message, shared, since.get(one.checkId) ?? shared.sinceMs) }
  })
}

const isExplained = ({ message: { event } }: WaitingMessage): boolean =>
  event === 'alert' || event === 'reminder'

const withCause = (message: AlertMessage, shared: SharedCause, sinceMs: number): AlertMessage => {
  const { content } = message
  const text = `${content.text}\n${causeText(shared, sinceMs)}`
  const facts = [...content.facts, { name: 'Behind', value: factorText(shared.factor) }]
  return { ...message, shared, content: { ...content, text, facts } }
}

/** First alerts with the same named cause are one group; every other message is its own (S-1956). */
export const groupByCause = (waiting: readonly WaitingMessage[]): (readonly WaitingMessage[])[] => {
  const keyed = Map.groupBy(waiting, ({ cause, message }) =>
    message.shared === undefined || message.event !== 'alert' ? cause : factorKey(message.shared.factor),
  )
  return [...keyed.values()]
}
