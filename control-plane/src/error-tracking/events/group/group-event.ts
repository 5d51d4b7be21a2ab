import { hash } from 'node:crypto'
import type { RawEvent, RawFrame } from '../raw/raw-event.ts'
import { isInApp, stackOf, thrownLast } from '../raw/stack.ts'
import { normalizeMessage } from './normalize-message.ts'
import { normalizeFile, normalizeFunction } from './normalize-frame.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { cutText } from '../raw/cut-text.ts'

/** What makes occurrences one issue, and what the issue is called. */
export type ErrorGrouping = {
  /** Of the algorithm: hashes of different versions are never compared. */
  version: number
  /** SHA-256, 64 lower-case hexadecimal digits. */
  hash: string
  title: string
  /** The function or the place that is blamed; null where none is known. */
  culprit: string | null
}

/** What an issue is called: type and value, or the message, one line of it. Pure. */
const titleOf = (event: RawEvent): string => {
  const thrown = thrownLast(event)
  const parts = [thrown?.type, thrown?.value ?? event.message].map((text) => firstLine(text ?? ''))
  const title = parts.filter((part) => part !== '').join(': ')
  return cutText(title === '' ? '(no message)' : title, limits.nameCharactersMax)
}

/** The function that is blamed: where the application's own code threw, else the transaction, else where it was thrown. */
const culpritOf = (event: RawEvent): string | null => {
  const stack = stackOf(event)
  const own = stack.find((frame) => isInApp(frame, stack))
  const culprit = (own && blamed(own)) || event.transaction || (stack[0] && blamed(stack[0]))
  return culprit ? cutText(culprit, limits.nameCharactersMax) : null
}

const blamed = (frame: RawFrame): string => {
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

/** Rises with every change that gives any event another hash. */
const groupingVersion = 1

/** Frames that count: of a deep recursion those near the throw say what it is. */
const framesMax = 30

/** What a client writes into a fingerprint for "and what you would have grouped by". */
const byDefault = /^\{\{\s*default\s*\}\}$/

/**
 * Which issue a scrubbed event belongs to: the client's fingerprint where there is one; else the type
 * that was thrown last with the in-app frames of its stack; else type and value; else the message.
 * Lines, columns, addresses of memory, ids and numbers do not count: they change with every build and
 * every run (S-3010). Pure.
 */
export const groupEvent = (event: RawEvent): ErrorGrouping => ({
  version: groupingVersion,
  // JSON keeps the parts apart, whatever characters are in them
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
  // a template says what its messages have in common better than can be guessed
  if (event.template !== null) return ['template', normalizeMessage(event.template)]
  return ['message', normalizeMessage(event.message ?? '')]
}

/** The in-app frames, as far as they stay the same; a function that calls itself counts once. */
const placesOf = (frames: readonly RawFrame[]): string[] =>
  frames
    .filter((frame) => isInApp(frame, frames))
    .map(placeOf)
    .filter((place, index, all) => place !== all[index - 1])
    .slice(0, framesMax)

const placeOf = (frame: RawFrame): string =>
  JSON.stringify([frame.module ?? normalizeFile(frame.file ?? ''), normalizeFunction(frame.function ?? '')])
