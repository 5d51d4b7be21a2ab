// What the standard says of the operations of a document, in code of its own: the product is held against it.

export type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

/** The part behind local references; null: it is elsewhere, or a circle. */
const at = (document: Node, value: unknown): Node | null => {
  let node = nodeOf(value)
  for (let hops = 0; typeof node['$ref'] === 'string'; hops += 1) {
    if (hops > 10 || !node['$ref'].startsWith('#/')) return null
    const parts = node['$ref'].slice(2).split('/')
    const found = parts.reduce<unknown>(
      (part, name) => nodeOf(part)[decodeURIComponent(name.replaceAll('~1', '/').replaceAll('~0', '~'))],
      document,
    )
    if (!isNode(found)) return null
    node = found
  }
  return node
}

export type Operation = { name: string; path: string; parameters: Node[] }

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']

/** Every operation of a document with its parameters; those that a reference does not reach have none. */
export const operationsOf = (document: Node): Operation[] =>
  Object.entries(nodeOf(document['paths'])).flatMap(([path, value]) => {
    const item = at(document, value) ?? {}
    return methods
      .filter((method) => isNode(item[method]))
      .map((method) => {
        const lists = [item['parameters'], nodeOf(item[method])['parameters']]
        const all = lists
          .flatMap((list) => (Array.isArray(list) ? list : []))
          .map((each) => at(document, each))
        const byName = new Map(
          all.filter((each) => each !== null).map((each) => [`${each['in']} ${each['name']}`, each]),
        )
        return { name: `${method.toUpperCase()} ${path}`, path, parameters: [...byName.values()] }
      })
  })

/** The value that a document gives for a parameter by its own fields or those of its schema; undefined: by another way. */
export const plainExample = (document: Node, parameter: Node): unknown => {
  const [first] = Object.values(nodeOf(parameter['examples']))
  const schema = at(document, parameter['schema']) ?? parameter
  const list = [schema['examples'], schema['enum']].flatMap((each) =>
    Array.isArray(each) ? each.slice(0, 1) : [],
  )
  const values = [
    parameter['example'],
    at(document, first)?.['value'],
    schema['example'],
    schema['default'],
    schema['const'],
    ...list,
  ]
  return values.find((each) => each !== undefined && each !== null)
}

/** The styles that OpenAPI takes from RFC 6570, as its operators. */
const operators: Readonly<Record<string, string>> = { simple: '', label: '.', matrix: ';', form: '?' }

/** A template of RFC 6570 for a parameter of a path or query; null: the standard defines it without one. */
export const templateOf = (parameter: Node): { template: string; style: string } | null => {
  const place = String(parameter['in'])
  const style = String(parameter['style'] ?? (place === 'path' ? 'simple' : 'form'))
  const operator = operators[style]
  if (operator === undefined || parameter['content'] !== undefined || parameter['allowReserved'] === true)
    return null
  const explode = parameter['explode'] ?? style === 'form'
  return { template: `{${operator}value${explode === true ? '*' : ''}}`, style }
}
