import type { ErrorDrops, ErrorProject } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, time } from '../../html/measures.ts'
import { dropWords } from './error-words.ts'

export const number = (count: number): string => count.toLocaleString('en-US')

type Counted = Pick<ErrorProject, 'eventsThisMonth' | 'dropped'>

/** All events of a month that were not stored. */
export const droppedOf = ({ dropped }: Pick<Counted, 'dropped'>): number =>
  Object.values(dropped).reduce((sum, count) => sum + count, 0)

/** Stored and dropped together (S-3002): nothing that arrives is in neither. */
export const receivedOf = (counted: Counted): number => counted.eventsThisMonth + droppedOf(counted)

const reasons = Object.keys(dropWords) as (keyof ErrorDrops)[]

/** Drop counters by reason, those that counted nothing left out; says so where none did. */
export const dropsText = ({ dropped }: Pick<Counted, 'dropped'>): Html => {
  const some = reasons.filter((reason) => dropped[reason] > 0)
  if (some.length === 0) return html`none`
  return html`<ul class="plain-list">
    ${some.map((reason) => html`<li>${number(dropped[reason])}: ${dropWords[reason]}</li> `)}
  </ul>`
}

/**
 * What was never heard of is not free of errors: says so where no event ever arrived, or none this
 * month; nothing where some did.
 */
export const silenceText = (
  project: Counted & { createdAt: string; receivedEver: number },
  since: string,
): Html | null => {
  if (project.receivedEver === 0) {
    return html`No event was received since the project was made, ${time(project.createdAt)}: that says
    nothing of errors, only that nobody reported any.`
  }
  if (receivedOf(project) > 0) return null
  return html`No event was received since ${exactTime(since)}: that says nothing of errors, only that nobody
  reported any.`
}
