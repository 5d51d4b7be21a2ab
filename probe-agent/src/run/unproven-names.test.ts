import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { SmtpSettings } from '@probe-mesh/check-types/smtp/settings'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNameControls } from '../dns-evidence/controls.ts'
import { createNameInquiry } from '../dns-evidence/inquire.ts'
import { answering as replying, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { resolverOf } from '../request/testing/ask.ts'
import { startRawServer } from '../request/testing/raw-server.ts'
import { answering, assignmentOf, ok, setUp } from './testing/run.ts'

const url = 'http://www.example.org/'

describe('a resolver that never resolved a name', () => {
  const host = 'www.example.org'
  const { url: _, assertions: __, ...common } = assignmentOf(url)
  const step = (to: string) => ({
    name: to,
    method: 'GET' as const,
    url: to,
    body: null,
    contentType: null,
    assertions: noStepAssertions,
  })
  /** A private agent; `rcode` is the answer of its own resolver, for DNS checks. */
  const start = async (code: string, rcode: number, canaries: string[] = ['192.0.2.1']) => {
    const inner = await startDnsServer((asked) => asked.send(replying(asked, [], rcode)))
    onTestFinished(inner.close)
    const resolver = {
      ...resolverOf({ [host]: code, 'known.corp.example': ['127.0.0.1'] }),
      getServers: () => [inner.resolver],
    }
    const controls = createNameControls({ hosts: canaries, resolver })
    return { controls, ...setUp({ resolver, names: createNameInquiry({ controls }) }) }
  }
  const redirecting = async (): Promise<string> => {
    const target = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${url}\r\nContent-Length: 0\r\n\r\n`),
    )
    onTestFinished(target.close)
    return `http://127.0.0.1:${target.port}/`
  }
  const answeringUrl = async (): Promise<string> => (await answering(ok)).url

  const kinds: Record<string, () => Assignment | Promise<Assignment>> = {
    http: () => assignmentOf(url),
    'http by a redirect of an address': async () => assignmentOf(await redirecting()),
    'http of a private agent, by a redirect of an address': async () => ({
      ...assignmentOf(await redirecting()),
      region: 'private-0190a000-0000-7000-8000-000000000002',
    }),
    'a journey’s second step': async () => ({
      ...common,
      type: 'multistep',
      intervalSeconds: 60,
      steps: [step(await answeringUrl()), step(url)],
    }),
    dns: () => ({
      ...common,
      type: 'dns',
      settings: { name: host, recordType: 'MX', resolver: null, expect: null },
    }),
    tcp: () => ({
      ...common,
      type: 'tcp',
      settings: TcpSettings.parse({ host, port: 5432 }),
    }),
    smtp: () => ({ ...common, type: 'smtp', settings: SmtpSettings.parse({ host, port: 25 }) }),
  }

  const cases = Object.keys(kinds).flatMap((kind) =>
    [
      ['ENOTFOUND', 3],
      ['ENODATA', 0],
    ].map(([code, rcode]) => [kind, code, rcode] as [string, string, number]),
  )
  test.each(cases)('accuses none: %s, %s', async (kind, code, rcode) => {
    const assignment = (await kinds[kind]?.()) ?? assignmentOf(url)
    const { runAny, controls } = await start(code, rcode)
    const unproven = await runAny(assignment)
    expect(unproven).toMatchObject({ verdict: 'unmeasured', fault: 'probe', cause: 'dns_unconfirmed' })
    expect(unproven.reason).toContain('the resolver of the probe resolved no other name within the last hour')
    controls.addResolved(() => 'known.corp.example')
    expect(await runAny(assignment)).toMatchObject({ verdict: 'down', fault: 'target' })
  })

  test.each([
    ['no canaries', []],
    ['a canary by address', ['192.0.2.1']],
  ])('accuses a name that it resolved before, with %s', async (_, canaries) => {
    const { run, controls } = await start('ENOTFOUND', 3, canaries)
    expect(await run(url)).toMatchObject({ cause: 'dns_unconfirmed' })
    controls.addResolved(() => host)
    expect(await run(url)).toMatchObject({ verdict: 'down', cause: 'dns_not_found' })
  })

  test('accuses none while a canary by address is reached and those by name are denied', async () => {
    const { run } = await start('ENOTFOUND', 3, ['192.0.2.1', 'canary.example.net'])
    expect(await run(url)).toMatchObject({
      verdict: 'unmeasured',
      reason: 'the resolver of the probe does not resolve other names either',
    })
  })
})
