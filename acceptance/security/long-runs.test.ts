import { importPools } from '@probe-mesh/contracts/check/import-pools'
import { noErrorFilters } from '@probe-mesh/error-tracking/contracts/error-settings'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { resolveName } from '@probe-mesh/control-plane/src/catalog/resolve-name'
import { openBody } from '@probe-mesh/error-tracking/accept/open/open-body'
import { defaultScrubRules } from '@probe-mesh/error-tracking/events/scrub/scrub'
import { readSourceMap } from '@probe-mesh/error-tracking/events/source-maps/read-source-map'
import { cleanJson } from '@probe-mesh/control-plane/src/http/clean-json'
import { readText } from '@probe-mesh/control-plane/src/imports/read-text'
import { escapeMarkdown } from '@probe-mesh/control-plane/src/notifications/channels/forms/request'
import { escapeAngles } from '@probe-mesh/control-plane/src/notifications/channels/forms/text'
import { decodeMessage } from '@probe-mesh/control-plane/readings/decode'
import { normaliseReason } from '@probe-mesh/control-plane/src/status/cause'
import { createResponseReader } from '@probe-mesh/probe-agent/src/http1/response-reader'
import { bodyText } from '@probe-mesh/probe-agent/src/judge/body-text'
import { judgeAttempt } from '@probe-mesh/probe-agent/src/judge/judge-attempt'
import { createMask } from '@probe-mesh/probe-agent/src/secrets/mask'
import { feed, noReply } from '@probe-mesh/check-types/smtp/probe/reply'
import { shown } from '@probe-mesh/check-types/tcp/probe/received'
import { contentCodings } from '@probe-mesh/probe-agent/src/request/content-coding'
import { createCookies } from '@probe-mesh/probe-agent/src/request/cookies'
import { locationText, redirectOf } from '@probe-mesh/probe-agent/src/request/redirect'
import { html } from '@probe-mesh/runtime/html'
import { oneLine } from '@probe-mesh/runtime/one-line'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import { describe, expect, test } from 'vitest'
import { longRuns, slowRuns } from './testing/long-runs.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** Every entrance of foreign bytes takes linear time for a long run of anything (docs/security.md). */

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const nothing = () => undefined
const bound = { bytes: 1_048_576, more: null }
const from = new URL('https://shop.example.org/')
const assertions = {
  assertionStatusMin: null,
  assertionStatusMax: null,
  assertionBodyOp: 'contains' as const,
  assertionBodyValue: 'ok',
  assertionJsonPath: null,
  assertionJsonOp: null,
  assertionJsonValue: null,
}
/** Reads an answer of a target as an http check does. */
const answer = (bytes: string): void => {
  const events = {
    onInterim: () => true,
    onHead: nothing,
    onData: nothing,
    onEnd: nothing,
    onProblem: nothing,
  }
  const reader = createResponseReader('GET', bound, events, nothing)
  reader.push(latin1(bytes))
  reader.close()
}
const judged = (status: number, text: string, headers: Record<string, string> = {}): unknown => {
  const body = { bytes: Buffer.from(text), truncated: false, undecoded: null }
  const outcome = { ok: true, status, headers, body, location: null } as never
  return judgeAttempt(outcome, { assertions, owner: 'catalog', refusedAs: null } as never)
}
const opened = (event: object): unknown =>
  openBody({
    body: Buffer.from(JSON.stringify(event)),
    encoding: undefined,
    kind: 'store',
    project: {
      projectId: '0190a000-0000-7000-8000-000000000000',
      scrub: defaultScrubRules,
      filters: noErrorFilters,
    },
    countsOnly: false,
    receivedAt: 1_700_000_000_000,
  })
const imported = (kind: 'curl' | 'openapi' | 'har', text: string): unknown =>
  readText({ kind, text, taken: [] })
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

type Entrance = [what: string, read: (run: string) => unknown, cpuMsMax?: number]

const ofAgents: Entrance[] = [
  ['the first line of an answer', (run) => answer(`${run}\r\n\r\n`)],
  ['what follows the status', (run) => answer(`HTTP/1.1 200 ${run}\r\n\r\n`)],
  ['the name of a header', (run) => answer(`HTTP/1.1 200 OK\r\n${run}: b\r\n\r\n`)],
  ['a header', (run) => answer(`HTTP/1.1 200 OK\r\na: b${run}c\r\n\r\n`)],
  ['a header with a control character', (run) => answer(`HTTP/1.1 200 OK\r\na: b${run}\x01c\r\n\r\n`)],
  ['a folded header', (run) => answer(`HTTP/1.1 200 OK\r\na: b\r\n ${run}c\r\n\r\n`)],
  ['the extension of a chunk', (run) => answer(`${chunked}1;${run}\r\na\r\n0\r\n\r\n`)],
  ['the size of a chunk', (run) => answer(`${chunked}${run}\r\n`)],
  ['a trailer', (run) => answer(`${chunked}0\r\na: b${run}\x01c\r\n\r\n`)],
  ['the length of an answer', (run) => answer(`HTTP/1.1 200 OK\r\ncontent-length: 1${run}1\r\n\r\n`)],
  ['a page of status 200', (run) => judged(200, run)],
  ['a page that begins like a page', (run) => judged(200, `<!DOCTYPE html><html><title>${run}`)],
  ['a page of status 403', (run) => judged(403, run, { server: 'cloudflare', 'content-type': 'text/html' })],
  ['a page of status 503', (run) => judged(503, run)],
  [
    'a charset',
    (run) =>
      bodyText({ bytes: Buffer.alloc(0) } as never, { 'content-type': `text/html; charset=${run}` } as never),
  ],
  [
    'a content type',
    (run) => bodyText({ bytes: Buffer.alloc(0) } as never, { 'content-type': run } as never),
  ],
  ['content codings', contentCodings],
  [
    'the target of a redirect',
    (run) => redirectOf({ status: 302, headers: { location: run } }, from, () => false, new Set() as never),
  ],
  ['the text of a redirect', locationText],
  ['Retry-After', (run) => retryAfterMs(run, 0)],
  ['a cookie', (run) => createCookies().merge(from, [`a=${run}; path=/`])],
  ['attributes of a cookie', (run) => createCookies().merge(from, [`a=b; ${run}`])],
  ['a reply by SMTP', (run) => feed(noReply, latin1(run))],
  ['bytes of a TCP service', (run) => shown(latin1(run))],
  [
    'an answer that may contain a secret',
    (run) =>
      createMask([{ value: 'sk_live_4f9q7x2c81ab', shown: '[secret]' }]).cut(run, limits.excerptBytesMax),
  ],
]

const ofTheControlPlane: Entrance[] = [
  ['JSON', (run) => attempt(() => parseForeignJson(`{"a":${run}`))],
  ['a string of JSON', (run) => parseForeignJson(JSON.stringify(run))],
  ['an answer as JSON', (run) => cleanJson(JSON.stringify(run))],
  ['an answer as JSON with an escape', (run) => cleanJson(JSON.stringify(`\x1b]${run}`))],
  ['a page', (run) => String(html`<p>${run}</p>`)],
  ['a text on one line', oneLine],
  ['the reason of an outage', (run) => normaliseReason(run.slice(0, 300))],
  ['Markdown', escapeMarkdown],
  ['a text in Slack’s format', escapeAngles],
  ['the name of a service', (run) => resolveName([] as never, run.slice(0, 200) as never)],
  [
    'a message of readings',
    (run) =>
      decodeMessage({
        partition: 1,
        sequence: 1,
        data: Buffer.from(`{"version":1,"agent":${JSON.stringify(run)}}`),
        storedAt: 0,
        region: 'fra',
      }),
  ],
]

const thread = 1_000
const ofThreads: Entrance[] = [
  ['the message of an error event', (run) => opened({ message: run }), thread],
  ['a key of an error event', (run) => opened({ extra: { [run]: 'a' } }), thread],
  ['a value of an error event', (run) => opened({ extra: { a: run } }), thread],
  ['a credential in an error event', (run) => opened({ message: `Authorization: Basic ${run}` }), thread],
  ['a frame of an error event', (run) => opened(eventOf({ filename: run, function: run })), thread],
  [
    'an exception of an error event',
    (run) => opened({ exception: { values: [{ type: run, value: run }] } }),
    thread,
  ],
  [
    'a request of an error event',
    (run) => opened({ request: { url: run, query_string: run, cookies: run } }),
    thread,
  ],
  ['a source map', (run) => attempt(() => readSourceMap(run)), thread],
  [
    'sources of a source map',
    (run) =>
      attempt(() =>
        readSourceMap(JSON.stringify({ version: 3, sources: [run], names: [run], mappings: 'AAAA' })),
      ),
    thread,
  ],
  ['a curl command', (run) => imported('curl', run), importPools.longImports.workMsMax],
  [
    'a URL of curl',
    (run) => imported('curl', `curl https://example.org/${run}`),
    importPools.longImports.workMsMax,
  ],
  [
    'a quoted URL of curl',
    (run) => imported('curl', `curl 'https://example.org/${run}'`),
    importPools.longImports.workMsMax,
  ],
  [
    'a header of curl',
    (run) => imported('curl', `curl https://example.org/ -H 'a${run}: b'`),
    importPools.longImports.workMsMax,
  ],
  [
    'data of curl',
    (run) => imported('curl', `curl https://example.org/ -d '${run}'`),
    importPools.longImports.workMsMax,
  ],
  [
    'curl of Windows',
    (run) => imported('curl', `curl ^"https://example.org/^" -H ^"a: ${run}^"`),
    importPools.longImports.workMsMax,
  ],
  ['an OpenAPI document', (run) => imported('openapi', run), importPools.longImports.workMsMax],
  [
    'a value of an OpenAPI document',
    (run) => imported('openapi', `openapi: 3.0.0\ninfo: ${run}`),
    importPools.longImports.workMsMax,
  ],
  ['a HAR file', (run) => imported('har', run), importPools.longImports.workMsMax],
  ['a URL of a HAR file', (run) => imported('har', harOf(run)), importPools.longImports.workMsMax],
]

const attempt = (read: () => unknown): void => {
  try {
    read()
  } catch {
    // refused is fine; only its time counts
  }
}
const eventOf = (frame: object): object => ({
  exception: { values: [{ type: 'E', value: 'v', stacktrace: { frames: [frame] } }] },
})
const harOf = (run: string): string =>
  JSON.stringify({
    log: {
      entries: [
        {
          startedDateTime: '2026-01-01T00:00:00Z',
          request: { method: 'GET', url: `https://example.org/${run}`, headers: [{ name: 'a', value: run }] },
          response: { status: 200, headers: [], content: { mimeType: 'text/html', text: run } },
        },
      ],
    },
  })

/** The longest time on a loop that others share, ms of CPU. */
const loopMsMax = 100

describe.each([...ofAgents, ...ofTheControlPlane, ...ofThreads])('%s', (_, read, cpuMsMax = loopMsMax) => {
  test('takes linear time', { timeout: 600_000 }, () => {
    expect(slowRuns((run) => attempt(() => read(run)), longRuns, cpuMsMax)).toEqual([])
  })
})
