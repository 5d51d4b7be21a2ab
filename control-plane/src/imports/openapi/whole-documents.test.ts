import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { ok, sentFor, type Doc } from '../testing/document.ts'
import { startRecorder } from '../testing/wire.ts'
import { readOpenApi } from './read-openapi.ts'

/** Small documents: what the probe sends for them, byte for byte, and what is left out by name. */

const recorder = useOnce(() => startRecorder())
const openapi = (paths: Doc, more: Doc = {}): Doc => ({
  openapi: '3.0.3',
  servers: [{ url: recorder.origin }],
  paths,
  ...more,
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
    const found = await sentFor(recorder, openapi(paths, { components }))
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
