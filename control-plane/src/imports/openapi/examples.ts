import { isNode, listOf, nodeOf, resolve, type Node } from './document.ts'

/** A value that a document gives as one that works; null: it gives none. */
export type Example = { value: unknown } | null

const has = (node: Node, name: string): boolean => node[name] !== undefined && node[name] !== null

/**
 * The example of a parameter or of a media type: its own, the first of several, or that of its schema: example, default, or
 * the first of its values.
 */
export const exampleOf = (document: Node, node: Node): Example => {
  if (has(node, 'example')) return { value: node['example'] }
  const [first] = Object.values(nodeOf(node['examples']))
  if (first !== undefined) {
    const example = resolve(document, first)
    if ('node' in example && has(example.node, 'value')) return { value: example.node['value'] }
  }
  const [content] = Object.values(nodeOf(node['content']))
  if (isNode(content)) return exampleOf(document, content)
  const schema = resolve(document, node['schema'])
  return 'node' in schema ? schemaExample(document, schema.node, 0) : null
}

const depthMax = 6

const schemaExample = (document: Node, schema: Node, depth: number): Example => {
  for (const name of ['example', 'default', 'const']) if (has(schema, name)) return { value: schema[name] }
  const values = [...listOf(schema['examples']), ...listOf(schema['enum'])]
  const first = values.find((each) => each !== null && each !== undefined)
  if (first !== undefined) return { value: first }
  if (depth >= depthMax) return null
  const properties = nodeOf(schema['properties'])
  const required = new Set(listOf(schema['required']))
  if (Object.keys(properties).length === 0) return null
  // an object is known when each property that it needs is
  const entries: [string, unknown][] = []
  for (const [name, property] of Object.entries(properties)) {
    const inner = resolve(document, property)
    const example = 'node' in inner ? schemaExample(document, inner.node, depth + 1) : null
    if (example !== null) entries.push([name, example.value])
    else if (required.has(name)) return null
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
  const schema = resolve(document, value)
  if ('problem' in schema || depth >= depthMax) return null
  const { node } = schema
  for (const name of listOf(node['required'])) {
    const property = resolve(document, nodeOf(node['properties'])[String(name)])
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
