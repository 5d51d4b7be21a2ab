import { hash } from 'node:crypto'
import type { ErrorGrouping } from '../error-event.ts'
import type { RawEvent, RawFrame } from '../raw-event.ts'
import { isInApp, stackOf, thrownLast } from '../stack.ts'
import { plainMessage } from './plain-message.ts'
import { plainFile, plainFunction } from './plain-frame.ts'
import { culpritOf, titleOf } from './title.ts'

/** Rises with every change that gives any event another hash. */
export const groupingVersion = 1

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
    return ['exception', thrown.type ?? '', plainMessage(thrown.value ?? '')]
  }
  // a template says what its messages have in common better than can be guessed
  if (event.template !== null) return ['template', plainMessage(event.template)]
  return ['message', plainMessage(event.message ?? '')]
}

/** The in-app frames, as far as they stay the same; a function that calls itself counts once. */
const placesOf = (frames: readonly RawFrame[]): string[] =>
  frames
    .filter((frame) => isInApp(frame, frames))
    .map(placeOf)
    .filter((place, index, all) => place !== all[index - 1])
    .slice(0, framesMax)

const placeOf = (frame: RawFrame): string =>
  JSON.stringify([frame.module ?? plainFile(frame.file ?? ''), plainFunction(frame.function ?? '')])
