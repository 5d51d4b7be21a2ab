import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { insertTestAlert } from '@probe-mesh/control-plane/src/alerts/testing'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { minutesOf } from '../acts/maintenance.ts'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'
import { fetchInto } from './testing.ts'

const at = useTestApp()
const account = useEach(() => at.account('growth'))

const runWith = async (apiKey: string, ...argv: string[]) => {
  const { fetch, asked } = fetchInto(at)
  const environment = { SERVICE_API_URL: 'http://app', SERVICE_API_KEY: apiKey, LANG: 'C.UTF-8' }
  const context = testContext({ fetch, nowMs: at.now(), environment })
  const exitCode = await runCommandLine(allCommands, context, argv)
  const writes = asked.filter(({ method }) => method !== 'GET')
  return { exitCode, ...context.written, writes: writes.length }
}
const run = (...argv: string[]) => runWith(account.writeKey, ...argv)
const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).out)

const create = async (name: string): Promise<string> => {
  const body = { name, url: 'https://example.org/' }
  const made = await at.call('POST', '/v1/checks', { key: account.writeKey, body })
  return made.json.id
}

/** As the Terraform provider, which alone writes status pages. */
const publish = (path: string, body: object) =>
  at.call('POST', path, {
    key: account.writeKey,
    headers: { 'service-client': 'terraform-provider-service/1.0.0' },
    body,
  })

describe('pause and resume', () => {
  test('change one check, and its list says so', async () => {
    await create('web')
    expect(await run('pause', 'web')).toMatchObject({
      exitCode: 0,
      out: 'web is paused: it is not measured, and no rule alerts on it.\n',
    })
    expect((await run('status')).out).toMatch(/^‖ paused +web/m)
    expect((await json('resume', 'web')).check).toMatchObject({ name: 'web', paused: false })
    expect((await run('status')).out).toMatch(/^\? unknown +web/m)
  })

  test('send nothing when several checks have the name', async () => {
    const ids = [await create('web'), await create('web')]
    const { exitCode, err, writes } = await run('pause', 'web')
    expect({ exitCode, writes }).toEqual({ exitCode: 1, writes: 0 })
    for (const id of ids) expect(err).toContain(id)
  })

  test('print the refusal of a read key', async () => {
    await create('web')
    const { exitCode, err } = await runWith(account.readKey, 'pause', 'web')
    expect(exitCode).toBe(1)
    expect(err).toContain('SV-1004')
  })
})

describe('alerts', () => {
  const fail = async (name: string): Promise<string> => {
    const checkId = await create(name)
    return insertTestAlert(at.sql, { accountId: account.id, checkId, atMs: at.now() - 60_000 })
  }

  test('are listed with who took them, and acknowledged by the name of the check', async () => {
    expect((await run('alerts')).out).toBe('No alert is open.\n')
    const id = await fail('api')
    expect((await run('alerts')).out).toMatch(/^api +unknown +1 min +not acknowledged/m)
    const acked = await run('alerts', 'ack', 'api')
    expect(acked).toMatchObject({ exitCode: 0, writes: 1 })
    expect(acked.out).toMatch(/^The alert on api is acknowledged by API key .+\.\n$/)
    expect((await json('alerts')).alerts).toMatchObject([{ id, acknowledgedAt: expect.any(String) }])
  })

  test('are snoozed and ended; a closed one is refused', async () => {
    const id = await fail('api')
    expect((await json('alerts', 'snooze', 'api', '--for', '4h')).alert).toMatchObject({
      id,
      snoozedUntil: expect.any(String),
    })
    expect((await run('alerts', 'resolve', id)).out).toMatch(/^The alert on api is ended by API key/)
    const late = await run('alerts', 'ack', 'api')
    expect([late.exitCode, late.err]).toEqual([1, expect.stringContaining('SV-3002')])
  })

  test.each([
    [['ack'], 'alerts ack needs the name or id of a check, or the id of an alert.'],
    [['ack', 'apo'], 'There is no open alert named apo.\nDid you mean api?'],
    [['snooze', 'api'], 'alerts snooze needs either --for'],
    [['snooze', 'api', '--for', 'long'], '--for: "long" is not a duration'],
    [['snooze', 'api', '--for', '8d'], '--for: at most 7 days.'],
    [['ack', 'api', '--for', '1h'], 'alerts ack does not take --for.'],
    [['resolve', 'api', '--for', '1h', '--until', 'x'], 'alerts resolve does not take --for, --until.'],
    [['list', 'api'], 'alerts list does not take api.'],
    [['take', 'api'], 'alerts has no action take.'],
  ])('%j is refused without a write', async (words, why) => {
    await fail('api')
    const { exitCode, err, writes } = await run('alerts', ...words)
    expect([exitCode, writes]).toEqual([1, 0])
    expect(err).toContain(why)
  })

  test('of checks with one name are told apart by their ids, times and statuses', async () => {
    at.hold()
    const ids = [await fail('api'), await fail('api')]
    const { exitCode, err, writes } = await run('alerts', 'ack', 'api')
    expect([exitCode, writes]).toEqual([1, 0])
    const since = new Date(at.now() - 60_000).toISOString().slice(0, 19).replace('T', ' ')
    for (const id of ids) expect(err).toContain(`${id} (unknown, since ${since}Z)`)
  })
})

describe('incidents', () => {
  test('are opened, updated and resolved by the name of the check', async () => {
    await create('api')
    const opened = await run('incident', 'open', 'api', '--title', 'Slow answers', '--region', 'fra')
    expect(opened).toMatchObject({ exitCode: 0, writes: 1 })
    expect(opened.out).toMatch(/^Opened "?Slow answers"? about api in fra. Its id is [\w-]+\.\n$/)
    expect((await run('status', 'api')).out).toContain(
      'Incident, investigating, opened 0 s ago: Slow answers\n',
    )
    const updated = await run(
      'incident',
      'update',
      'api',
      '--status',
      'monitoring',
      '--body',
      'A fix is out.',
    )
    expect(updated.out).toBe('Slow answers is monitoring.\n')
    const { incident } = await json('incident', 'resolve', 'Slow answers')
    expect(incident).toMatchObject({
      status: 'resolved',
      updates: [{ body: 'This incident is resolved.' }, { body: 'A fix is out.' }, { body: 'Slow answers' }],
    })
    expect((await run('status', 'api')).out).not.toContain('Slow answers')
    expect((await run('incident', 'resolve', 'api')).err).toContain('No incident is open.')
  })

  test('take the page that publishes the check, and need its name when several do', async () => {
    const checkId = await create('api')
    const page = await publish('/v1/status-pages', { name: 'Second', slug: `second-${account.id.slice(-6)}` })
    const components = `/v1/status-pages/${page.json.id}/components`
    const open = ['incident', 'open', 'api', '--title', 'Slow', '--region', 'fra']
    expect((await run(...open)).err).toContain('Name the status page with --page.')
    expect((await publish(components, { checkId })).status).toBe(201)
    expect((await json(...open)).incident.statusPageId).toBe(page.json.id)
    const pages = await at.call('GET', '/v1/status-pages', { key: account.readKey })
    const first = pages.json.statusPages.find(({ id }: { id: string }) => id !== page.json.id)
    await publish(`/v1/status-pages/${first.id}/components`, { checkId })
    const unclear = await run(...open)
    expect(unclear).toMatchObject({ exitCode: 1, writes: 0 })
    expect(unclear.err).toContain('Name the status page with --page.')
    expect((await json(...open, '--page', 'Second')).incident.statusPageId).toBe(page.json.id)
  })

  test.each([
    [['incident', 'open', 'api'], 'incident open needs --title.'],
    [['incident', 'open', 'api', '--title', 'x'], 'Name the affected region with --region.'],
    [['incident', 'update', 'api', '--body', 'x'], 'incident update needs --status.'],
    [['incident', 'update', 'api', '--status', 'monitoring'], 'incident update needs --body.'],
    [['incident', 'close', 'api'], 'incident has no action close.'],
  ])('%j writes nothing and names what is missing', async (argv, told) => {
    await create('api')
    const { exitCode, err, writes } = await run(...argv)
    expect({ exitCode, writes }).toEqual({ exitCode: 1, writes: 0 })
    expect(err).toContain(told)
  })
})

describe('maintenance', () => {
  test('is started for a duration and ended, and named by the status of the check', async () => {
    const checkId = await create('api')
    const pages = await at.call('GET', '/v1/status-pages', { key: account.readKey })
    await publish(`/v1/status-pages/${pages.json.statusPages[0].id}/components`, { checkId })
    const started = await run(
      'maintenance',
      'start',
      '--title',
      'New disks',
      '--for',
      '30m',
      '--components',
      'api',
    )
    expect(started).toMatchObject({ exitCode: 0, writes: 1 })
    expect(started.out).toMatch(
      /^Maintenance New disks is active until .*Z; its alerts are held\. Its id is /,
    )
    expect((await run('status', 'api')).out).toMatch(/^Under maintenance until .*Z: New disks$/m)
    expect((await run('maintenance')).out).toContain('New disks')
    expect((await run('maintenance', 'end')).out).toBe('Maintenance New disks is ended.\n')
    expect((await run('maintenance', 'end')).err).toContain('No maintenance is active.')
  })

  test.each([
    [['start', '--for', '30m'], 'needs --title'],
    [['start', '--title', 'x'], 'needs either --for'],
    [['start', '--title', 'x', '--for', '30m', '--until', '2030-01-01T00:00:00Z'], 'needs either --for'],
    [['start', '--title', 'x', '--for', 'soon'], '"soon" is not a duration such as 30m'],
    [
      ['start', '--title', 'x', '--for', '30m', '--components', 'a,b'],
      'There is no component named a.\nThere is no component named b.',
    ],
    [['cancel'], 'maintenance has no action cancel.'],
  ])('%j writes nothing and names the mistake', async (argv, told) => {
    const { exitCode, err, writes } = await run('maintenance', ...argv)
    expect({ exitCode, writes }).toEqual({ exitCode: 1, writes: 0 })
    expect(err).toContain(told)
  })

  test.each([
    ['30m', 30],
    ['90 min', 90],
    ['2h', 120],
    ['1d', 1_440],
    ['0m', null],
    ['30', null],
    ['-1h', null],
  ])('the duration %s has %s minutes', (text, minutes) => {
    expect(minutesOf(text)).toBe(minutes)
  })
})

test('channel test sends a message, and exits 1 when the receiver refuses it', async () => {
  let status = 204
  const receiver = createServer((_, answer) => answer.writeHead(status).end())
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  const body = { type: 'json', name: 'on call', config: { url: `http://127.0.0.1:${port}/` } }
  const made = await at.call('POST', '/v1/notification-channels', { key: account.writeKey, body })
  expect(made.status, made.text).toBe(201)
  expect((await run('channel')).out).toMatch(/^on call +json +no/m)
  const sent = await run('channel', 'test', 'on call')
  expect(sent).toMatchObject({ exitCode: 0 })
  expect(sent.out).toContain('on call: the test message was delivered')
  status = 500
  expect(await run('channel', 'test', 'on call')).toMatchObject({ exitCode: 1 })
  expect((await run('channel', 'test', 'on-call')).err).toContain('Did you mean on call?')
  receiver.closeAllConnections()
  receiver.close()
})
