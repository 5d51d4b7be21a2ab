import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCatalog } from './run-catalog.ts'

const now = () => Date.parse('2026-11-20T12:00:00.000Z')

/** The answers of the test's services, by path. */
const pages: Record<string, [status: number, text: string]> = {
  '/ping': [200, '{"ok":true}'],
  '/anew': [200, '<p>A new page.</p>'],
  '/denied': [403, ''],
  '/gone': [404, ''],
  '/robots.txt': [200, 'User-agent: *'],
}
const server = createServer((request, response) => {
  const [status, text] = pages[request.url ?? ''] ?? [500, '']
  response.writeHead(status).end(text)
})
let at = ''
let folder = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = testFolder('catalog-')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const documented = (path: string, more = ''): string => `
      - url: ${at}${path}
        documented:
          source: https://docs.acme.example/ # where it says so
          jsonPath: ok
          jsonOp: equals
          jsonValue: true
          example: '{"ok":true}'${more}`

const write = async (...services: [slug: string, probe: string][]): Promise<string> => {
  const file = join(folder, 'catalog.yaml')
  const text = services.map(
    ([slug, probe]) =>
      `  - slug: ${slug}\n    name: ${slug}\n    category: work\n    probes:${probe}\n    cdn: fastly\n`,
  )
  await writeFile(file, `stacks: []\n# in their order\nservices:\n${text.join('\n')}`)
  return file
}

const run = async (args: string[], more: Record<string, string> = {}) => {
  const told = { out: '', error: '' }
  const environment = { TARGET_ALLOW: '127.0.0.0/8', CANARIES: 'none', ...more }
  const code = await runCatalog(
    args,
    environment,
    {
      out: (text) => void (told.out += text),
      error: (text) => void (told.error += text),
    },
    now,
  )
  return { code, ...told, lines: told.out.trim().split('\n') }
}

test('lists every change of a probe, and nothing for a good one', async () => {
  const file = await write(
    ['seen', documented('/ping')],
    ['known', documented('/ping', '\n          verified: 2026-01-01')],
    ['anew', documented('/anew', '\n          verified: 2026-01-01')],
    ['wrong', documented('/anew')],
    ['denied', `\n      - url: ${at}/denied`],
    ['gone', `\n      - url: ${at}/gone`],
    ['file', `\n      - url: ${at}/robots.txt`],
  )
  const { code, lines } = await run(['verify', '--catalog', file])
  expect(code).toBe(1)
  expect(lines.slice(0, -1).toSorted()).toEqual([
    `changed   anew ${at}/anew: the page changed: body is not JSON; correct "documented" and remove "verified"`,
    `changed   wrong ${at}/anew: the page changed: body is not JSON; correct "documented"`,
    `failing   gone ${at}/gone: expected status 200-299, got 404; if the service is up, correct the address or the expectation`,
    `refused   denied ${at}/denied: the probe was refused with 403; find an endpoint that answers without credentials`,
    `verified  seen ${at}/ping: add "verified: 2026-11-20"; the grade becomes works`,
  ])
  expect(lines.at(-1)).toBe('2 good, 1 seen, 2 changed, 1 refused, 1 failing, 0 unmeasured.')
})

test('writes verified probes to the file, clears wrong ones, and changes nothing else', async () => {
  const file = await write(
    ['seen', documented('/ping')],
    ['anew', documented('/anew', '\n          verified: 2026-01-01')],
    [
      'flow',
      `\n      - url: ${at}/ping\n        documented: { source: https://docs.acme.example/, jsonPath: ok, jsonOp: exists, example: '{"ok":1}' }`,
    ],
    ['gone', `\n      - url: ${at}/gone`],
  )
  const before = await readFile(file, 'utf8')
  const { code } = await run(['verify', '--catalog', file, '--write'])
  expect(code).toBe(1)
  const after = await readFile(file, 'utf8')
  expect(after).toBe(
    before
      .replace(
        `example: '{"ok":true}'\n    cdn`,
        `example: '{"ok":true}'\n          verified: 2026-11-20\n    cdn`,
      )
      .replace('verified: 2026-01-01', 'verified: null')
      .replace(`example: '{"ok":1}' }`, `example: '{"ok":1}', verified: 2026-11-20 }`),
  )
  const again = await run(['verify', '--catalog', file, '--only', 'seen,flow'])
  expect([again.code, again.lines]).toEqual([
    0,
    ['2 good, 0 seen, 0 changed, 0 refused, 0 failing, 0 unmeasured.'],
  ])
})

test('verifies nothing without internet, and says so', async () => {
  const file = await write(['seen', documented('/ping')])
  const { code, out, error } = await run(['verify', '--catalog', file, '--write'], {
    CANARIES: '127.0.0.1:1',
  })
  expect([code, out]).toEqual([1, ''])
  expect(error).toContain('CANARIES')
  expect(await readFile(file, 'utf8')).not.toContain('verified')
})

test('counts the grades of the catalog of this repository', async () => {
  const { code, lines } = await run(['grades'])
  expect(code).toBe(0)
  expect(lines).toEqual([
    expect.stringMatching(/^\d{3} services, \d{3} probes: (1?\d|20) edge, \d+ answers, \d+ works\.$/),
    expect.stringMatching(/^Once verified: (1?\d|20) edge, \d+ answers, \d{2,} works\.$/),
    expect.stringMatching(/^Vendors document \d{2,} of them; \d+ are not verified yet\.$/),
  ])
})

test.each([
  [[], 'npm run -s catalog -- verify'],
  [['tidy'], 'npm run -s catalog -- verify'],
  [['verify', '--all'], 'npm run -s catalog -- verify'],
  [['verify', '--only', 'nothing'], 'no service has the slug nothing'],
  [['grades', '--catalog', '/nowhere/catalog.yaml'], 'cannot be read'],
])('%j is refused with what to do', async (args, message) => {
  const { code, out, error } = await run(args)
  expect([code, out]).toEqual([1, ''])
  expect(error).toContain(message)
})
