import { setTimeout as elapse } from 'node:timers/promises'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { followFlips } from '@probe-mesh/infra/testing/follow-flips'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import { contradictions } from './every-surface/contradictions.ts'
import { falseMessages, type Told } from './every-surface/false-messages.ts'
import { readAccount, readDetails, statementOf } from './every-surface/read-account.ts'
import { readPage } from './every-surface/read-page.ts'
import { kinds, startStage, type Kind } from './every-surface/stage.ts'
import type { Moment } from './every-surface/statement.ts'

/**
 * Outages of every kind at the same time, read at eleven moments from every surface by a stranger, who knows public
 * contracts only: no two surfaces contradict each other, and messages say what was so.
 */

const patience = { timeout: 90_000, interval: 500 }
/** Longer than documents of pages and metrics are kept, and than posts and messages follow a flip. */
const settleMs = 7_000

const stage = useOnce(startStage, 180_000)
const flips = useOnce(() => followFlips(stage.account.apiUrl, stage.account.keys.list))

const read = (): Promise<CheckDetail[]> => readDetails(stage.account, Object.values(stage.ids))

const become = (wanted: Partial<Record<Kind, string>>): Promise<void> =>
  vi.waitFor(async () => {
    const found = Object.fromEntries((await read()).map(({ name, status }) => [name, status]))
    expect(found).toMatchObject(wanted)
  }, patience)

/** Waits until the probed checks have this status in a region. */
const becomeIn = (region: string, wanted: 'stale' | 'up'): Promise<void> =>
  vi.waitFor(async () => {
    const found = (await read()).flatMap(({ regionStatuses }) =>
      regionStatuses.filter((one) => one.region === region).map(({ status }) => status),
    )
    expect(new Set(found)).toEqual(new Set([wanted]))
  }, patience)

/** What must not change while everything is read: all that a check says of now, or only its state. */
const printOf = (check: CheckDetail): string => JSON.stringify({ ...statementOf('', check), downSeconds: 0 })
const stateOf = ({ status, paused, statusSince }: CheckDetail): string =>
  JSON.stringify([status, paused, statusSince])

/** Reads every surface, and keeps what is about checks that did not change from long before until after it. */
const readMoment = async (name: string): Promise<Moment> => {
  const before = await read()
  await elapse(settleMs)
  const account = await readAccount(stage.account, await read())
  const pages = []
  for (const page of stage.published) pages.push(await readPage(stage.origin, page))
  const after = await read()
  const changed = (of: (check: CheckDetail) => string): string[] =>
    before
      .filter((check, at) => after[at] === undefined || of(check) !== of(after[at]))
      .map((check) => check.name)
  const unsteady = new Set(changed(printOf))
  const isWhole = changed(stateOf).length === 0
  const statements = [...account.statements, ...pages.flatMap((page) => page.statements)]
  return {
    name: unsteady.size === 0 ? name : `${name} (without ${[...unsteady].join(', ')})`,
    statements: statements.filter(({ check, state }) => {
      if (check.startsWith('incident ')) return isWhole
      return !unsteady.has(check) || (isWhole && state !== undefined)
    }),
    pages: isWhole ? [...account.pages, ...pages.flatMap((page) => page.pages)] : [],
    texts: pages.flatMap((page) => page.texts),
  }
}

const everything = (status: string): Record<Kind, string> =>
  Object.fromEntries(kinds.map((kind) => [kind, status])) as Record<Kind, string>

/** The surfaces that say something of every check. */
const sayers = [
  'REST check',
  'REST list',
  'REST plain list',
  'MCP check',
  'MCP list',
  'CLI status',
  'CLI status --json',
  'CLI status NAME',
  'top',
  'top aloud',
  'open top',
  'open top aloud',
  'top --json',
  '/v1/metrics',
  'dashboard list',
  'dashboard check',
  ...['en', 'de'].flatMap((page) =>
    ['page.json', 'HTML', 'Markdown', 'v2', 'badge'].map((one) => `${page} ${one}`),
  ),
]
/** Those that tell of every outage once it is over. */
const tellers = [
  'outage log',
  'outage',
  'dashboard outages',
  ...['en', 'de'].flatMap((page) => ['JSON', 'HTML', 'Markdown'].map((form) => `${page} incident ${form}`)),
]

/** Surfaces that were read and did not say what they should: a reader that finds nothing finds no contradiction. */
const silent = ({ name, statements }: Moment): string[] => {
  const sayersOf = (check: string) =>
    new Set(statements.filter((one) => one.check === check).map(({ surface }) => surface))
  return [
    ...new Set(statements.filter(({ surface }) => surface === 'REST check').map(({ check }) => check)),
  ].flatMap((check) =>
    sayers
      .filter((surface) => !sayersOf(check).has(surface))
      .map((surface) => `${name}: ${surface} is silent about ${check}`),
  )
}

/** Everything that was received, in order. */
const received = async (): Promise<Told[]> => {
  const hooks = stage.receiver.received.map(({ id, body }, at): Told => {
    const { data } = JSON.parse(body) as { data: { title: string; text: string } }
    return { id, receiver: 'webhook', atMs: stage.arrivedMs[at] ?? 0, title: data.title, text: data.text }
  })
  const mails = (await stage.mail.mailboxes()).get(stage.memberEmail) ?? []
  return [
    ...hooks,
    ...mails.map(({ messageId = '', date, subject = '', text = '' }) => ({
      id: messageId,
      receiver: 'mail',
      atMs: Date.parse(date ?? ''),
      title: subject,
      text,
    })),
  ]
}

/** Subscribes to both pages. @returns what confirms it */
const subscribe = async (email: string): Promise<() => Promise<void>> => {
  for (const { slug } of stage.published) {
    const body = new URLSearchParams({ email, componentId: '' })
    const answer = await fetch(`${stage.origin}/status/${slug}/subscribers`, { method: 'POST', body })
    expect(answer.status).toBeLessThan(300)
  }
  const tokens = await vi.waitFor(async () => {
    const mails = (await stage.mail.mailboxes()).get(email) ?? []
    const found = mails.map(({ text }) => /confirm\?token=([\w-]+)/.exec(text ?? '')?.[1] ?? '')
    expect(found).toHaveLength(stage.published.length)
    return found
  }, patience)
  return async () => {
    for (const token of tokens) {
      const body = new URLSearchParams({ token })
      const answer = await fetch(`${stage.origin}/subscriptions/confirm`, { method: 'POST', body })
      expect(answer.status).toBeLessThan(300)
    }
  }
}
const subjectsFor = async (email: string): Promise<string[]> =>
  ((await stage.mail.mailboxes()).get(email) ?? []).map(({ subject = '' }) => subject)

test('all surfaces tell one story, and messages tell it once', { timeout: 700_000 }, async () => {
  const moments: Moment[] = []
  const look = async (name: string): Promise<void> => void moments.push(await readMoment(name))
  const { act } = stage.account
  await become(everything('operational'))
  await look('before')
  const [confirmEarly, confirmLate] = [
    await subscribe('early@example.org'),
    await subscribe('late@example.org'),
  ]
  await confirmEarly()

  const windows = []
  for (const { id, componentIds } of stage.published) {
    const covered = componentIds[kinds.indexOf('maintained')] ?? ''
    const body = { statusPageId: id, title: 'Disks', body: '-', durationMinutes: 30, componentIds: [covered] }
    windows.push(await act('createMaintenance', { body }))
  }
  for (const kind of ['total', 'maintained', 'paused', 'edited'] as const) stage.behave(kind, 'fail')
  stage.behave('one region', 'fail', ['fra'])
  stage.behave('two regions', 'fail', ['fra', 'nrt'])
  stage.behave('growing', 'fail', ['iad', 'fra', 'nrt'])
  stage.behave('slow', 'slow')
  stage.behave('blocked', 'challenge')
  stage.behave('certificate', 'bad certificate')
  stage.behave('expired', 'expired certificate')
  stage.ping(false)
  await become({
    ...everything('down'),
    'one region': 'degraded',
    'two regions': 'degraded',
    slow: 'degraded',
    blocked: 'degraded',
    late: 'operational',
  })
  await look('just after the flip')
  stage.behave('growing', 'fail')
  await act('updateCheckRegions', { params: { id: stage.ids.paused }, body: { paused: true } })
  const pausedAtMs = Date.now()
  await act('editTypedCheck', {
    params: { id: stage.ids.edited },
    body: { url: stage.urlOf('edited', '/new') },
  })
  await look('grown, paused and edited')
  await look('while it lasts')
  for (const { id } of windows) await act('endMaintenance', { params: { id } })
  await act('updateCheckRegions', { params: { id: stage.ids.paused }, body: { paused: false } })
  await become({ paused: 'down' })
  await look('maintenance over, resumed')
  stage.cutOff(['nrt'])
  await becomeIn('nrt', 'stale')
  stage.behave('late', 'fail', ['nrt'])
  await look('a region is silent')
  for (const kind of kinds) stage.behave(kind, 'ok')
  stage.ping(true)
  await become(everything('operational'))
  await look('just after recovery')
  stage.cutOff([])
  await becomeIn('nrt', 'up')
  for (const name of ['late readings came', 'after 10 s', 'after 20 s', 'at last']) await look(name)

  expect(moments).toHaveLength(11)
  expect(moments.flatMap(silent)).toEqual([])
  expect(moments.some(({ pages }) => pages.some(({ state }) => state === 'down'))).toBe(true)
  const toldOf = new Set(
    moments
      .at(-1)
      ?.statements.filter(({ outage }) => outage !== undefined)
      .map(({ surface }) => surface),
  )
  expect(tellers.filter((surface) => !toldOf.has(surface))).toEqual([])
  expect([...new Set(moments.flatMap(contradictions))]).toEqual([])

  const changes = [
    ...kinds.map((check) => ({ check, to: 'operational', atMs: 0 })),
    ...flips.flips.map(({ checkName, to, at }) => ({ check: checkName, to, atMs: Date.parse(at) })),
    { check: 'paused', to: 'paused', atMs: pausedAtMs },
  ].toSorted((a, b) => a.atMs - b.atMs)
  const messages = await received()
  expect(new Set(messages.map(({ receiver }) => receiver))).toEqual(new Set(['webhook', 'mail']))
  expect(falseMessages(messages, changes)).toEqual([])

  await confirmLate()
  await vi.waitFor(async () => expect(await subjectsFor('early@example.org')).toHaveLength(4), patience)
  expect(await subjectsFor('early@example.org')).toEqual(
    expect.arrayContaining([
      'Abonnement von Statusmeldungen bestätigen',
      'Confirm your subscription to status updates',
      expect.stringMatching(/ Maintenance: Disks$/),
      expect.stringMatching(/ Wartung: Disks$/),
    ]),
  )
  expect(await subjectsFor('late@example.org')).toHaveLength(2)
})
