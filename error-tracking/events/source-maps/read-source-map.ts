import { FlattenMap, TraceMap, traceSegment, type SourceMapInput } from '@jridgewell/trace-mapping'
import { NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { sourceMapLimits } from '../../contracts/source-map.ts'
import { z } from 'zod'
import { calledName, definesName } from './called-name.ts'
import { createSourceLines, type SourceLines } from './source-lines.ts'

/**
 * A source's path without the bundler's scheme and name, and without leading `../`.
 */
export const originalFile = (source: string): string => {
  const file = source
    .replace(/^(?:webpack|turbopack|rspack|rollup|vite|ng|app|file):\/\/[^/]{0,100}\/+/, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.{1,2}\/)+/, '')
  const query = file.indexOf('?', file.lastIndexOf('/'))
  return query === -1 ? file : file.slice(0, query)
}

/** The original place of a position in a built file. */
export type OriginalPlace = {
  file: string
  line: number
  column: number
  /** The function that is called there; null if unknown. */
  callee: string | null
  /** The source line with lines before and after; null if the map has no sources. */
  source: { line: string; before: string[]; after: string[] } | null
  /** Whether the source defines the function by its name in the bundle, at this line or above. */
  isNamed: boolean
}

/** A parsed source map. */
export type OriginalPlaces = {
  /**
   * The original place of a position, counted from 1, in the built file.
   * @param name of the surrounding function in the bundle
   */
  find(line: number, column: number, name: string | null): OriginalPlace | null
}

/**
 * Limits of a map, because a hostile one costs memory and time. A bundle of 5 MB has about a million
 * segments.
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
/** The approximate memory of a decoded segment, or of a line without segments. */
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
  /** The approximate memory of the parsed map. */
  bytes: number
}

/**
 * Parses the JSON of a source map of version 3, within limits. @returns the map or its problem. Never throws.
 */
export const parseSourceMap = (json: string): ParsedMap | { problem: string } => {
  let value: unknown
  try {
    // the format allows this prefix against execution as a script
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
    return { problem: `more than ${sourceMapBounds.segmentsMax} mappings` }
  }
  return { map, bytes: json.length * 2 + segments * segmentBytes }
}

/** @returns a source map for lookups and its approximate memory, or its problem */
export const readSourceMap = (
  json: string,
): { places: OriginalPlaces; bytes: number } | { problem: string } => {
  const parsed = parseSourceMap(json)
  if ('problem' in parsed) return parsed
  const { map } = parsed
  try {
    // the types differ only in optional fields
    const input = map as SourceMapInput
    const traced = 'sections' in map ? new FlattenMap(input) : new TraceMap(input)
    // decodes the map, so that a broken one throws here
    traceSegment(traced, 0, 0)
    const linesOf = sourcesOf(traced)
    const find: OriginalPlaces['find'] = (line, column, name) =>
      findPlace(traced, linesOf, { line, column, name })
    return { places: { find }, bytes: parsed.bytes }
  } catch {
    return { problem: 'its mappings are invalid' }
  }
}

/** Lines before the last section. Joining sections allocates each line, including empty ones. */
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
  // a source without a name belongs to the bundler
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

/** Copies text, because a substring can keep the whole text in memory. */
const copied = (text: string): string => Buffer.from(text).toString()

/** Splits sources into lines at their first use. */
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

/** Joins a call that continues on the next line with `.pay(`. */
const callAt = (text: string, at: number): string =>
  // bounded: by the slice
  text.slice(at, at + callCharactersMax).replaceAll(/[ \t]*\r?\n[ \t]*(?=\??\.)/g, '')

/** A line and the text before it, within the longest supported function. */
const textBefore = (text: string, start: number): string => {
  const end = text.indexOf('\n', start)
  return text.slice(Math.max(0, start - functionCharactersMax), end === -1 ? text.length : end)
}
