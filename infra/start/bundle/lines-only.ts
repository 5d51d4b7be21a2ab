import { decode, encode } from '@jridgewell/sourcemap-codec'

/** The used part of a source map. */
type SourceMap = { mappings: string; names: string[] }

/**
 * A source map that names files and lines, but no columns and names: Node keeps a decoded map in memory once one
 * stack was printed, and a map of every word of a program takes more than the program.
 * @param text a source map as JSON
 */
export const linesOnly = (text: string): string => {
  const map = JSON.parse(text) as SourceMap
  const lines = decode(map.mappings).map((segments) => {
    let [source, line] = [-1, -1]
    return segments.flatMap((segment): [number, number, number, number][] => {
      if (segment.length === 1 || (segment[1] === source && segment[2] === line)) return []
      ;[, source, line] = segment
      return [[segment[0], source, line, 0]]
    })
  })
  return JSON.stringify({ ...map, names: [], mappings: encode(lines) })
}
