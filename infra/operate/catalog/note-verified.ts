import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import type { YAMLMap } from 'yaml'
import type { Finding } from './finding.ts'

type Edit = { from: number; to: number; text: string }

/** The text of a catalog file with what was found written into it, and all else as it was. */
export const noteVerified = (text: string, findings: readonly Finding[]): string => {
  const document = parseDocument(text)
  const edits = findings.flatMap(({ service, index, verified }) => {
    if (verified === undefined) return []
    const node = document.getIn(['services', service, 'probes', index, 'documented'])
    return isMap(node) ? (editOf(text, node, verified) ?? []) : []
  })
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((made, { from, to, text }) => made.slice(0, from) + text + made.slice(to), text)
}

const editOf = (text: string, map: YAMLMap, verified: string | null): Edit | null => {
  const value = verified ?? 'null'
  const held = map.get('verified', true)
  if (isScalar(held) && held.range) return { from: held.range[0], to: held.range[1], text: value }
  const [first, last] = [map.items[0]?.key, map.items.at(-1)?.value]
  const [from, to] = [rangeOf(first)?.[0], rangeOf(last)?.[1]]
  if (from === undefined || to === undefined) return null
  if (map.flow === true) return { from: to, to, text: `, verified: ${value}` }
  const indent = from - (text.lastIndexOf('\n', from) + 1)
  return { from: to, to, text: `\n${' '.repeat(indent)}verified: ${value}` }
}

const rangeOf = (node: unknown) =>
  isScalar(node) || isMap(node) || isSeq(node) ? (node.range ?? undefined) : undefined
