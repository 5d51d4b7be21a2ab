import { isNode, listOf, nodeOf, resolve, resolveSchema, type Node } from './document.ts'

/** A value that a document gives as one that works; `why`: it cannot be read; null: it gives none. */
export type Example = { value: unknown } | { why: string } | null

const has = (node: Node, name: string): boolean => node[name] !== undefined && node[name] !== null

/** The example of a parameter or of a media type, if each of its numbers is kept as it is written. */
export const exampleOf = (document: Node, node: Node): Example => {
  const example = givenExample(document, node)
  const lost = example !== null && 'value' in example ? lostNumber(example.value) : null
  return lost === null ? example : { why: `its number ${lost} has more digits than are kept` }
}

/** A number that is sent as another one than the document has; null: none. */
const lostNumber = (value: unknown): number | null => {
  if (typeof value === 'number') {
    const isKept = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    return isKept ? null : value
  }
  if (typeof value !== 'object' || value === null) return null
  for (const each of Object.values(value)) {
    const lost = lostNumber(each)
    if (lost !== null) return lost
  }
  return null
}

/**
 * The example of a parameter or of a media type: its own, the first of several, or that of its schema: example, default,
 * const, the first of its values, or one of its parts.
 */
const givenExample = (document: Node, node: Node): Example => {
  if (has(node, 'example')) return { value: node['example'] }
  const [first] = Object.values(nodeOf(node['examples']))
  if (first !== undefined) {
    const example = resolve(document, first)
    if ('problem' in example) return { why: example.problem }
    if (has(example.node, 'value')) return { value: example.node['value'] }
    if (has(example.node, 'externalValue'))
      return { why: `its example is in another file, ${String(example.node['externalValue']).slice(0, 100)}` }
  }
  const [content] = Object.values(nodeOf(node['content']))
  if (isNode(content)) return givenExample(document, content)
  return schemaExample(document, node['schema'], 0)
}

const depthMax = 6

const schemaExample = (document: Node, value: unknown, depth: number): Example => {
  const resolved = resolveSchema(document, value)
  if ('problem' in resolved) return { why: resolved.problem }
  const schema = resolved.node
  const byDepth = known.get(schema) ?? known.set(schema, new Map()).get(schema)
  const before = byDepth?.get(depth)
  if (before !== undefined) return before
  const example = newExample(document, schema, depth)
  byDepth?.set(depth, example)
  return example
}

/** Schemas that refer to each other are read once at each depth. */
const known = new WeakMap<Node, Map<number, Example>>()

const newExample = (document: Node, schema: Node, depth: number): Example => {
  for (const name of ['example', 'default', 'const']) if (has(schema, name)) return { value: schema[name] }
  const values = [...listOf(schema['examples']), ...listOf(schema['enum'])]
  const first = values.find((each) => each !== null && each !== undefined)
  if (first !== undefined) return { value: first }
  if (depth >= depthMax) return null
  return (
    partExample(document, schema, depth) ??
    itemExample(document, schema, depth) ??
    propertiesExample(document, schema, depth)
  )
}

/** Of `allOf` all parts together, of `oneOf` and `anyOf` the first with an example. */
const partExample = (document: Node, schema: Node, depth: number): Example => {
  const all = listOf(schema['allOf'])
  if (all.length > 0) {
    const hasOwn = isNode(schema['properties']) || listOf(schema['required']).length > 0
    const parts = [...all, ...(hasOwn ? [{ ...schema, allOf: undefined }] : [])]
    const examples = parts.map((part) => schemaExample(document, part, depth + 1))
    const problem = examples.find((each) => each !== null && 'why' in each)
    if (problem !== undefined) return problem
    const given = examples.flatMap((each) => (each !== null && 'value' in each ? [each.value] : []))
    if (parts.length === 1) return examples[0] ?? null
    if (given.length === 0 || !given.every(isNode)) return null
    const whole: Node = Object.assign({}, ...given)
    // a value that a part needs and none has an example of makes the whole unknown
    const isWhole = parts.every(
      (part, at) =>
        examples[at] !== null || neededBy(document, part).every((name) => Object.hasOwn(whole, name)),
    )
    return isWhole ? { value: whole } : null
  }
  const one = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])]
  const found = one.map((part) => schemaExample(document, part, depth + 1)).filter((each) => each !== null)
  return found.find((each) => 'value' in each) ?? found[0] ?? null
}

/** The names of the properties that a part requires. */
const neededBy = (document: Node, part: unknown): string[] => {
  const resolved = resolveSchema(document, part)
  return 'problem' in resolved ? [] : listOf(resolved.node['required']).map(String)
}

const itemExample = (document: Node, schema: Node, depth: number): Example => {
  if (!isNode(schema['items'])) return null
  const item = schemaExample(document, schema['items'], depth + 1)
  return item !== null && 'value' in item ? { value: [item.value] } : item
}

/** An object is known when each property that it needs is. What only answers have is not sent. */
const propertiesExample = (document: Node, schema: Node, depth: number): Example => {
  const properties = Object.entries(nodeOf(schema['properties']))
  const required = new Set(listOf(schema['required']))
  const entries: [string, unknown][] = []
  for (const [name, property] of properties) {
    const inner = resolveSchema(document, property)
    if ('node' in inner && inner.node['readOnly'] === true) continue
    const example = schemaExample(document, property, depth + 1)
    if (example !== null && 'value' in example) entries.push([name, example.value])
    else if (required.has(name)) return example
  }
  return entries.length === 0 ? null : { value: Object.fromEntries(entries) }
}

/**
 * A property that an answer must have, as a JSON path, in the schema of its JSON; null where none is required of an
 * object.
 */
export const requiredPath = (document: Node, response: Node): string | null => {
  const media = Object.entries(nodeOf(response['content'])).find(([type]) =>
    /^application\/(?:.*\+)?json\b/i.test(type),
  )
  const name = media === undefined ? null : requiredName(document, nodeOf(media[1])['schema'], 0)
  return name === null ? null : pathOf(name)
}

const requiredName = (document: Node, value: unknown, depth: number): string | null => {
  const schema = resolveSchema(document, value)
  if ('problem' in schema || depth >= depthMax) return null
  const { node } = schema
  for (const name of listOf(node['required'])) {
    const property = resolveSchema(document, nodeOf(node['properties'])[String(name)])
    const isAnswered = 'node' in property && property.node['writeOnly'] !== true
    if (typeof name === 'string' && !/["\\]/.test(name) && name !== '' && isAnswered) return name
  }
  for (const part of listOf(node['allOf'])) {
    const name = requiredName(document, part, depth + 1)
    if (name !== null) return name
  }
  return null
}

const pathOf = (name: string): string => (/^[\w-]+$/.test(name) ? name : `["${name}"]`)
