import { fieldNames, FileCheckInput, toFileCheck } from './checks-file.ts'
import type { FileCheck } from './checks-file.ts'
import { isRead, valueOf } from './node.ts'
import type { MapNode, Node } from './node.ts'
import type { Place } from './place.ts'

/** Notes a problem of a value: `path` in dots and brackets, as the API writes it. */
export type SayValue = (at: number, path: string, message: string) => void

type Checking = { say: SayValue; place: (at: number) => Place; names: Map<string, number> }

/** What the API will have, by the keys that people will try; compared without case and separators. */
const unsupported = new Map(
  ['status page', 'component', 'notification channel', 'alert rule'].map((what) => [
    what.replace(' ', ''),
    `${what}s`,
  ]),
)

/**
 * Holds what the file says to version 1 and to the schemas of `POST /checks`.
 * @returns the checks; with problems, those that have none
 */
export const checkValues = (
  root: Node,
  say: SayValue,
  place: (at: number) => Place,
): FileCheck[] => {
  if (root.kind === 'unread') return []
  if (root.kind !== 'map') {
    say(root.at, '', 'must be a map with version and checks')
    return []
  }
  for (const [key, { keyAt }] of root.entries) {
    if (key === 'version' || key === 'checks') continue
    const what = unsupported.get(key.toLowerCase().replaceAll(/[-_ ]/g, '').replace(/s$/, ''))
    const message = `${what} are unsupported: version 1 of the file declares checks only`
    say(keyAt, key, what === undefined ? 'unknown field' : message)
  }
  checkVersion(root, say)
  const checks = root.entries.get('checks')?.value
  if (checks === undefined) {
    if (!root.isPartial) say(root.at, 'checks', 'is missing: a list of checks, [] for none')
    return []
  }
  if (checks.kind === 'unread') return []
  if (checks.kind !== 'list') {
    say(checks.at, 'checks', 'must be a list of checks, [] for none')
    return []
  }
  const checking = { say, place, names: new Map<string, number>() }
  return checks.items.flatMap((item, index) => checkOne(item, `checks[${index}]`, checking))
}

const checkVersion = (root: MapNode, say: SayValue): void => {
  const version = root.entries.get('version')?.value
  if (version === undefined) {
    if (!root.isPartial) say(root.at, 'version', 'is missing: version: 1')
  } else if (version.kind !== 'unread' && !(version.kind === 'scalar' && version.value === 1)) {
    say(version.at, 'version', 'must be the number 1, the only version there is')
  }
}

const checkOne = (node: Node, path: string, { say, place, names }: Checking): FileCheck[] => {
  if (node.kind === 'unread') return []
  if (node.kind !== 'map') {
    say(node.at, path, 'must be a map with the fields of a check')
    return []
  }
  const nameNode = node.entries.get('name')?.value
  if (nameNode?.kind === 'scalar' && typeof nameNode.value === 'string') {
    const first = names.get(nameNode.value)
    if (first === undefined) names.set(nameNode.value, nameNode.at)
    else {
      const { line, column } = place(first)
      const message = `is the name of the check at line ${line}, column ${column}, too: names are unique`
      say(nameNode.at, `${path}.name`, message)
    }
  }
  const parsed = FileCheckInput.safeParse(valueOf(node))
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap(toProblems)),
    ...unstorableTexts(node),
  ]
  let isSound = isRead(node)
  for (const { parts, message } of problems) {
    if (!isKnown(node, parts)) continue
    isSound = false
    say(atOf(node, parts), [path, ...parts.map(toText)].join(''), message)
  }
  return isSound && parsed.success ? [toFileCheck(parsed.data)] : []
}

type ValueProblem = { parts: PropertyKey[]; message: string }
type Issue = NonNullable<ReturnType<typeof FileCheckInput.safeParse>['error']>['issues'][number]

const toProblems = (issue: Issue): ValueProblem[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ parts: [...issue.path, key], message: 'unknown field' }))
    : [{ parts: issue.path, message: issue.message }]

/** "NUL or half of a surrogate pair" can be written as escapes, and the API refuses them. */
const unstorableTexts = ({ entries }: MapNode): ValueProblem[] =>
  fieldNames.flatMap((field) => {
    const node = entries.get(field)?.value
    if (node?.kind !== 'scalar' || typeof node.value !== 'string') return []
    if (node.value.isWellFormed() && !node.value.includes('\u0000')) return []
    return [{ parts: [field], message: 'must not have NUL or half of a surrogate pair' }]
  })

/** Whether a problem is one of what stands there, and not of what could not be read. */
const isKnown = (check: MapNode, [field]: PropertyKey[]): boolean => {
  if (field === undefined) return true
  const node = check.entries.get(String(field))?.value
  return node === undefined ? !check.isPartial : isRead(node)
}

const toText = (part: PropertyKey): string =>
  typeof part === 'number' ? `[${part}]` : `.${String(part)}`

/** Where a problem is shown: at the value, at the key of an unknown field, else at the check. */
const atOf = (check: MapNode, [field, index]: PropertyKey[]): number => {
  const entry = check.entries.get(String(field))
  if (entry === undefined) return check.at
  if (!fieldNames.some((name) => name === field)) return entry.keyAt
  const item = entry.value.kind === 'list' ? entry.value.items[Number(index)] : undefined
  return (item ?? entry.value).at
}
