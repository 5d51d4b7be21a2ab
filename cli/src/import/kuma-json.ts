import { parseJsonPath } from '@probe-mesh/contracts/check/json-path'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { note, skip } from './draft.ts'
import type { Draft } from './draft.ts'
import { quoted } from './import-note.ts'
import { assertJson } from './json-value.ts'
import type { KumaMonitor } from './kuma-monitor.ts'

/** JSONata's name of a key, with one index at most: two of them would filter, not address. */
const key = String.raw`(?!(?:true|false|null|and|or|in)(?!\w))[A-Za-z_]\w*(?:\[\d{1,9}\])?`
const index = String.raw`\[\d{1,9}\]`
const plain = new RegExp(String.raw`^(?:\$${index}(?:\.${key})*|(?:\$\.)?${key}(?:\.${key})*)$`)

const operators = new Map<string, 'equals' | 'contains'>([
  ['', 'equals'],
  ['==', 'equals'],
  ['contains', 'contains'],
])

/** Asserts a JSON query: of JSONata, plain keys and indexes mean the same here. */
export const assertKumaJson = (draft: Draft, monitor: KumaMonitor): void => {
  const { jsonPath: path, jsonPathOperator, expectedValue: value } = monitor
  const op = operators.get(jsonPathOperator)
  if (op === undefined) {
    return skip(draft, 'jsonPathOperator', `${quoted(jsonPathOperator)} is no operator of a check`)
  }
  if (path.length > limits.jsonPathCharactersMax || !plain.test(path) || !parseJsonPath(path).ok) {
    return skip(draft, 'jsonPath', `${quoted(path)} is more than plain keys and indexes`)
  }
  const problem = assertJson(draft, 'expectedValue', { path, op, value })
  if (problem !== null) return skip(draft, 'expectedValue', problem)
  note(draft, 'jsonPath', 'a list on the way is not searched here: the path needs its index')
}
