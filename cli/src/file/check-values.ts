import { judgeCheck } from '@probe-mesh/contracts/check/check-rules'
import { fieldNames, FileCheckInput, toFileCheck, type FileCheck } from './checks-file.ts'
import { isValid, valueOf, type MapNode, type Node } from './node.ts'
import type { Position } from './position.ts'

/** Reports a problem of a value: `path` in dots and brackets, like the API. */
type ReportValue = (at: number, path: string, message: string) => void

type Checking = { report: ReportValue; place: (at: number) => Position; names: Map<string, number> }

/** Other resources by the keys that users may try; compared without case and separators. */
const unsupported = new Map(
  ['status page', 'component', 'notification channel', 'alert rule'].map((what) => [
    what.replace(' ', ''),
    `${what}s`,
  ]),
)

/**
 * Validates the file against version 1 and the schemas of `POST /checks`.
 * @returns the checks; if there are problems, those without any
 */
export const checkValues = (
  root: Node,
  report: ReportValue,
  place: (at: number) => Position,
): FileCheck[] => {
  if (root.kind === 'invalid') return []
  if (root.kind !== 'map') {
    report(root.at, '', 'must be a map with version and checks')
    return []
  }
  for (const [key, { keyAt }] of root.entries) {
    if (key === 'version' || key === 'checks') continue
    const what = unsupported.get(key.toLowerCase().replaceAll(/[-_ ]/g, '').replace(/s$/, ''))
    const message = `${what} are unsupported: version 1 of the file declares checks only`
    report(keyAt, key, what === undefined ? 'unknown field' : message)
  }
  checkVersion(root, report)
  const checks = root.entries.get('checks')?.value
  if (checks === undefined) {
    if (!root.isPartial) report(root.at, 'checks', 'is missing: add a list of checks, or [] for none')
    return []
  }
  if (checks.kind === 'invalid') return []
  if (checks.kind !== 'list') {
    report(checks.at, 'checks', 'must be a list of checks, or [] for none')
    return []
  }
  const checking = { report, place, names: new Map<string, number>() }
  return checks.items.flatMap((item, index) => checkOne(item, `checks[${index}]`, checking))
}

const checkVersion = (root: MapNode, report: ReportValue): void => {
  const version = root.entries.get('version')?.value
  if (version === undefined) {
    if (!root.isPartial) report(root.at, 'version', 'is missing: add version: 1')
  } else if (version.kind !== 'invalid' && !(version.kind === 'scalar' && version.value === 1)) {
    report(version.at, 'version', 'must be the number 1, the only version')
  }
}

const checkOne = (node: Node, path: string, { report, place, names }: Checking): FileCheck[] => {
  if (node.kind === 'invalid') return []
  if (node.kind !== 'map') {
    report(node.at, path, 'must be a map with the fields of a check')
    return []
  }
  const nameNode = node.entries.get('name')?.value
  if (nameNode?.kind === 'scalar' && typeof nameNode.value === 'string') {
    const first = names.get(nameNode.value)
    if (first === undefined) names.set(nameNode.value, nameNode.at)
    else {
      const { line, column } = place(first)
      const message = `repeats the name of the check at line ${line}, column ${column}: names must be unique`
      report(nameNode.at, `${path}.name`, message)
    }
  }
  const { value, problems } = judgeCheck(FileCheckInput, valueOf(node))
  let isSound = isValid(node)
  for (const { parts, message } of problems) {
    if (!isKnown(node, parts)) continue
    isSound = false
    report(atOf(node, parts), [path, ...parts.map(toText)].join(''), message)
  }
  return isSound && value !== undefined ? [toFileCheck(value)] : []
}

/** Whether a problem is about the value itself, rather than about a part that could not be read. */
const isKnown = (check: MapNode, [field]: readonly PropertyKey[]): boolean => {
  if (field === undefined) return true
  const node = check.entries.get(String(field))?.value
  return node === undefined ? !check.isPartial : isValid(node)
}

const toText = (part: PropertyKey): string => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)

/** Where a problem is shown: at the value, at the key of an unknown field, else at the check. */
export const atOf = (check: MapNode, [field, index]: readonly PropertyKey[]): number => {
  const entry = check.entries.get(String(field))
  if (entry === undefined) return check.at
  if (!fieldNames.some((name) => name === field)) return entry.keyAt
  const item = entry.value.kind === 'list' ? entry.value.items[Number(index)] : undefined
  return (item ?? entry.value).at
}
