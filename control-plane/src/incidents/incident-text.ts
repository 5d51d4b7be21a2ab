import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { durationText } from '../status/duration-text.ts'
import { instantText, oneLine } from '../alerts/alert-message.ts'
import type { Failure } from './incident-groups.ts'

/** Checks that an update names; of the rest it says how many. */
const namesMax = 20
const reasonCharactersMax = 200

/** A check that is down no more, as a page publishes it: what it is instead, and why. */
export type Left = { displayName: string; to: CheckStatus; reason: string | null }

/** What an incident is called: by the checks that are down. */
export const titleText = (names: readonly string[]): string => {
  const [first, ...others] = names
  if (first === undefined) throw new Error('an incident is about a check')
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const suffix = `${more} ${others.length === 0 ? 'is' : 'are'} down`
  return `${oneLine(first).slice(0, limits.nameCharactersMax - suffix.length)}${suffix}`
}

/** Title and first update of an incident: what, where, since when, and by what evidence. */
export const openingText = (
  failures: readonly (Failure & { reason: string | null; evidence: string })[],
  options: { wasHeld: boolean } = { wasHeld: false },
): { title: string; body: string } => {
  const [first, ...others] = failures
  if (first === undefined) throw new Error('an incident is about a check')
  return {
    title: titleText(failures.map(({ displayName }) => displayName)),
    body: linesOf([
      oneLine(first.reason ?? ''),
      `Since ${instantText(Math.min(...failures.map(({ downAtMs }) => downAtMs)))}.`,
      first.evidence,
      others.length === 0 ? '' : `Down as well: ${namesText(others)}.`,
      options.wasHeld ? heldText : '',
    ]),
  }
}

/** What is said when others go down by the same cause, and when one does that had been up again. */
export const joiningText = (
  joined: { others: readonly Named[]; again: readonly Named[] },
  options: { wasHeld: boolean },
): string =>
  linesOf([
    joined.others.length === 0 ? '' : `Down as well: ${namesText(joined.others)}.`,
    joined.again.length === 0 ? '' : `Down again: ${namesText(joined.again)}.`,
    options.wasHeld ? heldText : '',
  ])

/** What is said when some of them are down no more, and others are. */
export const leavingText = (left: readonly Left[]): string => {
  const recovered = left.filter(({ to }) => to === 'operational')
  const others = left.filter(({ to }) => to !== 'operational')
  return linesOf([
    recovered.length === 0 ? '' : `Recovered: ${namesText(recovered)}.`,
    others.length === 0 ? '' : `Not down but degraded: ${namesText(others.map(withReason))}.`,
  ])
}

/** What is said when nobody measures any of them any more that was down. */
export const silentText = (silent: readonly Named[]): string =>
  `Not measured now, so that nobody knows whether it is still down: ${namesText(silent)}.`

export const unwatchedText = (gone: readonly Named[]): string =>
  gone.length === 0
    ? 'A check of this incident is not watched any more.'
    : `Not watched any more: ${namesText(gone)}.`

/**
 * What is said when nothing of it is down any more.
 * @param end.left those that were the last; `unwell`: those that had left it before and are not
 *   operational yet
 */
export const resolvingText = (
  startedAtMs: number,
  end: { atMs: number; members: number; left: readonly Left[]; unwell: readonly Named[] },
): string => {
  const { atMs, members, left, unwell } = end
  const duration = durationText(Math.max(0, atMs - startedAtMs))
  if (unwell.length === 0 && left.every(({ to }) => to === 'operational')) {
    const who = members === 1 ? 'Recovered' : `All ${members} have recovered`
    return `${who} after ${duration}, operational since ${instantText(atMs)}.`
  }
  return linesOf([
    `Nothing of it is down any more, ${duration} after it began.`,
    leavingText(left),
    unwell.length === 0 ? '' : `Not operational yet: ${namesText(unwell)}.`,
  ])
}

const heldText = 'Maintenance held this back until now.'

type Named = { displayName: string }

const withReason = ({ displayName, reason }: Left): Named => ({
  displayName:
    reason === null
      ? displayName
      : `${displayName} (${oneLine(reason).slice(0, reasonCharactersMax)})`,
})

const linesOf = (lines: readonly string[]): string => lines.filter((line) => line !== '').join('\n')

const namesText = (named: readonly Named[]): string => {
  const names = named.slice(0, namesMax).map(({ displayName }) => oneLine(displayName))
  const more = named.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
