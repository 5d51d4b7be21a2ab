import { oneLine } from '@probe-mesh/runtime/one-line'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
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
export const titleText = (words: PublicWords, names: readonly string[]): string => {
  const [first, ...others] = names
  if (first === undefined) throw new Error('an incident needs a check')
  const named = (name: string): string =>
    others.length === 0 ? words.event.down(name) : words.event.manyDown(name, others.length)
  return named(oneLine(first).slice(0, limits.nameCharactersMax - named('').length))
}

/**
 * Title and first update of an incident: what, where, and the evidence. Its times are fields of the incident.
 */
export const openingText = (
  words: PublicWords,
  failures: readonly (Failure & { reason: string | null; evidence: string })[],
  options: { wasHeld: boolean } = { wasHeld: false },
): { title: string; body: string } => {
  const [first, ...others] = failures
  if (first === undefined) throw new Error('an incident needs a check')
  return {
    title: titleText(
      words,
      failures.map(({ displayName }) => displayName),
    ),
    body: linesOf([
      // the evidence says the regions as they are now
      oneLine(first.evidence === '' ? (first.reason ?? '') : withoutRegions(first.reason ?? '')),
      first.evidence,
      others.length === 0 ? '' : words.event.alsoDown(namesText(words, others)),
      options.wasHeld ? words.event.held : '',
    ]),
  }
}

/**
 * The update when more checks go down for the same cause, or a recovered one goes down again. It names all
 * that are down now.
 */
export const joiningText = (
  words: PublicWords,
  joined: { others: readonly Named[]; again: readonly Named[]; affected: readonly Named[] },
  options: { wasHeld: boolean },
): string =>
  linesOf([
    joined.others.length === 0 ? '' : words.event.alsoDown(namesText(words, joined.others)),
    joined.again.length === 0 ? '' : words.event.downAgain(namesText(words, joined.again)),
    joined.affected.length > joined.others.length + joined.again.length
      ? words.event.downNow(namesText(words, joined.affected))
      : '',
    options.wasHeld ? words.event.held : '',
  ])

/** The update when some checks are no longer down and others still are. */
export const leavingText = (words: PublicWords, left: readonly Left[]): string => {
  const recovered = left.filter(({ to }) => to === 'operational')
  const others = left.filter(({ to }) => to !== 'operational')
  return linesOf([
    recovered.length === 0 ? '' : words.event.recovered(namesText(words, recovered)),
    others.length === 0
      ? ''
      : words.event.degraded(
          namesText(
            words,
            others.map((one) => withReason(words, one)),
          ),
        ),
  ])
}

/** The update when checks that were down are no longer measured. */
export const silentText = (words: PublicWords, silent: readonly Named[]): string =>
  words.event.silent(namesText(words, silent))

export const unwatchedText = (words: PublicWords, gone: readonly Named[]): string =>
  words.event.unwatched(gone.length === 0 ? words.event.unpublished : namesText(words, gone))

/**
 * The update that resolves an incident.
 * @param end.left the last checks to leave; `unwell`: checks that left before and are not operational yet
 */
export const resolvingText = (
  words: PublicWords,
  startedAtMs: number,
  end: { atMs: number; members: number; left: readonly Left[]; unwell: readonly Named[] },
): string => {
  const { atMs, members, left, unwell } = end
  const duration = durationText(Math.max(0, atMs - startedAtMs))
  if (unwell.length === 0 && left.every(({ to }) => to === 'operational')) {
    return members === 1
      ? words.event.recoveredAfter(duration)
      : words.event.allRecoveredAfter(duration, members)
  }
  return linesOf([
    words.event.noneDown(duration),
    leavingText(words, left),
    unwell.length === 0 ? '' : words.event.notOperational(namesText(words, unwell)),
  ])
}

type Named = { displayName: string }

const withReason = (words: PublicWords, { displayName, reason }: Left): Named => {
  const shown = oneLine(reasonIn(words, reason ?? '')).slice(0, reasonCharactersMax)
  return { displayName: shown === '' ? displayName : `${displayName} (${shown})` }
}

/** What is measured stays as it is; what we say about it, such as that a check recovers, is in English only. */
const reasonIn = ({ language }: PublicWords, reason: string): string => {
  if (language === 'en') return reason
  return /^(?:\d+ of \d+ regions fail|blocked) \(/.test(reason)
    ? withoutRegions(reason).replace(/; (?:down needs|\d+ of \d+ regions could not vote).*$/, '')
    : ''
}

const linesOf = (lines: readonly string[]): string => lines.filter((line) => line !== '').join('\n')

const namesText = (words: PublicWords, named: readonly Named[]): string => {
  const names = named.slice(0, namesMax).map(({ displayName }) => oneLine(displayName))
  const more = named.length - names.length
  const list = words.headline.list(names)
  return more > 0 ? words.mail.more(list, more) : list
}
