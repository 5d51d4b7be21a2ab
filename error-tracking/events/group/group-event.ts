import { hash } from 'node:crypto'
import type { RawEvent, RawFrame } from '../raw/raw-event.ts'
import { isInApp, stackOf, thrownLast } from '../raw/stack.ts'
import { normalizeMessage } from './normalize-message.ts'
import { normalizeFile, normalizeFunction } from './normalize-frame.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { cutText } from '../raw/cut-text.ts'

/** The identity of an issue and its title. */
export type ErrorGrouping = {
  /** The version of the algorithm. Hashes of different versions are never compared. */
  version: number
  /** SHA-256, 64 lower-case hexadecimal digits. */
  hash: string
  title: string
  /** The blamed function or file; null if unknown. */
  culprit: string | null
}

/** The first line of type and value, or of the message. */
const titleOf = (event: RawEvent): string => {
  const thrown = thrownLast(event)
  const parts = [thrown?.type, thrown?.value ?? event.message].map((text) => firstLine(text ?? ''))
  const title = parts.filter((part) => part !== '').join(': ')
  return cutText(title === '' ? '(no message)' : title, limits.nameCharactersMax)
}

/** The first in-app frame, else the transaction, else the first frame. */
const culpritOf = (event: RawEvent): string | null => {
  const stack = stackOf(event)
  const inApp = stack.find((frame) => isInApp(frame, stack))
  const culprit = (inApp && frameText(inApp)) || event.transaction || (stack[0] && frameText(stack[0]))
  return culprit ? cutText(culprit, limits.nameCharactersMax) : null
}

const frameText = (frame: RawFrame): string => {
  const place = firstLine(frame.module ?? frame.file ?? '')
  const name = firstLine(frame.function ?? '')
  return name === '' || place === '' ? name || place : `${name} (${place})`
}

const firstLine = (text: string): string =>
  text
    .slice(0, 1_000)
    .split(/[\r\n\u2028\u2029]/)
    .map((line) => line.trim())
    .find((line) => line !== '') ?? ''

/** Increment it with every change that gives any event another hash. */
const groupingVersion = 1

/** The most frames in a group, those near the throw, so that recursion depth does not matter. */
const framesMax = 30

/** The placeholder in a fingerprint for the default grouping. */
const byDefault = /^\{\{\s*default\s*\}\}$/

/**
 * Groups a scrubbed event into an issue: by the client's fingerprint, else by the last exception's type and
 * the in-app frames, else by type and value, else by the message. Ignores lines, columns, memory addresses,
 * ids and numbers, which change with every build or run (S-3010).
 */
export const groupEvent = (event: RawEvent): ErrorGrouping => ({
  version: groupingVersion,
  // JSON separates the parts unambiguously
  hash: hash('sha256', JSON.stringify(partsOf(event))),
  title: titleOf(event),
  culprit: culpritOf(event),
})

const partsOf = (event: RawEvent): string[] => {
  const { fingerprint } = event
  if (fingerprint === null || fingerprint.every((part) => byDefault.test(part))) {
    return defaultParts(event)
  }
  return [
    'fingerprint',
    ...fingerprint.flatMap((part) =>
      byDefault.test(part) ? ['default', ...defaultParts(event), 'end'] : ['given', part],
    ),
  ]
}

const defaultParts = (event: RawEvent): string[] => {
  const thrown = thrownLast(event)
  const places = placesOf(stackOf(event))
  if (places.length > 0) return ['frames', thrown?.type ?? '', ...places]
  if (thrown !== undefined && (thrown.type !== null || thrown.value !== null)) {
    return ['exception', thrown.type ?? '', normalizeMessage(thrown.value ?? '')]
  }
  // a template is more precise than a normalized message
  if (event.template !== null) return ['template', normalizeMessage(event.template)]
  return ['message', normalizeMessage(event.message ?? '')]
}

/** The normalized in-app frames. A function that calls itself counts once. */
const placesOf = (frames: readonly RawFrame[]): string[] =>
  frames
    .filter((frame) => isInApp(frame, frames))
    .map(placeOf)
    .filter((place, index, all) => place !== all[index - 1])
    .slice(0, framesMax)

const placeOf = (frame: RawFrame): string =>
  JSON.stringify([frame.module ?? normalizeFile(frame.file ?? ''), normalizeFunction(frame.function ?? '')])
