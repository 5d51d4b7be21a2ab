import { Parser, parseAllDocuments } from 'yaml'

/**
 * What of a YAML text lies outside of our subset, and where: found by the library's tree of the
 * syntax and the errors of its documents, for the tests that hold our own reading against them.
 */
export type Construct = { kind: Kind; at: number }
export type Kind = (typeof marks)[number] | (typeof further)[number]

const marks = ['anchor', 'alias', 'tag', 'directive', 'doc-end'] as const
const further = [
  'block scalar',
  'flow mapping',
  'flow pair',
  'complex key',
  'further document',
  'key twice',
  'tab as indentation',
] as const

/** A token of the library's tree, of which the fields that it may have are looked at. */
type Part = {
  type?: string
  offset?: number
  source?: string
  indent?: number
} & { readonly [K in (typeof children)[number]]?: unknown }

const children = ['start', 'props', 'key', 'sep', 'value', 'items', 'end'] as const

/** @returns the constructs in the order of the text, each with whether a flow mapping holds it */
export const constructsOf = (text: string): (Construct & { isInFlowMapping: boolean })[] => {
  const found: (Construct & { isInFlowMapping: boolean })[] = []
  const scalars: { from: number; until: number }[] = []
  const note = (kind: Kind, at: number | undefined, isInFlowMapping: boolean): void => {
    if (at !== undefined) found.push({ kind, at, isInFlowMapping })
  }
  const visit = (value: unknown, isInside: boolean): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, isInside)
    if (!isPart(value)) return
    const { type, offset, source } = value
    const mark = marks.find((name) => name === type)
    if (mark !== undefined) note(mark, offset, isInside)
    if (source !== undefined && offset !== undefined && type?.endsWith('scalar') === true) {
      const from = type === 'block-scalar' ? (headerOf(value) ?? offset) : offset
      const until =
        type === 'block-scalar' ? text.indexOf('\n', from) + source.length : from + source.length
      scalars.push({ from, until })
      if (type === 'block-scalar') note('block scalar', from, isInside)
    }
    const isMapping = type === 'flow-collection' && firstSource(value.start) === '{'
    if (isMapping) note('flow mapping', offset, isInside)
    for (const item of itemsOf(value)) {
      const signs = [...partsOf(item.start), ...partsOf(item.sep)]
      const at = signs.find(({ type }) => type === 'explicit-key-ind')?.offset
      const colon = signs.find(({ type }) => type === 'map-value-ind')?.offset
      if (type !== 'flow-collection') note('complex key', at, isInside)
      else if (!isMapping) note('flow pair', at ?? colon, isInside)
    }
    for (const child of children) visit(value[child], isInside || isMapping)
  }
  const documents = Array.from(new Parser().parse(text), (token): Part => token)
  visit(documents, false)
  for (const { start } of documents.filter(({ type }) => type === 'document').slice(1)) {
    note('further document', partsOf(start).find(({ type }) => type === 'doc-start')?.offset, false)
  }
  for (const { errors } of [parseAllDocuments(text)].flat()) {
    for (const { code, pos } of errors)
      if (code === 'DUPLICATE_KEY') note('key twice', pos[0], false)
  }
  for (const { index } of text.matchAll(/^ *\t[\t ]*(?=[^\s#])/gm)) {
    const isText = scalars.some(({ from, until }) => from < index && index < until)
    if (!isText) note('tab as indentation', index, false)
  }
  return found.toSorted((one, other) => one.at - other.at)
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isPart) : [])

const itemsOf = ({ items }: Part): Part[] => partsOf(items)

const firstSource = (start: unknown): string | undefined =>
  isPart(start) ? start.source : undefined

const headerOf = ({ props }: Part): number | undefined =>
  partsOf(props).find(({ type }) => type === 'block-scalar-header')?.offset
