import { execFileSync, spawn } from 'node:child_process'
import { createHash, createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findTestChromium } from '@probe-mesh/infra/testing/chromium'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { startSite, type Site } from './testing/site.ts'
import { createVisitor, detailsOf } from './testing/visitor.ts'

const patience = { interval: 50 }

let site: Site
let chromium: string

beforeAll(async () => {
  chromium = await findTestChromium()
  site = await startSite({
    '/': '<title>fine</title><h1>fine</h1>',
    '/no-answer': () => undefined,
    '/heavy': '<title>heavy</title><script src="/part"></script><h1>heavy</h1>',
    // An incomplete script is unknown content, so nothing ends its load early.
    '/part': (response) =>
      response.setHeader('content-type', 'text/javascript').end(`/*${'x'.repeat(300_000)}*/`),
  })
}, 600_000)
afterAll(() => site.close())

const open = (options: Parameters<typeof createVisitor>[1] = {}) => {
  const visitor = createVisitor(chromium, { settleMs: 500, ...options })
  onTestFinished(visitor.close)
  return visitor
}

/** The command lines of running processes. */
const commandLines = (): { pid: number; text: string }[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [{ pid: Number(name), text: readFileSync(`/proc/${name}/cmdline`, 'utf8') }]
    } catch {
      return []
    }
  })
const profileOf = (pid: number): string => {
  const text = commandLines().find((each) => each.pid === pid)?.text ?? ''
  return /--user-data-dir=([^\0]+)/.exec(text)?.[1] ?? 'none'
}
const processesOf = (profile: string): number =>
  commandLines().filter(({ text }) => text.includes(profile)).length
const profilesOf = (pid: number): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`probe-mesh-chromium-${pid}-`))

describe('the browser of an agent', () => {
  test('starts with the first page, and serves all pages', async () => {
    const { host, visit } = open()
    expect([host.pid, host.counts.launches]).toEqual([null, 0])
    await visit({ url: site.url() })
    const { pid } = host
    await Promise.all([visit({ url: site.url() }), visit({ url: site.url() })])
    expect([host.pid, host.counts.launches]).toEqual([pid, 1])
  })

  test('that is killed leaves its run unmeasured, and the next run works', async () => {
    const { host, visit } = open()
    await visit({ url: site.url() })
    const running = visit({ url: site.url('/no-answer') })
    const asked = () => site.requests.some((request) => request.url === '/no-answer')
    await vi.waitFor(() => expect(asked()).toBe(true), patience)
    const profile = profileOf(host.pid ?? 0)
    process.kill(host.pid ?? 0, 'SIGKILL')
    expect((await running).judgement).toEqual({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'probe_browser_ended',
      reason: 'the browser of the probe ended during the run',
    })
    expect((await visit({ url: site.url() })).judgement.verdict).toBe('up')
    expect(host.counts.launches).toBe(2)
    await vi.waitFor(() => expect(processesOf(profile)).toBe(0), patience)
  })

  test('is replaced after a number of runs, and leaves nothing behind', async () => {
    const { host, visit } = open({ runsPerProcessMax: 2 })
    await visit({ url: site.url() })
    const profile = profileOf(host.pid ?? 0)
    expect(processesOf(profile)).toBeGreaterThan(0)
    await visit({ url: site.url() })
    await visit({ url: site.url() })
    expect(host.counts.launches).toBe(2)
    await vi.waitFor(() => {
      expect(processesOf(profile)).toBe(0)
      expect(profilesOf(process.pid).map((name) => `${tmpdir()}/${name}`)).not.toContain(profile)
    }, patience)
  })

  test('ends when it stays idle, and starts again', async () => {
    const { host, visit } = open({ idleMsMax: 100 })
    await visit({ url: site.url() })
    await vi.waitFor(() => expect(host.pid).toBeNull(), patience)
    expect((await visit({ url: site.url() })).judgement.verdict).toBe('up')
    expect(host.counts.launches).toBe(2)
  })

  test('that cannot be started leaves the run unmeasured', async () => {
    const visitor = createVisitor('/bin/false')
    onTestFinished(visitor.close)
    const { judgement } = await visitor.visit({ url: site.url() })
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_browser_failed' })
    expect(visitor.host.counts.failures).toBe(1)
  })

  test('closes at once with a page open, and accepts no more runs', async () => {
    const { host, visit, close } = open()
    await visit({ url: site.url() })
    const profile = profileOf(host.pid ?? 0)
    const before = site.requests.length
    const running = visit({ url: site.url('/no-answer') })
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(before), patience)
    const startedAt = performance.now()
    await close()
    expect(performance.now() - startedAt).toBeLessThan(7_000)
    expect((await running).judgement.verdict).toBe('unmeasured')
    expect((await visit({ url: site.url() })).judgement.cause).toBe('probe_stopped')
    // after a forced kill, child processes end a moment later
    await vi.waitFor(() => expect(processesOf(profile)).toBe(0), patience)
  })

  test('dies with a killed agent, whose profile the next agent removes', async () => {
    const program = fileURLToPath(new URL('testing/visiting-agent.ts', import.meta.url))
    const args = ['--disable-warning=ExperimentalWarning', program, chromium, site.url('/no-answer')]
    const agent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const before = site.requests.length
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(before), patience)
    const [name = 'none'] = profilesOf(agent.pid ?? 0)
    expect(processesOf(name)).toBeGreaterThan(1)
    agent.kill('SIGKILL')
    await once(agent, 'exit')
    await vi.waitFor(() => expect(processesOf(name)).toBe(0), patience)
    await open().visit({ url: site.url() })
    expect(profilesOf(agent.pid ?? 0)).toEqual([])
  })
})

describe('16 trials of one account on a page that never answers', () => {
  const startTrials = async () => {
    const { visit } = open()
    const before = site.requests.length
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const trial = { accountId: 'hog', kind: 'manual', deadlineMs: 8_000 } as const
    const trials = Array.from({ length: 16 }, () =>
      visit({ url: site.url('/no-answer') }, trial).then(note('trial')),
    )
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(before), patience)
    return { visit, ended, note, trials }
  }

  test("leave a page to another account's scheduled run at once", async () => {
    const { visit, ended } = await startTrials()
    const { judgement } = await visit({ url: site.url() }, { accountId: 'small' })
    expect([judgement.verdict, ended]).toEqual(['up', []])
  })

  test("give the next turn to another account's run on demand", async () => {
    const { visit, ended, note } = await startTrials()
    const asked = { accountId: 'small', kind: 'manual' } as const
    const running = visit({ url: site.url() }, asked)
    void running.then(note('run'))
    expect((await running).judgement.verdict).toBe('up')
    expect(ended).toEqual(['trial', 'run'])
  })
})

describe('a page that loads more than the probe allows', () => {
  test('is unmeasured when it fails, and up when it shows the expected content', async () => {
    const { visit } = open({ bounds: { connectionsMax: 100, bytesMax: 200_000 } })
    const failing = await visit({ url: site.url('/heavy'), textContains: 'nothing' })
    expect(failing.judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_page_limit' })
    const fine = await visit({ url: site.url('/heavy'), textContains: 'heavy' })
    expect(fine.judgement.verdict).toBe('up')
  })
})

describe('over TLS', () => {
  const startTls = async (pair: { key: string; cert: string }) => {
    const server = createServer(pair, (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>safe</title><link rel="icon" href="data:,"><h1>safe</h1>')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `https://127.0.0.1:${portOf(server)}/`
  }

  test("an untrusted certificate is the page's fault; a trusted one is read", async () => {
    const certificates = createCertificates()
    onTestFinished(certificates.remove)
    const pair = certificates.leaf('127.0.0.1')
    const url = await startTls(pair)
    const untrusted = await open().visit({ url })
    expect(untrusted.judgement).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'certificate_untrusted',
    })
    const key = createPublicKey(pair.cert).export({ type: 'spki', format: 'der' })
    const trusted = createHash('sha256').update(key).digest('base64')
    const { visit } = open({ flags: [`--ignore-certificate-errors-spki-list=${trusted}`] })
    const probed = await visit({ url, titleContains: 'safe', lcpMsMax: 15_000 })
    expect(probed.judgement.verdict).toBe('up')
    expect(probed.trace).toMatchObject({
      httpStatus: 200,
      address: '127.0.0.1',
      certificateExpiresAt: new X509Certificate(pair.cert).validToDate.getTime(),
    })
    const { connectMs, tlsMs, ttfbMs } = probed.trace.timings
    expect(connectMs).toBeGreaterThanOrEqual(0)
    // Chromium has no timings for a connection that was already open
    for (const ms of [tlsMs, ttfbMs]) expect(ms ?? 0).toBeGreaterThanOrEqual(0)
    expect(detailsOf(probed).refusedRequests).toBe(0)
  })
})

test('an agent without a browser leaves a run unmeasured', async () => {
  const { visit } = createVisitor(null)
  const { judgement, trace } = await visit({ url: site.url() })
  expect(judgement).toEqual({
    verdict: 'unmeasured',
    fault: 'probe',
    cause: 'probe_no_browser',
    reason: 'the probe has no browser',
  })
  expect(trace).toMatchObject({ answered: false, details: null })
})

test('an agent without browser checks does not load Playwright', () => {
  const script = `await import(${JSON.stringify(new URL('host.ts', import.meta.url).href)})
    const { createRequire } = await import('node:module')
    const loaded = Object.keys(createRequire(import.meta.url).cache ?? {})
    console.log(loaded.filter((path) => path.includes('playwright')).length)`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('0')
})
