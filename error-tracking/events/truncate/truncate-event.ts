import type { RawEvent, RawException, RawFrame } from '../raw/raw-event.ts'
import { truncateText, truncateValue, type Room } from './truncate-value.ts'

/** Limits of free data: context, breadcrumbs, variables. About twice the stored size. */
export const freeCharactersMax = 128 * 1024
export const freeValuesMax = 6_000
/** Limits of structured data: messages, stacks, tags, fingerprints. */
export const structuredCharactersMax = 128 * 1024
const structuredValuesMax = 6_000
export const tagsMax = 100
/** Stored breadcrumbs, the newest ones. SDKs send the oldest first. */
export const breadcrumbsMax = 100

/** The priority of free data. */
const order = ['user', 'request', 'contexts', 'sdk', 'breadcrumbs', 'extra']

/**
 * Truncates an event in depth, entries, values and characters, so that a large event costs the scrubber no
 * more than others. Each cut is marked in place, and `truncated` names its part. Typical events stay
 * unchanged (S-3009).
 */
export const truncateEvent = (raw: RawEvent): RawEvent => {
  const structured: Room = { characters: structuredCharactersMax, values: structuredValuesMax, isCut: false }
  const free: Room = { characters: freeCharactersMax, values: freeValuesMax, isCut: false }
  const truncated = new Set(raw.truncated)
  /** Adds the part to `truncated` after a cut. */
  const tracked = <T>(name: string, room: Room, cut: () => T): T => {
    room.isCut = false
    const result = cut()
    if (room.isCut) truncated.add(name)
    return result
  }
  const text = (name: string, value: string | null): string | null =>
    value === null ? null : tracked(name, structured, () => truncateText(value, structured))
  /** Each part gets at most half of the remaining room, so that later parts get some. */
  const part = (name: string, value: unknown): unknown => {
    const own: Room = { ...halfOf(free), isCut: false }
    const given = { ...own }
    const kept = tracked(name, own, () => truncateValue(value, own))
    free.characters -= given.characters - own.characters
    free.values -= given.values - own.values
    return kept
  }

  const message = text('message', raw.message)
  const template = text('message', raw.template)
  const withStack = raw.exceptions.findLast(({ frames }) => frames.length > 0)
  const frameOf = (frame: RawFrame): RawFrame => ({
    ...frame,
    file: text('stack', frame.file),
    module: text('stack', frame.module),
    function: text('stack', frame.function),
    source: text('source', frame.source),
  })
  const exceptionOf = (exception: RawException): RawException => ({
    ...(exception.handled === undefined ? {} : { handled: exception.handled }),
    type: text('exception', exception.type),
    value: text('exception', exception.value),
    module: text('exception', exception.module),
    // only the main stack is used, as in `stackOf`
    frames: exception === withStack ? exception.frames.map(frameOf) : [],
  })
  // from the last exception, which is the most important one
  const exceptions = raw.exceptions.toReversed().map(exceptionOf).toReversed()
  const labels = {
    platform: text('platform', raw.platform) ?? raw.platform,
    release: text('release', raw.release),
    environment: text('environment', raw.environment),
    transaction: text('transaction', raw.transaction),
  }
  const frames = withStack === undefined ? raw.frames.map(frameOf) : []
  const fingerprint = raw.fingerprint?.map((line) => text('fingerprint', line) ?? '') ?? raw.fingerprint
  const tags = Object.entries(raw.tags)
  if (tags.length > tagsMax) truncated.add('tags')
  const keptTags = tags
    .slice(0, tagsMax)
    .map(([key, value]) => [text('tags', key) ?? '', text('tags', value) ?? ''] as const)
  const context: Record<string, unknown> = {}
  const names = Object.keys(raw.context)
  for (const name of [...names.filter((one) => !order.includes(one)), ...order]) {
    if (!Object.hasOwn(raw.context, name)) continue
    const value = raw.context[name]
    const isLong = name === 'breadcrumbs' && Array.isArray(value) && value.length > breadcrumbsMax
    // one more than stored, so that `keptContext` sees the cut
    context[name] = part(name, isLong ? (value as unknown[]).slice(-breadcrumbsMax - 1) : value)
    if (isLong) truncated.add(name)
  }
  const withVariables = (some: readonly RawFrame[]): RawFrame[] =>
    some.map((frame) =>
      frame.variables === null ? frame : { ...frame, variables: part('variables', frame.variables) },
    )
  return {
    ...raw,
    ...labels,
    message,
    template,
    exceptions: exceptions.map((one) => ({ ...one, frames: withVariables(one.frames) })),
    frames: withVariables(frames),
    fingerprint,
    tags: Object.fromEntries(keptTags),
    context,
    truncated: [...truncated],
  }
}

const halfOf = ({ characters, values }: Room): Pick<Room, 'characters' | 'values'> => ({
  characters: Math.ceil(characters / 2),
  values: Math.ceil(values / 2),
})
