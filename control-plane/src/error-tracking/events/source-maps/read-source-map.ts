import { FlattenMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type { SourceMapInput } from '@jridgewell/trace-mapping'
import { NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { sourceMapLimits } from '@probe-mesh/contracts/error-tracking/source-map'
import { z } from 'zod'
import { calledName, definesName } from './called-name.ts'
import { createSourceLines } from './source-lines.ts'
import type { SourceLines } from './source-lines.ts'

/**
 * A source's name as a person knows it: without the bundler's scheme and name, and without the way up
 * from wherever the bundle lay. Pure.
 */
export const originalFile = (source: string): string =>
  source
    .replace(/^(?:webpack|turbopack|rspack|rollup|vite|ng|app|file):\/\/[^/]{0,100}\/+/, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.{1,2}\/)+/, '')
    .replace(/\?[^/]*$/, '')

/** Where a place of a built file comes from. */
export type OriginalPlace = {
  file: string
  line: number
  column: number
  /** The function that is called there; null where that is none, or cannot be seen. */
  callee: string | null
  /** The line of source, and some before and after it; null where the map has no sources. */
  source: { line: string; before: string[]; after: string[] } | null
  /** Whether the source defines the function by its name in the bundle, at this line or above. */
  isNamed: boolean
}

/** A source map that was read. */
export type OriginalPlaces = {
  /**
   * Where a place of the built file, from 1, comes from.
   * @param name of the function that it is in, as the bundle has it
   */
  find(line: number, column: number, name: string | null): OriginalPlace | null
}

/**
 * Bounds of a map that is read: what a hostile one costs is memory and time of the process that reads
 * it. A bundle of 5 MB has about a million segments.
 */
export const sourceMapBounds = {
  unpackedBytesMax: sourceMapLimits.mapUnpackedBytesMax,
  segmentsMax: 1_500_000,
  sourcesMax: 50_000,
  namesMax: 1_000_000,
  placeCharactersMax: 2_000,
  sectionsMax: 10_000,
} as const

const linesAroundMax = 3
const callCharactersMax = 400
const functionCharactersMax = 50_000
/** What a decoded segment, or a line without any, takes in memory, about. */
const segmentBytes = 100

const { sourcesMax, namesMax, placeCharactersMax, sectionsMax } = sourceMapBounds
const place = z.string().max(placeCharactersMax)
const PlainMap = z.object({
  version: z.literal(3),
  sourceRoot: place.nullish(),
  sources: z.array(place.nullable()).max(sourcesMax),
  sourcesContent: z.array(z.string().nullable()).max(sourcesMax).nullish(),
  names: z.array(z.string()).max(namesMax).default([]),
  mappings: z.string(),
})
const offset = z
  .int()
  .min(0)
  .max(2 ** 31)
const IndexedMap = z.object({
  version: z.literal(3),
  sections: z
    .array(z.object({ offset: z.object({ line: offset, column: offset }), map: PlainMap }))
    .max(sectionsMax),
})

type ParsedMap = {
  map: z.infer<typeof PlainMap> | z.infer<typeof IndexedMap>
  /** What it takes in memory once it is read, about. */
  bytes: number
}

/** The JSON of a source map of version 3, within bounds, or what is wrong with it. Never throws. */
export const parseSourceMap = (json: string): ParsedMap | { problem: string } => {
  let value: unknown
  try {
    // a guard against being run as a script, which the format allows
    value = parseForeignJson(json.replace(/^\)\]\}'[^\n]{0,100}\n/, ''))
  } catch (error) {
    return { problem: error instanceof NestedTooDeep ? error.message : 'not JSON' }
  }
  const isIndexed = typeof value === 'object' && value !== null && 'sections' in value
  const parsed = (isIndexed ? IndexedMap : PlainMap).safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `not a source map of version 3: ${issue?.path.join('.')} ${issue?.message}` }
  }
  const map = parsed.data
  const plain = 'sections' in map ? map.sections.map((section) => section.map) : [map]
  const segments = plain.reduce((sum, { mappings }) => sum + segmentsOf(mappings), linesBefore(map))
  if (segments > sourceMapBounds.segmentsMax) {
    return { problem: `more than ${sourceMapBounds.segmentsMax} places` }
  }
  return { map, bytes: json.length * 2 + segments * segmentBytes }
}

/** A source map ready to be asked, and about how much memory it takes; or what is wrong with it. */
export const readSourceMap = (
  json: string,
): { places: OriginalPlaces; bytes: number } | { problem: string } => {
  const parsed = parseSourceMap(json)
  if ('problem' in parsed) return parsed
  const { map } = parsed
  try {
    // their types differ in what may be undefined only
    const input = map as SourceMapInput
    const traced = 'sections' in map ? new FlattenMap(input) : new TraceMap(input)
    // decodes it: a broken one is known for one here
    traceSegment(traced, 0, 0)
    const linesOf = sourcesOf(traced)
    const find: OriginalPlaces['find'] = (line, column, name) =>
      findPlace(traced, linesOf, { line, column, name })
    return { places: { find }, bytes: parsed.bytes }
  } catch {
    return { problem: 'its mappings are invalid' }
  }
}

/** Lines before the last section: each is made when the sections are put together, empty ones too. */
const linesBefore = (map: ParsedMap['map']): number =>
  'sections' in map ? Math.max(0, ...map.sections.map((section) => section.offset.line)) : 0

const segmentsOf = (mappings: string): number => {
  let segments = 1
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at)
    if (code === 0x2c || code === 0x3b) segments++
  }
  return segments
}

const findPlace = (
  map: TraceMap,
  linesOf: (source: number) => { text: string; lines: SourceLines } | null,
  at: { line: number; column: number; name: string | null },
): OriginalPlace | null => {
  const segment = traceSegment(map, at.line - 1, Math.max(0, at.column - 1))
  if (segment === null || segment.length === 1) return null
  const [, source, lineIndex, columnIndex, name] = segment
  // a source without a name is the bundler's own
  const isNamed = (map.sources[source] ?? null) !== null
  const file = isNamed ? map.resolvedSources[source] : undefined
  if (file === undefined) return null
  const line = lineIndex + 1
  const written = linesOf(source)
  const start = written?.lines.startOf(line) ?? null
  const named = name === undefined ? null : (map.names[name] ?? null)
  const called =
    written === null || start === null ? named : calledName(callAt(written.text, start + columnIndex))
  const around = written?.lines.around(line, linesAroundMax) ?? null
  return {
    file: originalFile(file),
    line,
    column: columnIndex + 1,
    callee: called === null ? null : copied(called),
    source: around && {
      line: copied(around.line),
      before: around.before.map(copied),
      after: around.after.map(copied),
    },
    isNamed:
      at.name !== null &&
      written !== null &&
      start !== null &&
      definesName(textBefore(written.text, start), at.name),
  }
}

/** A part of a text may keep the whole of it in memory; a copy does not. */
const copied = (text: string): string => Buffer.from(text).toString()

/** Sources are split when a place in them is asked for. */
const sourcesOf = (map: TraceMap) => {
  const known = new Map<number, { text: string; lines: SourceLines }>()
  return (source: number) => {
    const text = map.sourcesContent?.[source] ?? null
    if (text === null) return null
    const written = known.get(source) ?? { text, lines: createSourceLines(text) }
    known.set(source, written)
    return written
  }
}

/** A call may go on over lines: `cart` and in the next one `.pay(`. */
const callAt = (text: string, at: number): string =>
  text.slice(at, at + callCharactersMax).replaceAll(/[ \t]*\r?\n[ \t]*(?=\??\.)/g, '')

/** A line and what comes before it, as far as a function may reach. */
const textBefore = (text: string, start: number): string => {
  const end = text.indexOf('\n', start)
  return text.slice(Math.max(0, start - functionCharactersMax), end === -1 ? text.length : end)
}
