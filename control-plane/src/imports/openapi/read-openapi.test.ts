import { CreateHttpCheckInput } from '@probe-mesh/contracts/check/check-input'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openApiDocument } from '../../documents/openapi.ts'
import { readOpenApi } from './read-openapi.ts'

const server = 'https://api.example.org/v1'
const ok = { responses: { 200: { description: 'ok' } } }

type Doc = Record<string, unknown>
const documentOf = (paths: Doc, more: Doc = {}): Doc => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: server }],
  paths,
  ...more,
})

const read = (document: Doc | string, taken: string[] = [], baseUrl: string | null = null) => {
  const draft = readOpenApi(
    typeof document === 'string' ? document : JSON.stringify(document),
    taken,
    baseUrl,
  )
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  return draft
}
const problemsOf = (text: string) => {
  const draft = readOpenApi(text, [], null)
  return 'problems' in draft ? draft.problems : []
}
const whyOf = (operation: Doc, more: Doc = {}, path = '/a') =>
  read(documentOf({ [path]: { get: operation } }, more)).leftOut.map(({ why }) => why)

test('an operation that needs nothing becomes a check of its documented status, in JSON and in YAML', () => {
  const document = documentOf({ '/pets': { get: { summary: 'List\n pets', ...ok } } })
  const expected = [
    {
      operation: 'GET /pets',
      check: {
        type: 'http',
        name: 'List pets',
        url: `${server}/pets`,
        assertions: { assertionStatusMin: 200, assertionStatusMax: 200 },
      },
      isSafe: true,
      jsonPath: null,
    },
  ]
  for (const text of [JSON.stringify(document), stringify(document)]) {
    expect(read(text)).toMatchObject({ title: 'Shop', operations: expected, leftOut: [], neededSecrets: [] })
  }
})

describe('the values of parameters', () => {
  test.each<[string, Doc, string]>([
    ['example', { example: 7 }, '7'],
    ['examples', { examples: { one: { value: 'a/b' }, two: { value: 'c' } } }, 'a%2Fb'],
    ['a reference to an example', { examples: { one: { $ref: '#/components/examples/id' } } }, '9'],
    ['the example of the schema', { schema: { type: 'integer', example: 8 } }, '8'],
    ['the examples of the schema', { schema: { examples: ['x y'] } }, 'x%20y'],
    ['the default of the schema', { schema: { default: false } }, 'false'],
    ['the first of its values', { schema: { enum: ['sold', 'new'] } }, 'sold'],
    ['the only value', { schema: { const: 'all' } }, 'all'],
    ['a referenced schema', { schema: { $ref: '#/components/schemas/Id' } }, '5'],
    ['its content as JSON', { content: { 'application/json': { example: 'z' } } }, '%22z%22'],
    ['its content as text', { content: { 'text/plain': { example: 'z' } } }, 'z'],
  ])('come from %s', (_, parameter, value) => {
    const parameters = [
      { name: 'id', in: 'path', required: true, ...parameter },
      { name: 'page', in: 'query', example: 'optional' },
      { name: 'q', in: 'query', required: true, ...parameter },
      { name: 'X-Shop', in: 'header', required: true, example: 'eu' },
    ]
    const components = { examples: { id: { value: 9 } }, schemas: { Id: { default: 5 } } }
    const { operations } = read(documentOf({ '/pets/{id}': { parameters, get: ok } }, { components }))
    expect(operations[0]?.check).toMatchObject({
      url: `${server}/pets/${value}?q=${value}`,
      request: { headers: [{ name: 'X-Shop', value: 'eu' }] },
    })
  })

  test('of the operation replace those of its path, and lists are repeated or joined', () => {
    const list = { name: 'tag', in: 'query', required: true, example: ['a', 'b'] }
    const { operations } = read(
      documentOf({
        '/a': { parameters: [list], get: ok },
        '/b': { parameters: [list], get: { parameters: [{ ...list, explode: false }], ...ok } },
      }),
    )
    expect(operations.map(({ check }) => check.url)).toEqual([
      `${server}/a?tag=a&tag=b`,
      `${server}/b?tag=a,b`,
    ])
  })

  test.each<[string, Doc, string]>([
    ['/pets/{petId}', ok, 'no example, default or enum value of the path parameter petId'],
    [
      '/a',
      { parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string' } }], ...ok },
      'no example, default or enum value of the query parameter q',
    ],
    [
      '/a',
      { parameters: [{ name: 'f', in: 'query', required: true, example: { a: { b: 1 } } }], ...ok },
      'the query parameter f has an example whose values are lists or objects themselves',
    ],
    [
      '/a/{b}',
      { parameters: [{ name: 'q', in: 'query', required: true }], ...ok },
      'no example, default or enum value of the query parameter q, the path parameter b',
    ],
  ])('that are missing leave %s out, by name', (path, operation, why) => {
    expect(whyOf(operation, {}, path)).toEqual([why])
  })
})

describe('the answer', () => {
  const json = (schema: Doc) => ({
    responses: { 201: { content: { 'application/vnd.api+json; v=1': { schema } } } },
  })
  const properties = { id: { type: 'string' }, 'a b': {}, password: { writeOnly: true } }

  test.each<[string, Doc, string | null]>([
    ['a required property', { required: ['id'], properties }, 'id'],
    ['not one that is only written', { required: ['password', 'id'], properties }, 'id'],
    ['one with another sign', { required: ['a b'], properties }, '["a b"]'],
    ['one of a part', { allOf: [{ properties }, { $ref: '#/components/schemas/Base' }] }, 'id'],
    ['none that may be missing', { properties }, null],
    ['none of a list', { type: 'array', items: { required: ['id'], properties } }, null],
  ])('must have %s', (_, schema, jsonPath) => {
    const components = { schemas: { Base: { required: ['id'], properties } } }
    const { operations } = read(documentOf({ '/a': { get: json(schema) } }, { components }))
    expect(operations[0]).toMatchObject({
      jsonPath,
      check: { assertions: { assertionStatusMin: 201, assertionStatusMax: 201 } },
    })
  })

  test.each<[string, string[], unknown]>([
    [
      'several statuses are a range',
      ['200', '206', '404'],
      { assertionStatusMin: 200, assertionStatusMax: 206 },
    ],
    ['a pattern is any 2xx', ['2XX', '404'], undefined],
    ['a default is any 2xx', ['default'], undefined],
  ])('%s', (_, codes, assertions) => {
    const responses = Object.fromEntries(codes.map((code) => [code, { description: '' }]))
    const { operations } = read(documentOf({ '/a': { get: { responses } } }))
    expect(operations[0]?.check.assertions).toEqual(assertions)
  })
})

describe('an operation is left out', () => {
  test.each<[string, Doc, Doc, string]>([
    ['that is deprecated', { deprecated: true, ...ok }, {}, 'it is deprecated'],
    [
      'without a documented success',
      { responses: { 302: {} } },
      {},
      'no answer with a status of 2xx is documented',
    ],
    [
      'of a server without a host',
      ok,
      { servers: [{ url: '/v1' }] },
      'the document names no server with a host: enter its address',
    ],
    [
      'without any server',
      ok,
      { servers: [] },
      'the document names no server with a host: enter its address',
    ],
    [
      'with a remote parameter',
      { parameters: [{ $ref: 'https://example.org/p.json' }], ...ok },
      {},
      'it refers to another file, https://example.org/p.json, which the import does not have',
    ],
    [
      'with a parameter that is not there',
      { parameters: [{ $ref: '#/components/x' }], ...ok },
      {},
      'it refers to #/components/x, which the document does not have',
    ],
    [
      'with a parameter that is itself',
      { parameters: [{ $ref: '#/components/parameters/a' }], ...ok },
      { components: { parameters: { a: { $ref: '#/components/parameters/a' } } } },
      'it refers to #/components/parameters/a, which refers to itself',
    ],
    [
      'with a key in its URL',
      { security: [{ key: [] }], ...ok },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'k' } } } },
      'key: its key is sent in the URL, where a secret cannot be',
    ],
    [
      'with another login',
      { security: [{ d: [] }], ...ok },
      { components: { securitySchemes: { d: { type: 'http', scheme: 'digest' } } } },
      'd: a check cannot log in with http digest',
    ],
  ])('%s', (_, operation, more, why) => {
    expect(whyOf(operation, more)).toEqual([why])
  })
})

test('variables of a server have their defaults, an operation may have its own, and a path needs an address', () => {
  const servers = [
    {
      url: '{scheme}://{region}.example.org/',
      variables: { scheme: { default: 'https' }, region: { default: 'eu' } },
    },
  ]
  const paths = { '/a': { get: ok }, '/b': { servers: [{ url: 'https://b.example.org/x' }], get: ok } }
  expect(read(documentOf(paths, { servers })).operations.map(({ check }) => check.url)).toEqual([
    'https://eu.example.org/a',
    'https://b.example.org/x/b',
  ])
  const relative = read(documentOf(paths, { servers: [{ url: '/v2' }] }), [], 'https://c.example.org/docs/')
  expect(relative.operations.map(({ check }) => check.url)).toEqual([
    'https://c.example.org/v2/a',
    'https://b.example.org/x/b',
  ])
})

test('methods that change something are marked, with a body by its example', () => {
  const schema = {
    required: ['name'],
    properties: {
      name: { example: 'Rex' },
      age: { default: 3 },
      note: {},
      tag: { $ref: '#/components/schemas/Tag' },
    },
  }
  const body = (content: Doc, required = true) => ({ post: { requestBody: { required, content }, ...ok } })
  const { operations, leftOut } = read(
    documentOf(
      {
        '/json': body({ 'application/json': { schema } }),
        '/form': body({ 'application/x-www-form-urlencoded': { example: { a: 'b c' } } }),
        '/none': body({ 'application/json': { schema: { required: ['x'], properties: { x: {} } } } }),
        '/perhaps': body({ 'multipart/form-data': {} }, false),
      },
      { components: { schemas: { Tag: { enum: ['dog'] } } } },
    ),
  )
  expect(operations.map(({ isSafe, check: { request } }) => [isSafe, request])).toEqual([
    [false, { method: 'POST', body: '{"name":"Rex","age":3,"tag":"dog"}', contentType: 'application/json' }],
    [false, { method: 'POST', body: 'a=b+c', contentType: 'application/x-www-form-urlencoded' }],
    [false, { method: 'POST' }],
  ])
  expect(leftOut).toEqual([{ operation: 'POST /none', why: 'its body as application/json has no example' }])
})

test('the credentials of a document are secrets to be filled in, one a scheme, bound to the hosts that use it', () => {
  const securitySchemes = {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    login: { type: 'http', scheme: 'Basic' },
    token: { type: 'http', scheme: 'bearer' },
    oauth: { type: 'oauth2', flows: {} },
    session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    url: { type: 'apiKey', in: 'query', name: 'k' },
  }
  const header = { name: 'X-Auth-Token', in: 'header', required: true, example: 'shown' }
  const get = (...security: Doc[]) => ({ get: { security, ...ok } })
  const { operations, neededSecrets, warnings } = read(
    documentOf(
      {
        '/default': { get: ok },
        '/open': { get: { security: [], ...ok } },
        '/optional': get({ login: [] }, {}),
        '/basic': get({ url: [] }, { login: [] }),
        '/token': { ...get({ token: [] }), servers: [{ url: 'https://b.example.org' }] },
        '/oauth': get({ oauth: ['read'] }),
        '/both': get({ ApiKey: [], session: [] }),
        '/header': { get: { security: [], parameters: [header], ...ok } },
      },
      { components: { securitySchemes }, security: [{ ApiKey: [] }] },
    ),
    ['api_key'],
  )
  expect(operations.map(({ operation, check: { request } }) => [operation, request])).toEqual([
    ['GET /default', { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key_2 }}' }] }],
    ['GET /open', undefined],
    ['GET /optional', undefined],
    [
      'GET /basic',
      {
        auth: { type: 'basic', username: '{{ secret.login_user }}', password: '{{ secret.login_password }}' },
      },
    ],
    ['GET /token', { auth: { type: 'bearer', token: '{{ secret.token }}' } }],
    ['GET /oauth', { auth: { type: 'bearer', token: '{{ secret.oauth }}' } }],
    [
      'GET /both',
      {
        headers: [
          { name: 'X-Api-Key', value: '{{ secret.api_key_2 }}' },
          { name: 'Cookie', value: 'sid={{ secret.session }}' },
        ],
      },
    ],
    ['GET /header', { headers: [{ name: 'X-Auth-Token', value: '{{ secret.x_auth_token }}' }] }],
  ])
  const hosts = ['api.example.org']
  expect(neededSecrets).toEqual([
    { name: 'api_key_2', hosts, about: 'The header X-Api-Key' },
    { name: 'login_user', hosts, about: 'The user name' },
    { name: 'login_password', hosts, about: 'The password' },
    { name: 'token', hosts: ['b.example.org'], about: 'The token, without the word Bearer' },
    { name: 'oauth', hosts, about: 'The token, without the word Bearer' },
    { name: 'session', hosts, about: 'The value of the cookie sid' },
    { name: 'x_auth_token', hosts, about: 'The header X-Auth-Token' },
  ])
  expect(warnings).toEqual(['oauth is OAuth 2: its secret must be a token that does not expire.'])
})

test('reads the document of this product: each operation is a valid check, or is left out by its parameter', () => {
  const text = JSON.stringify(openApiDocument('/v1'))
  const { operations, leftOut, neededSecrets } = read(text, [], 'https://probe.example.org')
  const paths: Record<string, object> = JSON.parse(text).paths
  const count = Object.values(paths)
    .flatMap((path) => Object.keys(path))
    .filter((key) => key !== 'servers').length
  expect(operations.length + leftOut.length).toBe(count)
  for (const { check } of operations) {
    const { assertions, ...whole } = check
    expect(CreateHttpCheckInput.safeParse({ ...whole, ...assertions }).error?.issues).toBeUndefined()
  }
  for (const { why } of leftOut)
    expect(why).toMatch(/^no example, default or enum value of the header parameter /)
  expect(neededSecrets.map(({ about }) => about)).toEqual(['The token, without the word Bearer'])
})

test('reads 100 operations, and says that there are more', () => {
  const paths = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`/a${at}`, { get: ok }]))
  const { operations, warnings } = read(documentOf(paths))
  expect(operations).toHaveLength(100)
  expect(warnings).toEqual(['The document has 120 operations; the first 100 are read.'])
})

test.each([
  ['', 'it has no field "openapi"'],
  ['just text', 'it has no field "openapi"'],
  ['{"swagger":"2.0"}', 'The document has no operations'],
  ['{"swagger":"1.2"}', 'The document is Swagger 1.2; 2.0 is read'],
  ['openapi: 4.0.0', 'is OpenAPI 4.0.0'],
  ['openapi: 3.0.0', 'has no operations'],
  ['openapi: "3.0.0\npaths: {', 'neither JSON nor YAML: line '],
  [`{"openapi":${'['.repeat(100)}${']'.repeat(100)}}`, 'nests too deep'],
  [`openapi: 3.0.0\npaths: ${'- '.repeat(200_000)}a`, 'nests too deep'],
  [`openapi: 3.0.0\npaths: ${'['.repeat(200_000)}a`, 'nests too deep'],
  [`openapi: 3.0.0\npaths: ${' &'.repeat(32_768)}a`, 'nests too deep'],
  [`openapi: 3.0.0\npaths: [${'! '.repeat(32_768)}a`, 'nests too deep'],
  // as many errors as characters, which took 44 s
  [`openapi: 3.0.0\npaths: ${'"'.repeat(262_144)}`, 'line 2, Unexpected double-quoted-scalar'],
  [
    `openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]`,
    'repeats too many parts',
  ],
])('refuses %.40s', (text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)])
})

test.each<[example: string, request: object | undefined]>([
  ['shop.example.com', { hostHeader: 'shop.example.com' }],
  ['api.example.org', undefined],
])('a parameter Host with the value %s is sent as the document says', (example, request) => {
  const parameters = [{ name: 'Host', in: 'header', required: true, example }]
  const [operation] = read(documentOf({ '/a': { get: { parameters, ...ok } } })).operations
  expect(operation?.check.url).toBe(`${server}/a`)
  expect(operation?.check.request).toEqual(request)
})

test('a parameter Host that is no host leaves its operation out, with the reason', () => {
  const parameters = [{ name: 'Host', in: 'header', required: true, example: 'a/b' }]
  expect(whyOf({ parameters, ...ok })).toEqual([
    expect.stringContaining('The header Host cannot be sent: it is a/b, and must be a host'),
  ])
})
