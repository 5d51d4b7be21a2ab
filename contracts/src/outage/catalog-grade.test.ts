import { describe, expect, test } from 'vitest'
import { CatalogProbe, documentedAssertions, expectedAssertions } from './catalog.ts'
import { gradeOf, gradeOnceVerified, isEdgeUrl } from './catalog-grade.ts'

const documented = {
  source: 'https://docs.acme.example/ping',
  jsonPath: 'ok',
  jsonOp: 'equals',
  jsonValue: true,
  example: '{"ok":true}',
}
const probe = (more: Record<string, unknown> = {}): CatalogProbe =>
  CatalogProbe.parse({ url: 'https://api.acme.example/ping', ...more })

describe('the grade of a probe', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a page of which nothing is documented', {}],
    ['documented content that was never verified', { documented }],
    ['content without its source', { expect: { jsonPath: 'ok', jsonOp: 'exists' } }],
    [
      'an accepted 401',
      {
        expect: { statusMin: 200, statusMax: 401 },
        documented: { ...documented, verified: '2026-11-20' },
      },
    ],
    [
      'an accepted 404',
      {
        expect: { statusMin: 404, statusMax: 404 },
        documented: { ...documented, verified: '2026-11-20' },
      },
    ],
    [
      'a document that never changes',
      {
        url: 'https://acme.example/.well-known/openid-configuration',
        documented: { ...documented, verified: '2026-11-20' },
      },
    ],
  ])('is "answers" for %s', (_, more) => {
    expect(gradeOf(probe(more))).toBe('answers')
  })

  test('is "works" for a verified 2xx with documented content', () => {
    const verified = { ...documented, verified: '2026-11-20' }
    expect(gradeOf(probe({ documented: verified }))).toBe('works')
    const only2xx = { statusMin: 200, statusMax: 204 }
    expect(gradeOf(probe({ expect: only2xx, documented: verified }))).toBe('works')
    expect(gradeOnceVerified(probe({ documented }))).toBe('works')
    const file = { url: 'https://acme.example/robots.txt', documented: verified }
    expect(gradeOf(probe(file))).toBe('edge')
  })

  test.each([
    '/robots.txt',
    '/ROBOTS.TXT',
    '/a/favicon.ico',
    '/apple-touch-icon-120.png',
    '/sitemap_index.xml',
    '/cdn-cgi/trace',
    '/generate_204',
    '/static/app.1f2e.js',
    '/x.css?v=2',
    '/logo.svg#a',
    '/dist/SHASUMS256.txt',
  ])('is "edge" for %s', (path) => {
    expect(isEdgeUrl(`https://acme.example${path}`)).toBe(true)
  })

  test.each([
    '/',
    '/login',
    '/api/v1/robots.txt/status',
    '/npm/jquery/package.json',
    '/node.js/docs',
    '/feed.xml',
    '/a?file=robots.txt',
  ])('is not "edge" for %s', (path) => {
    expect(isEdgeUrl(`https://acme.example${path}`)).toBe(false)
  })
})

describe('documented content', () => {
  test('is asserted after verification, in addition to the expectation', () => {
    const expected = { statusMin: 200, statusMax: 200 }
    const unseen = probe({ expect: expected, documented })
    expect(expectedAssertions(unseen)).toMatchObject({
      assertionStatusMin: 200,
      assertionJsonPath: null,
    })
    const seen = probe({ expect: expected, documented: { ...documented, verified: '2026-11-20' } })
    expect(expectedAssertions(seen)).toMatchObject({
      assertionStatusMin: 200,
      assertionJsonPath: 'ok',
      assertionJsonOp: 'equals',
      assertionJsonValue: 'true',
    })
    expect(documentedAssertions(unseen)).toEqual(expectedAssertions(seen))
  })

  test.each<[Record<string, unknown>, string]>([
    [{ ...documented, jsonPath: undefined, jsonOp: undefined, jsonValue: undefined }, 'source'],
    [{ ...documented, jsonPath: 'a[*]' }, 'jsonPath'],
    [{ ...documented, source: 'documentation' }, 'source'],
    [{ ...documented, example: '' }, 'example'],
    [{ ...documented, verified: 'yesterday' }, 'verified'],
    [{ ...documented, statusMin: 200 }, 'documented'],
  ])('%j is refused', (wrong, where) => {
    const parsed = CatalogProbe.safeParse({ url: 'https://acme.example/', documented: wrong })
    expect(parsed.success).toBe(false)
    expect(parsed.error?.issues.flatMap(({ path }) => path)).toContain(where)
  })
})
