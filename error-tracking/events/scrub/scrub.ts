import type { RawEvent, RawException, RawFrame } from '../raw/raw-event.ts'
import { isRecord } from '../raw/record.ts'
import type { TextRules } from './scrub-text.ts'
import { nodesMax, scrubValue, type NodesLeft } from './scrub-value.ts'
import { normalizeName } from './secret-name.ts'

/** A project's scrub settings. Passwords, tokens, keys and cards are always removed. */
export type ScrubRules = {
  /** Additional secret names. Case and separators between words are ignored. */
  names: readonly string[]
  /** Whether e-mail and IP addresses stay. */
  keepAddresses: boolean
}

export const defaultScrubRules: ScrubRules = { names: [], keepAddresses: false }

/**
 * Removes secrets by name and by form from an event: in texts, names, URLs, headers, bodies and variables,
 * also encoded or nested. `removedMark` replaces each one. Scrubbing again changes nothing. Values beyond
 * `depthMax` and `nodesMax` are replaced by a mark.
 */
export const scrubEvent = (event: RawEvent, rules: ScrubRules): RawEvent => {
  const extraNames = new Set(rules.names.map(normalizeName).filter((name) => name !== ''))
  const scrubber = scrubberOf({ extraNames, keepAddresses: rules.keepAddresses })
  // a release can look like an address, and is not personal data
  const label = scrubberOf({ extraNames, keepAddresses: true })
  const { text, value } = scrubber
  return {
    ...event,
    level: text(event.level),
    platform: text(event.platform),
    release: label.text(event.release),
    environment: label.text(event.environment),
    transaction: text(event.transaction),
    message: text(event.message),
    template: text(event.template),
    exceptions: event.exceptions.map((each) => scrubException(each, scrubber)),
    frames: event.frames.map((each) => scrubFrame(each, scrubber)),
    fingerprint: event.fingerprint?.map((part) => text(part)) ?? null,
    tags: textsOf(value(event.tags)),
    context: recordOf(value(event.context)),
    unreadable: event.unreadable.map((name) => text(name)),
  }
}

type Scrubber = {
  text<T extends string | null>(text: T): T extends string ? string : string | null
  value(value: unknown): unknown
}

const scrubberOf = (given: TextRules): Scrubber => {
  const rules: TextRules = { ...given, changed: new Map() }
  const left: NodesLeft = { nodes: nodesMax }
  return {
    // JSON in a text is scrubbed as JSON, and the result is a text again
    text: ((text: string | null) =>
      text === null ? null : String(scrubValue(text, rules, left))) as Scrubber['text'],
    value: (value) => scrubValue(value, rules, left),
  }
}

const scrubException = (exception: RawException, scrubber: Scrubber): RawException => ({
  ...(exception.handled === undefined ? {} : { handled: exception.handled }),
  type: scrubber.text(exception.type),
  value: scrubber.text(exception.value),
  module: scrubber.text(exception.module),
  frames: exception.frames.map((each) => scrubFrame(each, scrubber)),
})

const scrubFrame = ({ around, ...frame }: RawFrame, { text, value }: Scrubber): RawFrame => ({
  ...frame,
  file: text(frame.file),
  module: text(frame.module),
  function: text(frame.function),
  ...scrubSource(frame.source, around, text),
  variables: value(frame.variables),
})

/**
 * Lines are scrubbed together and each, because a secret can span lines. Where lines are lost, only the
 * source stays.
 */
const scrubSource = (
  source: string | null,
  around: RawFrame['around'],
  text: Scrubber['text'],
): Pick<RawFrame, 'source' | 'around'> => {
  if (source === null || around === undefined) return { source: text(source) }
  const { before, after } = around
  const lines = [...before, source, ...after]
  // together first: a part of a secret is not recognised
  const together = text(lines.join('\n')).split('\n')
  if (together.length !== lines.length) return { source: text(source) }
  const scrubbed = together.map((line) => text(line))
  return {
    source: scrubbed[before.length] ?? '',
    around: { before: scrubbed.slice(0, before.length), after: scrubbed.slice(before.length + 1) },
  }
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {})

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(recordOf(value)).map(([key, text]) => [key, String(text)]))
