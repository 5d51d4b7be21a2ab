import { oneLine } from '@probe-mesh/runtime/one-line'
import type { CheckNotes } from '@probe-mesh/contracts/check/check-notes'
import { findNotes } from '../records/check/check-notes-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertMessage } from './alert-message.ts'
import type { WaitingMessage } from './alert-messages-store.ts'

/** Adds the runbook and the owner of a check to its alerts and reminders, as they are when these are sent (S-241). */
export const addNotes = async (
  tx: Transaction,
  waiting: readonly WaitingMessage[],
): Promise<WaitingMessage[]> => {
  const failing = waiting.filter(isAlert)
  if (failing.length === 0) return [...waiting]
  const found = await findNotes(
    tx,
    failing.map(({ checkId }) => checkId),
  )
  return waiting.map((one) => {
    const notes = isAlert(one) ? found.get(one.checkId) : undefined
    return notes === undefined ? one : { ...one, message: withNotes(one.message, notes) }
  })
}

const isAlert = ({ message: { event } }: WaitingMessage): boolean => event === 'alert' || event === 'reminder'

/** Every channel shows a fact of this length whole; a cut link would lead nowhere. */
const factCharactersMax = 120

/** They come after the target: some channels show the first facts only. */
const withNotes = (message: AlertMessage, { runbookUrl, owner }: CheckNotes): AlertMessage => {
  const { content } = message
  const runbook = runbookUrl ?? ''
  const isFact = runbook.length <= factCharactersMax
  const noted = [
    { name: 'Runbook', value: isFact ? runbook : '' },
    { name: 'Owner', value: oneLine(owner?.name ?? '') },
  ].filter(({ value }) => value !== '')
  const place = content.facts.findIndex(({ name }) => name === 'Status')
  const facts = content.facts.toSpliced(Math.max(place, 0), 0, ...noted)
  const text = isFact ? content.text : `${content.text}\nRunbook: ${runbook}`
  return { ...message, content: { ...content, text, facts } }
}
