import { describe, expect, test } from 'vitest'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { sendByProbe, startRecorder } from '../testing/wire.ts'
import { readOpenApi } from './read-openapi.ts'

/** Small documents of each kind: what the probe sends for them, byte for byte, and what is left out by name. */

const recorder = useOnce(() => startRecorder())
const ok = { 200: { description: 'ok' } }
type Doc = Record<string, unknown>

const sentFor = async (document: Doc) => {
  const draft = readOpenApi(JSON.stringify(document), [], null)
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  recorder.take()
  for (const { check } of draft.operations) {
    const secrets = draft.neededSecrets.map(({ name, hosts }) => ({ name, hosts, value: `of-${name}` }))
    await sendByProbe(check, secrets)
  }
  const sent = recorder.take().map(({ method, target, headers, body }) => ({
    line: `${method} ${target}`,
    ...(body !== '' && { body }),
    ...(headers['content-type'] !== undefined && { type: headers['content-type'][0] }),
    ...(headers['cookie'] !== undefined && { cookie: headers['cookie'][0] }),
    ...(headers['x-ids'] !== undefined && { ids: headers['x-ids'][0] }),
    ...(headers['authorization'] !== undefined && { authorization: headers['authorization'][0] }),
  }))
  return {
    sent,
    leftOut: draft.leftOut.map(({ operation, why }) => `${operation}: ${why}`),
    warnings: draft.warnings,
  }
}

const swagger = (paths: Doc, more: Doc = {}): Doc => ({
  swagger: '2.0',
  info: { title: 'Shop' },
  host: recorder.host,
  basePath: '/v1',
  schemes: ['http'],
  paths,
  ...more,
})
const openapi = (paths: Doc, more: Doc = {}): Doc => ({
  openapi: '3.0.3',
  servers: [{ url: recorder.origin }],
  paths,
  ...more,
})
const ids = {
  name: 'ids',
  in: 'query',
  required: true,
  type: 'array',
  items: { type: 'integer' },
  default: [1, 2],
}
const field = (name: string, more: Doc = {}) => ({
  name,
  in: 'formData',
  required: true,
  type: 'string',
  ...more,
})

describe('Swagger 2.0', () => {
  test.each<[string, Doc, object]>([
    ['basePath and no parameters', { '/a': { get: { responses: ok } } }, { sent: [{ line: 'GET /v1/a' }] }],
    [
      'collectionFormat: csv by default',
      { '/a': { get: { parameters: [ids], responses: ok } } },
      { sent: [{ line: 'GET /v1/a?ids=1,2' }] },
    ],
    [
      'collectionFormat: multi, ssv, pipes',
      Object.fromEntries(
        ['multi', 'ssv', 'pipes'].map((collectionFormat) => [
          `/${collectionFormat}`,
          { get: { parameters: [{ ...ids, collectionFormat }], responses: ok } },
        ]),
      ),
      {
        sent: [
          { line: 'GET /v1/multi?ids=1&ids=2' },
          { line: 'GET /v1/ssv?ids=1%202' },
          { line: 'GET /v1/pipes?ids=1%7C2' },
        ],
      },
    ],
    [
      'collectionFormat: tsv, by name',
      { '/a': { get: { parameters: [{ ...ids, collectionFormat: 'tsv' }], responses: ok } } },
      {
        leftOut: [
          'GET /a: the query parameter ids has the style collectionFormat tsv, which a query has not',
        ],
      },
    ],
    [
      'collectionFormat of a header and a path',
      {
        '/a/{ids}': {
          parameters: [{ ...ids, in: 'path' }],
          get: { parameters: [{ ...ids, name: 'X-Ids', in: 'header' }], responses: ok },
        },
      },
      { sent: [{ line: 'GET /v1/a/1,2', ids: '1,2' }] },
    ],
    [
      'a body with its type, of the document',
      {
        '/a': {
          post: {
            parameters: [{ name: 'b', in: 'body', required: true, schema: { $ref: '#/definitions/Order' } }],
            responses: ok,
          },
        },
      },
      { sent: [{ line: 'POST /v1/a', type: 'application/vnd.shop+json', body: '{"count":2}' }] },
    ],
    [
      'fields of a form; those that are not required are counted',
      {
        '/a': {
          post: {
            consumes: ['multipart/form-data', 'application/x-www-form-urlencoded'],
            parameters: [
              field('name', { default: 'a b&c' }),
              field('tags', { type: 'array', items: {}, default: ['x', 'y'], collectionFormat: 'multi' }),
              field('more', { required: false }),
            ],
            responses: ok,
          },
        },
      },
      {
        sent: [
          {
            line: 'POST /v1/a',
            type: 'application/x-www-form-urlencoded',
            body: 'name=a+b%26c&tags=x&tags=y',
          },
        ],
        warnings: ['Parameters that are not required are not sent: 1.'],
      },
    ],
    [
      'a file, by name',
      { '/a': { post: { parameters: [field('f', { type: 'file', default: 'x' })], responses: ok } } },
      {
        leftOut: [
          'POST /a: its body as multipart/form-data is a form with parts, which a check does not send',
        ],
      },
    ],
    [
      'parameters and answers by reference, of the path too',
      {
        '/a': {
          parameters: [{ $ref: '#/parameters/page' }],
          get: { responses: { 200: { $ref: '#/responses/ok' } } },
        },
      },
      { sent: [{ line: 'GET /v1/a?page=3' }] },
    ],
    [
      'a parameter in another file, by name',
      { '/a': { get: { parameters: [{ $ref: 'common.yaml#/page' }], responses: ok } } },
      { leftOut: ['GET /a: it refers to another file, common.yaml#/page, which the import does not have'] },
    ],
    [
      'a path in another file, by name',
      { '/a': { $ref: './a.json' } },
      { leftOut: ['EACH METHOD OF /a: it refers to another file, ./a.json, which the import does not have'] },
    ],
    [
      'securityDefinitions',
      {
        '/basic': { get: { security: [{ basic: [] }], responses: ok } },
        '/token': { get: { security: [{ oauth: ['read'] }], responses: ok } },
        '/key': { get: { security: [{ key: [] }], responses: ok } },
      },
      {
        sent: [
          {
            line: 'GET /v1/basic',
            authorization: `Basic ${Buffer.from('of-basic_user:of-basic_password').toString('base64')}`,
          },
          { line: 'GET /v1/token', authorization: 'Bearer of-oauth' },
        ],
        leftOut: ['GET /key: key: its key is sent in the URL, where a secret cannot be'],
      },
    ],
    [
      'schemes of an operation',
      { '/a': { get: { schemes: ['ws'], responses: ok } } },
      { leftOut: ['GET /a: the document names no server with a host: enter its address'] },
    ],
  ])('%s', async (_, paths, expected) => {
    const document = swagger(paths, {
      consumes: ['application/vnd.shop+json'],
      definitions: {
        Order: {
          type: 'object',
          required: ['count'],
          properties: { count: { example: 2 }, id: { readOnly: true, example: 7 } },
        },
      },
      parameters: { page: { name: 'page', in: 'query', required: true, type: 'integer', default: 3 } },
      responses: { ok: { description: 'ok', schema: { type: 'object' } } },
      securityDefinitions: {
        basic: { type: 'basic' },
        oauth: { type: 'oauth2', flow: 'implicit' },
        key: { type: 'apiKey', in: 'query', name: 'k' },
      },
    })
    expect(await sentFor(document)).toEqual({
      sent: [],
      leftOut: [],
      warnings: expect.anything(),
      ...expected,
    })
  })

  test('without a host, or with no scheme, its address is asked for or said', () => {
    const paths = { '/a': { get: { responses: ok } } }
    const at = (more: Doc, baseUrl: string | null) =>
      readOpenApi(JSON.stringify(swagger(paths, more)), [], baseUrl)
    expect(at({ host: undefined }, 'https://api.example.org/x/')).toMatchObject({
      operations: [{ check: { url: 'https://api.example.org/v1/a' } }],
    })
    expect(at({ host: 'api.example.org', schemes: undefined }, null)).toMatchObject({
      operations: [{ check: { url: 'https://api.example.org/v1/a' } }],
      warnings: ['The document names no scheme for its host; https is taken.'],
    })
    expect(at({ host: 'api.example.org', schemes: ['http', 'https'] }, null)).toMatchObject({
      operations: [{ check: { url: 'https://api.example.org/v1/a' } }],
    })
  })
})

const body = (type: string, media: Doc): Doc => ({
  post: { requestBody: { required: true, content: { [type]: media } }, responses: ok },
})
const form = 'application/x-www-form-urlencoded'

describe('OpenAPI 3', () => {
  test.each<[string, Doc, object]>([
    [
      'cookies are one header, with those of its security',
      {
        '/a': {
          get: {
            security: [{ session: [] }],
            parameters: [
              { name: 'theme', in: 'cookie', required: true, example: 'dark' },
              { name: 'csrf_token', in: 'cookie', required: true },
            ],
            responses: ok,
          },
        },
      },
      { sent: [{ line: 'GET /a', cookie: 'theme=dark; sid=of-session; csrf_token=of-csrf_token' }] },
    ],
    [
      'a parameter with content is its text',
      {
        '/a': {
          get: {
            parameters: [
              {
                name: 'q',
                in: 'query',
                required: true,
                content: { 'application/json': { example: { a: [1, 'é'] } } },
              },
            ],
            responses: ok,
          },
        },
      },
      { sent: [{ line: 'GET /a?q=%7B%22a%22%3A%5B1%2C%22%C3%A9%22%5D%7D' }] },
    ],
    [
      'a query in its path template stays',
      {
        '/a?kind=x': {
          get: { parameters: [{ name: 'q', in: 'query', required: true, example: 1 }], responses: ok },
        },
      },
      { sent: [{ line: 'GET /a?kind=x&q=1' }] },
    ],
    [
      'a form has lists repeated and objects as JSON',
      { '/a': body(form, { example: { a: ['x', 'y'], b: { c: 1 }, d: 'e f' } }) },
      { sent: [{ line: 'POST /a', type: form, body: 'a=x&a=y&b=%7B%22c%22%3A1%7D&d=e+f' }] },
    ],
    [
      'a form with encoding has its styles',
      {
        '/a': body(form, {
          example: { a: ['x', 'y'], b: { c: 1 } },
          encoding: {
            a: { style: 'pipeDelimited', explode: false },
            b: { style: 'deepObject', explode: true },
          },
        }),
      },
      { sent: [{ line: 'POST /a', type: form, body: 'a=x%7Cy&b%5Bc%5D=1' }] },
    ],
    [
      'a body of allOf, without what only answers have',
      {
        '/a': body('application/json', {
          schema: {
            allOf: [
              { properties: { id: { readOnly: true, example: 1 }, name: { example: 'a' } } },
              { required: ['n'], properties: { n: { enum: [2, 3] } } },
            ],
          },
        }),
      },
      { sent: [{ line: 'POST /a', type: 'application/json', body: '{"name":"a","n":2}' }] },
    ],
    [
      'a body of XML that is no text, by name',
      { '/a': body('application/xml', { schema: { properties: { a: { example: 1 } } } }) },
      { leftOut: ['POST /a: its body as application/xml has an example that is no text'] },
    ],
    [
      'an example in another file, by name',
      { '/a': body('text/csv', { examples: { one: { externalValue: './orders.csv' } } }) },
      {
        leftOut: [
          'POST /a: its body as text/csv has no example: its example is in another file, ./orders.csv',
        ],
      },
    ],
    [
      'a schema in another file, by name',
      {
        '/a': {
          get: {
            parameters: [{ name: 'q', in: 'query', required: true, schema: { $ref: 'models/q.yaml' } }],
            responses: ok,
          },
        },
      },
      {
        leftOut: [
          'GET /a: the query parameter q has no value: it refers to another file, models/q.yaml, which the import does not have',
        ],
      },
    ],
    [
      'methods that a check has not, by name',
      { '/a': { options: { responses: ok }, trace: { responses: ok } } },
      { leftOut: ['OPTIONS /a: a check sends no OPTIONS', 'TRACE /a: a check sends no TRACE'] },
    ],
    [
      'a value that changes the path, by name',
      {
        '/a/{b}': {
          get: { parameters: [{ name: 'b', in: 'path', required: true, example: '..' }], responses: ok },
        },
      },
      { leftOut: ['GET /a/{b}: the path parameter b has a value that changes the path'] },
    ],
    [
      'a header that a check cannot send, by name',
      {
        '/a': {
          get: {
            parameters: [{ name: 'User-Agent', in: 'header', required: true, example: 'shop' }],
            responses: ok,
          },
        },
      },
      { leftOut: [expect.stringContaining('GET /a: The header User-Agent cannot be sent')] },
    ],
    [
      'callbacks and what is not required are noted',
      {
        '/a': {
          post: {
            callbacks: { done: {} },
            parameters: [{ name: 'q', in: 'query' }],
            requestBody: { content: { 'text/plain': {} } },
            responses: ok,
          },
        },
      },
      {
        sent: [{ line: 'POST /a' }],
        warnings: [
          'Callbacks are requests to others, and are left out.',
          'Parameters that are not required are not sent: 1.',
          'Bodies that are not required and have no example are not sent: 1.',
        ],
      },
    ],
  ])('%s', async (_, paths, expected) => {
    const components = { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } } }
    const found = await sentFor(openapi(paths, { components }))
    expect(found).toEqual({ sent: [], leftOut: [], warnings: expect.anything(), ...expected })
  })

  test('other servers and webhooks are noted', () => {
    const draft = readOpenApi(
      JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: 'https://a.example' }, { url: 'https://b.example' }],
        paths: { '/a': { get: { responses: ok } } },
        webhooks: { sold: { post: { responses: ok } } },
      }),
      [],
      null,
    )
    expect(draft).toMatchObject({
      warnings: [
        'The document names 2 servers; the first is taken.',
        'Webhooks are requests to others, and are left out: 1.',
      ],
    })
  })
})
