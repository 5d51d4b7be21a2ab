import type { RawException, RawFrame } from '../raw/raw-event.ts'
import { noDebugIds, type DebugIds } from './read-debug-ids.ts'
import { isRecord, own, type JsonRecord } from '../raw/record.ts'
import { textOf } from './read-fields.ts'

/** Frames of one stack. An endless recursion has thousands. */
const framesMax = 250
/** Frames that keep the lines around their source, from the throwing one on. */
const aroundFramesMax = 5
const linesAroundMax = 3
/** Longer lines are of built code. */
const lineCharactersMax = 300
/** As a line of a key has it: the scrubber may not see where the key begins. */
const encoded = /[\w+/=]{48}/

export const readException = (exception: JsonRecord, debugIds: DebugIds = noDebugIds): RawException => ({
  type: text(exception, 'type'),
  value: text(exception, 'value') ?? json(own(exception, 'value')),
  module: text(exception, 'module'),
  ...handledOf(own(exception, 'mechanism')),
  frames: readFrames(own(exception, 'stacktrace'), debugIds) ?? [],
})

const handledOf = (mechanism: unknown): Pick<RawException, 'handled'> => {
  const handled = isRecord(mechanism) ? own(mechanism, 'handled') : undefined
  return typeof handled === 'boolean' ? { handled } : {}
}

/**
 * The frames of a stack, the throwing one first; SDKs send it last. A stack that is too long keeps both ends.
 * undefined for an invalid stack.
 */
export const readFrames = (stack: unknown, debugIds: DebugIds = noDebugIds): RawFrame[] | undefined => {
  const frames = isRecord(stack) ? own(stack, 'frames') : stack
  if (!Array.isArray(frames)) return undefined
  const sent = (frames as unknown[]).filter(isRecord)
  const kept =
    sent.length <= framesMax ? sent : [...sent.slice(0, framesMax / 2), ...sent.slice(-framesMax / 2)]
  let left = aroundFramesMax
  return kept.toReversed().map((frame): RawFrame => {
    const read = readFrame(frame, debugIds)
    if (left === 0 || read.source === null || read.inApp === false) return read
    left--
    return { ...read, ...aroundOf(frame) }
  })
}

const readFrame = (frame: JsonRecord, debugIds: DebugIds): RawFrame => {
  const inApp = own(frame, 'in_app')
  return {
    file: text(frame, 'filename') ?? text(frame, 'abs_path'),
    module: text(frame, 'module'),
    function: text(frame, 'function'),
    line: place(frame, 'lineno'),
    column: place(frame, 'colno'),
    inApp: typeof inApp === 'boolean' ? inApp : null,
    source: text(frame, 'context_line'),
    variables: own(frame, 'vars') ?? null,
    debugId:
      debugIds.get(text(frame, 'abs_path') ?? '') ?? debugIds.get(text(frame, 'filename') ?? '') ?? null,
  }
}

/** The nearest lines around the source, whole: a part of a line can hide a secret from the scrubber. */
const aroundOf = (frame: JsonRecord): Pick<RawFrame, 'around'> => {
  const linesIn = (key: string, from: number, to?: number): (string | undefined)[] => {
    const lines = own(frame, key)
    return Array.isArray(lines) ? (lines as unknown[]).slice(from, to).map(textOf) : []
  }
  const isShort = (line: string | undefined): line is string =>
    line !== undefined && line.length <= lineCharactersMax && !line.includes('\n') && !encoded.test(line)
  const before = linesIn('pre_context', -linesAroundMax)
  const after = linesIn('post_context', 0, linesAroundMax)
  if (before.length + after.length === 0) return {}
  return before.every(isShort) && after.every(isShort) ? { around: { before, after } } : {}
}

const text = (record: JsonRecord, key: string): string | null => {
  const value = textOf(own(record, key))
  return value === undefined || value === '' ? null : value
}

/** A value of another type as JSON, because some SDKs send thrown values unchanged. */
const json = (value: unknown): string | null => {
  if (value === undefined || value === null || typeof value === 'string') return null
  try {
    return textOf(JSON.stringify(value)) ?? null
  } catch {
    return null // nested too deep
  }
}

/** A line or a column, limited to the 32 bits of the databases. */
const place = (record: JsonRecord, key: string): number | null => {
  const value = Number(textOf(own(record, key)) ?? Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31 ? value : null
}
