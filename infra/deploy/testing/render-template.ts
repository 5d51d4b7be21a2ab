import { parse, stringify } from 'yaml'

/**
 * Renders the part of Helm's template language that our chart uses: fields, variables, pipelines, `if`, `else`,
 * `with`, `range`, `define` and `include`. Anything else is an error. It replaces `helm template` in fast tests;
 * helm-run.test.ts compares both.
 */
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; pipeline: string }
  | { kind: 'assign'; name: string; pipeline: string }
  | { kind: 'if' | 'with'; pipeline: string; body: Node[]; otherwise: Node[] }
  | { kind: 'range'; key: string; value: string; pipeline: string; body: Node[] }
type Scope = { dot: unknown; variables: Map<string, unknown> }
export type Templates = Map<string, Node[]>

/** Parses a file: adds its definitions to `templates` and returns the rest. */
export const readTemplate = (text: string, templates: Templates): Node[] => {
  const tokens = text
    .replaceAll(/\s*\{\{-/g, '{{')
    .replaceAll(/-\}\}\s*/g, '}}')
    .split(/(\{\{[\s\S]*?\}\})/)
  const root: Node[] = []
  const open: { body: Node[]; defines: string | null }[] = [{ body: root, defines: null }]
  const push = (node: Node) => open.at(-1)?.body.push(node)
  const begin = (body: Node[], defines: string | null = null) => void open.push({ body, defines })
  for (const token of tokens) {
    const action = /^\{\{([\s\S]*)\}\}$/.exec(token)?.[1]?.trim()
    if (action === undefined) {
      if (token !== '') push({ kind: 'text', text: token })
      continue
    }
    if (action.startsWith('/*')) continue
    const [word = ''] = action.split(/\s/)
    const rest = action.slice(word.length).trim()
    if (word === 'define') begin([], JSON.parse(rest) as string)
    else if (word === 'if' || word === 'with') {
      const body: Node[] = []
      push({ kind: word, pipeline: rest, body, otherwise: [] })
      begin(body)
    } else if (action === 'else') {
      open.pop()
      const last = open.at(-1)?.body.at(-1)
      if (last?.kind !== 'if' && last?.kind !== 'with') throw new Error('unexpected else')
      begin(last.otherwise)
    } else if (word === 'range') {
      const [, key, value, pipeline] = /^\$(\w+), \$(\w+) := (.*)$/.exec(rest) ?? []
      if (key === undefined || value === undefined || pipeline === undefined) throw new Error(token)
      const body: Node[] = []
      push({ kind: 'range', key, value, pipeline, body })
      begin(body)
    } else if (word === 'end') {
      const closed = open.pop()
      if (closed === undefined || open.length === 0) throw new Error('unexpected end')
      if (closed.defines !== null) templates.set(closed.defines, closed.body)
    } else {
      const [, name, pipeline] = /^\$(\w+) := ([\s\S]*)$/.exec(action) ?? []
      push(
        name === undefined || pipeline === undefined
          ? { kind: 'value', pipeline: action }
          : { kind: 'assign', name, pipeline },
      )
    }
  }
  if (open.length !== 1) throw new Error('missing end')
  return root
}

export const render = (nodes: readonly Node[], templates: Templates, dot: unknown): string =>
  // "$" is the dot of the beginning
  renderIn(nodes, templates, { dot, variables: new Map([['', dot]]) })

const renderIn = (nodes: readonly Node[], templates: Templates, scope: Scope): string =>
  nodes.map((node) => renderOne(node, templates, scope)).join('')

const renderOne = (node: Node, templates: Templates, scope: Scope): string => {
  if (node.kind === 'text') return node.text
  const value = evaluate(node.pipeline, templates, scope)
  switch (node.kind) {
    case 'value':
      if (value === undefined) throw new Error(`there is no ${node.pipeline}`)
      return String(value)
    case 'assign':
      scope.variables.set(node.name, value)
      return ''
    case 'if':
      return renderIn(isTrue(value) ? node.body : node.otherwise, templates, scope)
    case 'with':
      return isTrue(value)
        ? renderIn(node.body, templates, { ...scope, dot: value })
        : renderIn(node.otherwise, templates, scope)
    case 'range':
      return (Array.isArray(value) ? Object.entries(value) : sorted(Object(value)))
        .map(([key, one]) => {
          const variables = new Map([...scope.variables, [node.key, key], [node.value, one]])
          return renderIn(node.body, templates, { dot: one, variables })
        })
        .join('')
  }
}

/** The members of a map in Go's order. */
const sorted = (map: object): [string, unknown][] =>
  Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))

const isTrue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : Boolean(value)

const evaluate = (pipeline: string, templates: Templates, scope: Scope): unknown => {
  let last: { value: unknown } | null = null
  for (const command of split(pipeline, '|')) {
    const [head = '', ...words] = split(command, ' ')
    const given = words.map((word) => operand(word, templates, scope))
    const all: unknown[] = last === null ? given : [...given, last.value]
    last = { value: call(head, all, templates, scope) }
  }
  return last?.value
}

const call = (name: string, given: unknown[], templates: Templates, scope: Scope): unknown => {
  const [first, second] = given
  switch (name) {
    case 'include': {
      const body = templates.get(String(first))
      if (body === undefined) throw new Error(`there is no template ${String(first)}`)
      return render(body, templates, second)
    }
    case 'dict':
      return Object.fromEntries(
        given.flatMap((key, at) => (at % 2 === 0 ? [[String(key), given[at + 1]]] : [])),
      )
    case 'nindent':
      return `\n${String(second)
        .trimEnd()
        .split('\n')
        .map((line) => (line === '' ? '' : ' '.repeat(Number(first)) + line))
        .join('\n')}`
    case 'quote':
      return JSON.stringify(String(first))
    case 'toYaml':
      return stringify(first)
    case 'join':
      return (second as unknown[]).join(String(first))
    case 'hasKey':
      return Object.hasOwn(Object(first), String(second))
    case 'fail':
      throw new Error(String(first))
    case 'default':
      return isTrue(second) ? second : first
    case 'list':
      return given
    case 'index':
      return Object(first)[String(second)]
    case 'set':
      Object(first)[String(second)] = given[2]
      return first
    case 'eq':
      return first === second
    case 'and':
      return isTrue(first) ? second : first
    case 'toJson':
      return JSON.stringify(first)
    case 'fromYamlArray':
      return parse(String(first))
    case 'trimSuffix':
      return String(second).endsWith(String(first)) ? String(second).slice(0, -String(first).length) : second
    case '.Files.Get':
      return (operand('.Files.Get', templates, scope) as (name: string) => string)(String(first))
    case 'not':
      return !isTrue(first)
    case 'ternary':
      return given[2] === true ? first : second
    case 'trimPrefix':
      return String(second).startsWith(String(first)) ? String(second).slice(String(first).length) : second
    default:
      if (given.length > 0) throw new Error(`there is no function ${name}`)
      return operand(name, templates, scope)
  }
}

const operand = (word: string, templates: Templates, scope: Scope): unknown => {
  if (word.startsWith('"')) return JSON.parse(word)
  if (/^\d+$/.test(word)) return Number(word)
  if (word === 'true') return true
  const inner = word.startsWith('(') ? word.slice(1, word.lastIndexOf(')')) : null
  const [base = '', ...path] = (inner === null ? word : word.slice(inner.length + 2)).split('.')
  if (!/^(\$\w*)?$/.test(base)) throw new Error(`unknown word: ${word}`)
  const outer = base === '' ? scope.dot : scope.variables.get(base.slice(1))
  const from = inner === null ? outer : evaluate(inner, templates, scope)
  return path.filter((name) => name !== '').reduce<unknown>((value, name) => Object(value)[name], from)
}

/** Splits at a separator outside of strings and parentheses. */
const split = (text: string, separator: string): string[] => {
  const parts = ['']
  let depth = 0
  let quoted = false
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === '(') depth++
    if (!quoted && character === ')') depth--
    if (character === separator && depth === 0 && !quoted) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
