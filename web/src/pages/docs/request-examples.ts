import type { Endpoint, Schema } from '../../api/open-api.ts'

export type RequestExample = { name: string; language: string; code: string }

type ExampleRequest = {
  method: string
  url: string
  hasKey: boolean
  body: unknown
  /** The answer never ends: server-sent events. */
  isStream: boolean
  /** The answer is text, which other programs read, and not JSON. */
  isText: boolean
}

const exampleOf = ({ method, path, server, operation }: Endpoint): ExampleRequest => {
  const { parameters = [], requestBody, security, responses } = operation
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const found = parameters.find((each) => each.in === 'path' && each.name === name)
    return encodeURIComponent(String(found?.schema.examples?.[0] ?? `<${name}>`))
  })
  return {
    method: method.toUpperCase(),
    url: server + url,
    hasKey: security === undefined || security.length > 0,
    body: requestBody?.content['application/json']?.example,
    isStream: Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content),
    isText: Object.values(responses).some(({ content = {} }) => 'text/plain' in content),
  }
}

/** The only client of an operation; null: every client. */
export const onlyClient = ({ operation }: Endpoint): string | null => {
  const header = operation.parameters?.find(({ name, required }) => name === 'Service-Client' && required)
  return header === undefined ? null : (/^\^([a-z-]+)\//.exec(header.schema.pattern ?? '')?.[1] ?? null)
}

export const requestExamples = (endpoint: Endpoint): RequestExample[] => {
  const request = exampleOf(endpoint)
  const terraform = terraformOf(endpoint.operation.operationId, request.body)
  const resource = terraform === null ? [] : [{ name: 'Terraform', language: 'hcl', code: terraform }]
  if (onlyClient(endpoint) !== null) return resource
  const curl = { name: 'curl', language: 'sh', code: curlOf(request) }
  if (request.isStream || request.isText) return [curl]
  return [
    curl,
    { name: 'TypeScript', language: 'typescript', code: typescriptOf(request) },
    { name: 'Python', language: 'python', code: pythonOf(request) },
    ...resource,
  ]
}

const curlOf = ({ method, url, hasKey, body, isStream }: ExampleRequest): string =>
  [
    `curl -s${isStream ? 'N' : ''} ${method === 'GET' ? '' : `-X ${method} `}${url}`,
    ...(hasKey ? ['-H "Authorization: Bearer $SERVICE_API_KEY"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(' \\\n  ')

const typescriptOf = ({ method, url, hasKey, body }: ExampleRequest): string => {
  const headers = [
    ...(hasKey ? ['Authorization: `Bearer ${process.env.SERVICE_API_KEY}`'] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((each) => `    ${each},`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`]),
  ]
  return [
    `const response = await fetch('${url}'${options.length === 0 ? ')' : ', {'}`,
    ...options,
    ...(options.length === 0 ? [] : ['})']),
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(await response.json())',
  ].join('\n')
}

const pythonOf = ({ method, url, hasKey, body }: ExampleRequest): string =>
  [
    ...(hasKey ? ['import os'] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(hasKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'SERVICE_API_KEY\']}"},'] : []),
    ...(body === undefined ? [] : [`    json=${indented(pythonText(body, 0), 4)},`]),
    ')',
    'response.raise_for_status()',
    'print(response.json())',
  ].join('\n')

const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

/** A JSON value as Python writes it. */
const pythonText = (value: unknown, depth: number): string => {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((each) => pythonText(each, depth)).join(', ')}]`
  const pad = '    '.repeat(depth + 1)
  const fields = Object.entries(value).map(
    ([name, each]) => `${pad}${JSON.stringify(name)}: ${pythonText(each, depth + 1)},`,
  )
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${'    '.repeat(depth)}}`
}

/** The resource that an operation creates, and the references in its ids. */
const resources: Readonly<
  Record<string, { type: string; name: string; refers?: Readonly<Record<string, string>> }>
> = {
  createCheck: { type: 'service_check', name: 'shop' },
  createStatusPage: { type: 'service_status_page', name: 'public' },
  createComponent: {
    type: 'service_status_page_component',
    name: 'shop',
    refers: { checkId: 'service_check.shop.id' },
  },
  createChannel: { type: 'service_notification_channel', name: 'ops' },
}

/** Fields that Terraform does not have. */
const terraformLacks = new Set(['tags'])

const terraformOf = (operationId: string, body: unknown): string | null => {
  const resource = resources[operationId]
  if (resource === undefined || typeof body !== 'object' || body === null) return null
  const { type, name, refers = {} } = resource
  const parent =
    operationId === 'createComponent' ? [['status_page_id', 'service_status_page.public.id']] : []
  const fields = Object.entries(body)
    .filter(([field]) => !terraformLacks.has(field))
    .map(([field, value]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      refers[field] ?? hclText(value),
    ])
  const all = [...parent, ...fields]
  const width = Math.max(...all.map(([field = '']) => field.length))
  return [
    `resource "${type}" "${name}" {`,
    ...all.map(([field = '', value]) => `  ${field.padEnd(width)} = ${value}`),
    '}',
  ].join('\n')
}

const hclText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(hclText).join(', ')}]`
  const fields = Object.entries(value).map(([name, each]) => `    ${name} = ${hclText(each)}`)
  return `{\n${fields.join('\n')}\n  }`
}

/** Schemas of the API nest no deeper than this. */
const depthMax = 16

/** A value that matches a schema, from its examples. @param schemas the referenced schemas */
export const sampleOf = (schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): unknown => {
  const inner = (each: Schema): unknown => sampleOf(each, schemas, depth + 1)
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (depth > depthMax) return null
  if (schema.$ref !== undefined) return inner(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first !== undefined) return inner(first)
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  return sampleOfType(schema, inner)
}

const sampleOfType = (schema: Schema, inner: (each: Schema) => unknown): unknown => {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([name, each]) => [name, inner(each)]))
  }
  if (type === 'array') return schema.items === undefined ? [] : [inner(schema.items)]
  if (type === 'string') return schema.format === 'date-time' ? '2026-11-20T12:00:05.000Z' : 'text'
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  return type === 'boolean' ? true : null
}
