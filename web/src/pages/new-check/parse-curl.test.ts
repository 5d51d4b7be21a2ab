import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCurl } from './parse-curl.ts'

const run = promisify(execFile)

/** The request that the real curl sends for a command, run by the real bash. */
type Sent = { method: string; url: string; body: string; contentType: string | null }
let sent: Sent | null = null
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const contentType = request.headers['content-type'] ?? null
    sent = { method: request.method ?? '', url: request.url ?? '', body, contentType }
    response.end('ok')
  })
})
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

describe('reads the request that curl sends', () => {
  test.each([
    'curl ORIGIN/a',
    'curl -s ORIGIN/a?b=1',
    "curl 'ORIGIN/a?b=1&c=2' -H 'Accept: text/html' --compressed",
    'curl -X DELETE ORIGIN/a',
    'curl -XPUT ORIGIN/a -d x=1',
    'curl --request PATCH ORIGIN/a --data-raw x',
    'curl -I ORIGIN/a',
    'curl ORIGIN/login -d user=me -d "pass=a b"',
    `curl ORIGIN/api -H 'Content-Type: application/json' --data '{"a":"b c"}'`,
    `curl --json '{"a":1}' ORIGIN/api`,
    "curl -G ORIGIN/find -d q=1 -d 'r=2'",
    "curl ORIGIN/a --data-urlencode 'q=a b&c'",
    "curl 'ORIGIN/a' \\\n  -X POST \\\n  --data-raw $'it\\'s\\nnew'",
    'curl -m 5 -o /dev/null ORIGIN/a',
    'curl --url ORIGIN/a',
  ])('%j', async (template) => {
    const command = template.replaceAll('ORIGIN', origin)
    sent = null
    await run('bash', ['-c', command.replace(/^curl/, 'curl -sS --noproxy "*"')])
    const read = parseCurl(command)
    if ('problem' in read) throw new Error(read.problem)
    const { pathname, search } = new URL(read.url)
    expect({ method: read.method, url: pathname + search, body: read.body ?? '' }).toEqual({
      method: sent?.['method'],
      url: sent?.['url'],
      body: sent?.['body'],
    })
    expect(read.contentType).toBe(sent?.['contentType'])
  })
})

test.each([
  ['wget https://example.org/', 'must begin with curl'],
  ['curl', 'names no URL'],
  ['curl https://example.org/ | jq .', 'a pipe'],
  ['curl "$URL"', 'a variable'],
  ['curl https://example.org/ && rm -rf /', 'another shell operator'],
  [`curl https://example.org/${'x'.repeat(20_000)}`, 'more than 20000 characters'],
])('refuses %s', (command, problem) => {
  expect(parseCurl(command)).toEqual({ problem: expect.stringContaining(problem) })
})

test('names the parts that a check cannot send', () => {
  const read = parseCurl(
    "curl https://example.org/ -H 'Authorization: Bearer x' -u me:secret -A agent -b a=b",
  )
  expect(read).toMatchObject({
    method: 'GET',
    ignored: [
      'the header Authorization',
      'the option --user',
      'the option --user-agent',
      'the option --cookie',
    ],
  })
  expect(JSON.stringify(read)).not.toContain('secret')
})
