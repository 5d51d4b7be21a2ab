import { NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { Lexer, parseDocument } from 'yaml'

/** An object of a document; its members are looked at where they are used. */
export type Node = Readonly<Record<string, unknown>>

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null

/** Aliases of YAML that repeat a part make a small text large. */
const aliasesMax = 100
const refsMax = 16
const nestingMax = 100

/** A document in JSON or YAML, or why it is none. */
export const parseOpenApi = (text: string): { document: Node; isSwagger2?: true } | { problem: string } => {
  const value = /^\s*[{[]/.test(text) ? jsonOf(text) : yamlOf(text)
  if (typeof value === 'string') return { problem: value }
  const document = nodeOf(value)
  const version = String(document['openapi'] ?? '')
  if (/^3\.[01](?:\.|$)/.test(version)) return { document }
  if (/^2\.0$|^2$/.test(String(document['swagger'] ?? ''))) return { document, isSwagger2: true }
  if (document['swagger'] !== undefined)
    return { problem: `The document is Swagger ${String(document['swagger']).slice(0, 20)}; 2.0 is read.` }
  return version === ''
    ? { problem: 'The text is not an OpenAPI document: it has no field "openapi".' }
    : {
        problem: `The document is OpenAPI ${version.slice(0, 20)}; Swagger 2.0, OpenAPI 3.0 and 3.1 are read.`,
      }
}

/** The value, or as a text why there is none. */
const jsonOf = (text: string): Node | string => {
  try {
    return nodeOf(parseForeignJson(text))
  } catch (error) {
    // YAML may begin with a brace as well
    return error instanceof NestedTooDeep ? 'The document nests too deep.' : yamlOf(text)
  }
}

const yamlOf = (text: string): Node | string => {
  try {
    if (nestsTooDeep(text)) return 'The document nests too deep.'
    const document = parsedYaml(text)
    const [error] = document.errors
    if (error !== undefined) {
      const line = text.slice(0, error.pos[0]).split('\n').length
      return `The document is neither JSON nor YAML: line ${line}, ${error.message.split('\n', 1)[0]}`
    }
    const value = nodeOf(document.toJS({ maxAliasCount: aliasesMax }))
    return containsItself(value) ? 'The document has a part that contains itself by an alias.' : value
  } catch (error) {
    if (error instanceof RangeError) return 'The document nests too deep.'
    if (error instanceof ReferenceError) return 'The document repeats too many parts with aliases.'
    throw error
  }
}

/** YAML can say what no JSON can: a part within itself. @param path the parts around it, `done` those that are known not to */
const containsItself = (value: unknown, path = new Set<unknown>(), done = new Set<unknown>()): boolean => {
  if (typeof value !== 'object' || value === null || done.has(value)) return false
  if (path.has(value)) return true
  path.add(value)
  const found = Object.values(value).some((each) => containsItself(each, path, done))
  path.delete(value)
  done.add(value)
  return found
}

/** A text of nothing but errors has 100,000 of them: without stacks, and without copies of their lines. */
const parsedYaml = (text: string) => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return parseDocument(text, { logLevel: 'silent', uniqueKeys: false, prettyErrors: false, merge: true })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/**
 * Deeper, the parser is slow. Counts brackets, the indicators of one line, and anchors and tags one after another, which
 * the lexer reads by recursion: 64 KB of them take minutes.
 */
const nestsTooDeep = (text: string): boolean => {
  let [brackets, indicators, marks] = [0, 0, 0]
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets += 1
    else if (token === ']' || token === '}') brackets -= 1
    else if (token === '\n' || token === '\r\n') indicators = 0
    else if (brackets === 0 && /^[-?:]$/.test(token)) indicators += 1
    if (/^[&!]/.test(token)) marks += 1
    else if (!/^ +$/.test(token)) marks = 0
    if (Math.max(brackets, indicators, marks) > nestingMax) return true
  }
  return false
}

/** A part of the document behind its references. A remote one is not fetched. */
export type Resolved = { node: Node } | { problem: string }

/** @param value a part, or `{ $ref }` */
export const resolve = (document: Node, value: unknown): Resolved => {
  let node = nodeOf(value)
  for (let refs = 0; typeof node['$ref'] === 'string'; refs += 1) {
    const ref = node['$ref']
    if (!ref.startsWith('#'))
      return { problem: `it refers to another file, ${ref.slice(0, 100)}, which the import does not have` }
    const target = pointedAt(document, ref.slice(1))
    if (!isNode(target))
      return { problem: `it refers to ${ref.slice(0, 100)}, which the document does not have` }
    if (refs >= refsMax) return { problem: `it refers to ${ref.slice(0, 100)}, which refers to itself` }
    node = target
  }
  return { node }
}

/** Members of a schema that change nothing of its values. */
const annotations: ReadonlySet<string> = new Set(['$ref', 'description', 'summary', 'title', '$comment'])
/** By the node with `$ref`, so that a schema stays one. */
const composed = new WeakMap<Node, Node>()

/**
 * A schema behind its references. From OpenAPI 3.1 on, what stands beside a `$ref` holds together with it (JSON Schema
 * 2020-12, 8.2.3.1); before, it is ignored.
 */
export const resolveSchema = (document: Node, value: unknown): Resolved => {
  const node = nodeOf(value)
  const { $ref, allOf, ...beside } = node
  const isAlone = Object.keys(node).every((name) => annotations.has(name))
  if (typeof $ref !== 'string' || isAlone || String(document['openapi']).startsWith('3.0'))
    return resolve(document, value)
  const whole = composed.get(node) ?? { ...beside, allOf: [...listOf(allOf), { $ref }] }
  composed.set(node, whole)
  return { node: whole }
}

/** A path item behind its reference, with what stands beside it. */
export const resolveItem = (document: Node, value: unknown): Resolved => {
  const item = resolve(document, value)
  const { $ref: _, ...beside } = nodeOf(value)
  return 'problem' in item ? item : { node: { ...item.node, ...beside } }
}

/** RFC 6901, in a fragment of a URL. */
const pointedAt = (document: Node, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => unescapedPart(part))
    .reduce<unknown>((value, part) => {
      if (Array.isArray(value)) return value[Number(part)]
      return isNode(value) && Object.hasOwn(value, part) ? value[part] : undefined
    }, document)

const unescapedPart = (part: string): string => {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
