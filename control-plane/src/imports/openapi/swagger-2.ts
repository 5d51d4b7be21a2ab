import { isNode, listOf, nodeOf, resolve, resolveItem, textOf, type Node } from './document.ts'

/**
 * A Swagger 2.0 document in the words of OpenAPI 3.0, for what a check needs of it. References stay valid: the parts that
 * they point to stay where they are.
 */
export const fromSwagger2 = (document: Node): Node => {
  const items = Object.entries(nodeOf(document['paths'])).map(([path, value]) => {
    const item = resolveItem(document, value)
    return [path, 'problem' in item ? value : itemOf(document, item.node)]
  })
  return {
    ...document,
    swagger: undefined,
    openapi: '3.0.4',
    servers: serversOf(document, listOf(document['schemes'])),
    paths: Object.fromEntries(items),
    components: { securitySchemes: schemesOf(nodeOf(document['securityDefinitions'])) },
  }
}

const methods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])

const itemOf = (document: Node, item: Node): Node =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name !== 'parameters')
      .map(([name, value]) => [
        name,
        methods.has(name) && isNode(value) ? operationOf(document, item, value) : value,
      ]),
  )

/** Of several schemes https is taken; without one the document means that of its own address. */
const serversOf = (document: Node, schemes: readonly unknown[]): Node[] => {
  const host = textOf(document['host'])
  const basePath = textOf(document['basePath']) ?? ''
  const path = basePath === '' || basePath.startsWith('/') ? basePath : `/${basePath}`
  if (host === null) return [{ url: path === '' ? '/' : path }]
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : String(schemes[0])
  return [{ url: `${scheme}://${host}${path}` }]
}

const operationOf = (document: Node, item: Node, operation: Node): Node => {
  const all = new Map<string, Node>()
  const unresolved: unknown[] = []
  for (const value of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolve(document, value)
    if ('problem' in parameter) unresolved.push(value)
    else all.set(`${String(parameter.node['in'])} ${String(parameter.node['name'])}`, parameter.node)
  }
  const given = [...all.values()]
  const consumes = listOf(operation['consumes'] ?? document['consumes']).map(String)
  const body = given.find((each) => each['in'] === 'body')
  const fields = given.filter((each) => each['in'] === 'formData')
  const schemes = listOf(operation['schemes'])
  return {
    ...operation,
    // what a reference does not reach is named where it is read
    parameters: [
      ...unresolved,
      ...given.filter((each) => each !== body && each['in'] !== 'formData').map((each) => parameterOf(each)),
      // counted with the others that are not sent
      ...fields.filter((each) => each['required'] !== true).map(({ name }) => ({ name, in: 'query' })),
    ],
    ...(schemes.length > 0 && { servers: serversOf(document, schemes) }),
    ...(body !== undefined && { requestBody: bodyOf(body, consumes) }),
    ...(fields.length > 0 && { requestBody: formOf(fields, consumes) }),
    responses: responsesOf(document, operation),
  }
}

/** How the values of a list are joined, as a style. One that OpenAPI 3 has not is named where it is read. */
const formatOf = (parameter: Node): Node => {
  if (parameter['type'] !== 'array') return {}
  const format = textOf(parameter['collectionFormat']) ?? 'csv'
  const isForm = parameter['in'] === 'query' || parameter['in'] === 'formData'
  if (format === 'csv') return { style: isForm ? 'form' : 'simple', explode: false }
  if (format === 'multi' && isForm) return { style: 'form', explode: true }
  if (format === 'ssv' && isForm) return { style: 'spaceDelimited', explode: false }
  if (format === 'pipes' && isForm) return { style: 'pipeDelimited', explode: false }
  return { style: `collectionFormat ${format}`, explode: false }
}

/** Swagger 2.0 has no examples of parameters but by extensions. */
const exampleIn = (node: Node): Node => {
  const value = node['x-example'] ?? node['example']
  return value === undefined ? {} : { example: value }
}

const schemaOf = ({ type, items, enum: values, default: usual }: Node): Node => ({
  type,
  items,
  enum: values,
  default: usual,
})

const parameterOf = (parameter: Node): Node => ({
  name: parameter['name'],
  in: parameter['in'],
  required: parameter['required'],
  schema: schemaOf(parameter),
  ...exampleIn(parameter),
  ...formatOf(parameter),
})

const bodyOf = (body: Node, consumes: readonly string[]): Node => {
  const types = consumes.length === 0 ? ['application/json'] : consumes
  const named = nodeOf(body['x-examples'] ?? body['x-example'])
  const media = types.map((type) => [
    type,
    { schema: body['schema'], ...(named[type] !== undefined && { example: named[type] }) },
  ])
  return { required: body['required'], content: Object.fromEntries(media) }
}

const urlEncoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** Fields are sent with their names and values, unless one is a file or the operation takes parts only. */
const formOf = (fields: readonly Node[], consumes: readonly string[]): Node => {
  const hasFile = fields.some((each) => each['type'] === 'file')
  const isParts = hasFile || (consumes.includes(multipart) && !consumes.includes(urlEncoded))
  const required = fields.filter((each) => each['required'] === true).map((each) => each['name'])
  const sent = fields.filter((each) => each['required'] === true)
  const properties = sent.map((each) => [String(each['name']), { ...schemaOf(each), ...exampleIn(each) }])
  const encoding = sent
    .filter((each) => each['type'] === 'array')
    .map((each) => [String(each['name']), formatOf(each)])
  return {
    required: required.length > 0,
    content: {
      [isParts ? multipart : urlEncoded]: {
        schema: { type: 'object', required, properties: Object.fromEntries(properties) },
        encoding: Object.fromEntries(encoding),
      },
    },
  }
}

/** Answers with the schema of their JSON. */
const responsesOf = (document: Node, operation: Node): Node => {
  const produces = listOf(operation['produces'] ?? document['produces']).map(String)
  const type =
    produces.find((each) => /\bjson\b/i.test(each)) ?? (produces.length === 0 ? 'application/json' : null)
  const responses = Object.entries(nodeOf(operation['responses'])).map(([code, value]) => {
    const response = resolve(document, value)
    const hasSchema = 'node' in response && response.node['schema'] !== undefined && type !== null
    return [code, hasSchema ? { content: { [type]: { schema: response.node['schema'] } } } : {}]
  })
  return Object.fromEntries(responses)
}

const schemesOf = (definitions: Node): Node =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, value]) => {
      const scheme = nodeOf(value)
      return [name, scheme['type'] === 'basic' ? { ...scheme, type: 'http', scheme: 'basic' } : scheme]
    }),
  )
