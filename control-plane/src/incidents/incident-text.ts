import { oneLine } from '@probe-mesh/runtime/one-line'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { durationText } from '../status/duration-text.ts'
import { withoutRegions } from '../status/cause.ts'
import type { Failure } from './incident-groups.ts'

/** Checks that an update names; the rest is counted. */
const namesMax = 20
const reasonCharactersMax = 200

/** A check that is no longer down, as a page publishes it, with its new status and reason. */
export type Left = { displayName: string; to: CheckStatus; reason: string | null }

/** The title of an incident: the checks that are down. */
export const titleText = (names: readonly string[]): string => {
  const [first, ...others] = names
  if (first === undefined) throw new Error('an incident needs a check')
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const suffix = `${more} ${others.length === 0 ? 'is' : 'are'} down`
  return `${oneLine(first).slice(0, limits.nameCharactersMax - suffix.length)}${suffix}`
}

/**
 * Title and first update of an incident: what, where, and the evidence. Its times are fields of the incident.
 */
export const openingText = (
  failures: readonly (Failure & { reason: string | null; evidence: string })[],
  options: { wasHeld: boolean } = { wasHeld: false },
): { title: string; body: string } => {
  const [first, ...others] = failures
  if (first === undefined) throw new Error('an incident needs a check')
  return {
    title: titleText(failures.map(({ displayName }) => displayName)),
    body: linesOf([
      // the evidence says the regions as they are now
      oneLine(first.evidence === '' ? (first.reason ?? '') : withoutRegions(first.reason ?? '')),
      first.evidence,
      others.length === 0 ? '' : `Also down: ${namesText(others)}.`,
      options.wasHeld ? heldText : '',
    ]),
  }
}

/**
 * The update when more checks go down for the same cause, or a recovered one goes down again. It names all
 * that are down now.
 */
export const joiningText = (
  joined: { others: readonly Named[]; again: readonly Named[]; affected: readonly Named[] },
  options: { wasHeld: boolean },
): string =>
  linesOf([
    joined.others.length === 0 ? '' : `Also down: ${namesText(joined.others)}.`,
    joined.again.length === 0 ? '' : `Down again: ${namesText(joined.again)}.`,
    joined.affected.length > joined.others.length + joined.again.length
      ? `Down now: ${namesText(joined.affected)}.`
      : '',
    options.wasHeld ? heldText : '',
  ])

/** The update when some checks are no longer down and others still are. */
export const leavingText = (left: readonly Left[]): string => {
  const recovered = left.filter(({ to }) => to === 'operational')
  const others = left.filter(({ to }) => to !== 'operational')
  return linesOf([
    recovered.length === 0 ? '' : `Recovered: ${namesText(recovered)}.`,
    others.length === 0 ? '' : `No longer down but degraded: ${namesText(others.map(withReason))}.`,
  ])
}

/** The update when checks that were down are no longer measured. */
export const silentText = (silent: readonly Named[]): string =>
  `Not measured now, so it is not known whether the outage continues: ${namesText(silent)}.`

export const unwatchedText = (gone: readonly Named[]): string =>
  gone.length === 0
    ? 'A check of this incident is no longer watched.'
    : `No longer watched: ${namesText(gone)}.`

/**
 * The update that resolves an incident.
 * @param end.left the last checks to leave; `unwell`: checks that left before and are not operational yet
 */
export const resolvingText = (
  startedAtMs: number,
  end: { atMs: number; members: number; left: readonly Left[]; unwell: readonly Named[] },
): string => {
  const { atMs, members, left, unwell } = end
  const duration = durationText(Math.max(0, atMs - startedAtMs))
  if (unwell.length === 0 && left.every(({ to }) => to === 'operational')) {
    const subject = members === 1 ? 'Recovered' : `All ${members} have recovered`
    return `${subject} after ${duration}.`
  }
  return linesOf([
    `No check of this incident is down any more, ${duration} after it began.`,
    leavingText(left),
    unwell.length === 0 ? '' : `Not operational yet: ${namesText(unwell)}.`,
  ])
}

const heldText = 'Maintenance delayed this incident until now.'

type Named = { displayName: string }

const withReason = ({ displayName, reason }: Left): Named => ({
  displayName:
    reason === null ? displayName : `${displayName} (${oneLine(reason).slice(0, reasonCharactersMax)})`,
})

const linesOf = (lines: readonly string[]): string => lines.filter((line) => line !== '').join('\n')

const namesText = (named: readonly Named[]): string => {
  const names = named.slice(0, namesMax).map(({ displayName }) => oneLine(displayName))
  const more = named.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
