import { limits } from '@probe-mesh/contracts/limits'
import { durationText } from '../status/duration-text.ts'
import { instantText, oneLine } from './alert-message.ts'
import type { Failure } from './incident-groups.ts'

/** Checks that an update names; of the rest it says how many. */
const namesMax = 20

/** Title and first update of an incident: what, where, since when, and by what evidence. */
export const openingText = (
  failures: readonly (Failure & { reason: string | null; evidence: string })[],
): { title: string; body: string } => {
  const [first, ...others] = failures
  if (first === undefined) throw new Error('an incident is about a check')
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const suffix = `${more} ${failures.length === 1 ? 'is' : 'are'} down`
  const name = oneLine(first.displayName).slice(0, limits.nameCharactersMax - suffix.length)
  return {
    title: `${name}${suffix}`,
    body: [
      oneLine(first.reason ?? ''),
      `Since ${instantText(Math.min(...failures.map(({ downAtMs }) => downAtMs)))}.`,
      first.evidence,
      others.length === 0 ? '' : `Down as well: ${namesText(others)}.`,
    ]
      .filter((line) => line !== '')
      .join('\n'),
  }
}

/** What is said when others go down by the same cause. */
export const joiningText = (failures: readonly Pick<Failure, 'displayName'>[]): string =>
  `Down as well: ${namesText(failures)}.`

/** What is said when the last of them has recovered. */
export const resolvingText = (startedAtMs: number, atMs: number, members: number): string =>
  `${members === 1 ? 'Recovered' : `All ${members} have recovered`} after ${durationText(Math.max(0, atMs - startedAtMs))}, operational since ${instantText(atMs)}.`

const namesText = (failures: readonly Pick<Failure, 'displayName'>[]): string => {
  const names = failures.slice(0, namesMax).map(({ displayName }) => oneLine(displayName))
  const more = failures.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
