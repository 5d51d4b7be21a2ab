import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { ok, sentFor, type Doc } from '../testing/document.ts'
import { startRecorder } from '../testing/wire.ts'
import { readOpenApi } from './read-openapi.ts'

/** Small documents: what the probe sends for them, byte for byte, and what is left out by name. */

const recorder = useOnce(() => startRecorder())
const swagger = (paths: Doc, more: Doc = {}): Doc => ({
  swagger: '2.0',
  info: { title: 'Shop' },
  host: recorder.host,
  basePath: '/v1',
  schemes: ['http'],
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
    expect(await sentFor(recorder, document)).toEqual({
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
