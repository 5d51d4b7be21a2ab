/** The parts of the API's OpenAPI document that the reference reads. */
export type OpenApi = {
  servers: readonly Server[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, PathItem>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

type Server = { url: string }

const methods = ['get', 'post', 'patch', 'delete'] as const
type Method = (typeof methods)[number]

type PathItem = { servers?: readonly Server[] } & { [method in Method]?: Operation }

type Operation = {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  /** Empty: no key is needed. */
  security?: readonly unknown[]
  'x-refusals': readonly string[]
  'x-scope': 'read' | 'read_write' | null
  'x-budget': 'reads' | 'writes' | 'keyless' | null
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, Media>> }
  responses: Readonly<Record<string, { content?: Readonly<Record<string, Media>> }>>
}

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

export type Media = { schema: Schema; example?: unknown }

/** A JSON schema, limited to the keywords that the API uses. */
export type Schema = {
  $ref?: string
  description?: string
  examples?: readonly unknown[]
  default?: unknown
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

/** An operation with its path and server. */
export type Endpoint = {
  method: Method
  /** Below its server, such as `/checks/{id}`. */
  path: string
  /** The base address. */
  server: string
  operation: Operation
}

export const endpointsOf = ({ paths, servers }: OpenApi): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      const server = (item.servers ?? servers)[0]?.url.replace(/\/$/, '') ?? ''
      return operation === undefined ? [] : [{ method, path, server, operation }]
    }),
  )
