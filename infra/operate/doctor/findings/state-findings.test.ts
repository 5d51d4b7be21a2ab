import { expect, test } from 'vitest'
import { channelFindings, operatorChannelFindings } from './channel-findings.ts'
import { controlPlaneFindings, type ProcessState } from './control-plane-findings.ts'
import { lostRightFindings, missingTableFindings, serverStateFindings } from './postgres-state-findings.ts'
import { worst } from './testing/worst.ts'

const well = { readOnly: null, blocking: [], roleLimit: null }

test('a Postgres without writes is named with the command that allows them, by where it was set', () => {
  const by = (source: string) =>
    serverStateFindings({ ...well, readOnly: { by: 'setting', source, role: 'mesh', database: 'm' } })[0]
  expect(by('configuration file')).toMatchObject({
    level: 'broken',
    message: expect.stringContaining('accepts no writes: default_transaction_read_only is on'),
    next: expect.stringContaining('alter system reset default_transaction_read_only'),
  })
  expect(by('user')?.next).toContain(`-c 'alter role "mesh" reset default_transaction_read_only'`)
  expect(by('database')?.next).toContain(`-c 'alter database "m" reset default_transaction_read_only'`)
  const [standby] = serverStateFindings({ ...well, readOnly: { by: 'recovery' } })
  expect(standby?.message).toContain('it is a standby')
  expect(serverStateFindings(well)).toEqual([])
})

test('a session that holds a lock is named with its pid and the statement that ends it', () => {
  const session = { pid: 41, role: 'ann', application: 'psql', state: 'idle in transaction' }
  const blocking = [{ ...session, openMs: 30_000, waiting: 3, tables: ['checks'] }]
  expect(serverStateFindings({ ...well, blocking })).toMatchObject([
    {
      level: 'broken',
      message:
        'The session 41 (ann, psql, idle in transaction) holds a lock on checks since 30 s, and 3 sessions wait for it.',
      next: expect.stringContaining('select pg_terminate_backend(41)'),
    },
  ])
})

test.each([
  [79, ''],
  [80, 'warning postgres'],
])('%i of 100 connections of a role are %s', (used, said) => {
  expect(worst(serverStateFindings({ ...well, roleLimit: { role: 'mesh', used, max: 100 } }))).toBe(said)
})

test('a missing table is named, with the table that is it under another name', () => {
  const [renamed, lost] = missingTableFindings([
    { name: 'flips', renamedTo: 'flips_old' },
    { name: 'outbox', renamedTo: null },
  ])
  expect(renamed?.next).toContain(`alter table "flips_old" rename to "flips"`)
  expect(lost?.next).toContain('restore --from')
})

test('lost rights are named, with the grants', () => {
  const lost = ['insert', 'update'].map((right) => ({ table: 'flips', role: 'probe_mesh_system', right }))
  const [finding] = lostRightFindings(lost)
  expect(finding?.message).toMatch(
    /^The role probe_mesh_system may not insert in flips, and lacks 1 more rights\./,
  )
  expect(finding?.next).toMatch(/-c 'grant insert, update on flips to probe_mesh_system;'$/)
})

const about = { host: 'a', port: 80, pid: 7, version: '1.0.0', regions: ['fra', 'nrt'] }
const plane = (over: object, id = 'one') => ({ id, silentMs: 500, about, ...over })
const of = (known: ReturnType<typeof plane>[], state: ProcessState = 'elsewhere') =>
  controlPlaneFindings(known, () => state)

test('a control plane that is frozen, or ended without a stop, is named with its process', () => {
  expect(worst(of([plane({})]))).toBe('')
  const silent = [plane({}), plane({ silentMs: 60_000 }, 'two')]
  expect(of(silent, 'stopped')[1]).toMatchObject({
    level: 'broken',
    next: expect.stringContaining('kill -CONT 7'),
  })
  expect(of(silent, 'none')[1]?.message).toContain('ended without a stop')
  expect(of(silent)[1]?.next).toContain(`delete from control_planes where id = 'two'`)
})

test('control planes with different REGIONS are listed with the setting that all need', () => {
  const other = plane({ about: { ...about, port: 81, regions: ['fra'] } }, 'two')
  expect(of([plane({}), other])[1]).toMatchObject({
    level: 'warning',
    message: 'The control planes have different REGIONS: a:80 (1.0.0): fra,nrt; a:81 (1.0.0): fra.',
    next: expect.stringContaining('REGIONS=fra,nrt on every control plane'),
  })
  // another order is the same, and a frozen one does not count
  expect(worst(of([plane({}), plane({ about: { ...about, regions: ['nrt', 'fra'] } }, 'two')]))).toBe('')
  expect(worst(of([plane({}), plane({ ...other, silentMs: 60_000 }, 'two')]))).toBe('broken control planes')
  // an older version tells nothing of itself
  expect(worst(of([plane({}), plane({ about: null }, 'two')]))).toBe('')
})

test("OPERATOR_CHANNEL has to name a verified channel of the operator's account", () => {
  expect(operatorChannelFindings(null, [], '')).toEqual([])
  expect(worst(operatorChannelFindings('a', ['a', 'b'], ''))).toBe('')
  expect(worst(operatorChannelFindings('c', ['a', 'b'], ''))).toBe('warning channels')
})

test('a channel that fails every message is named with its last error, and many are counted', () => {
  const channel = (id: string) => ({
    id,
    name: 'hook',
    type: 'json',
    accountId: 'x',
    accountName: 'Ann',
    messages: 3,
    sinceMs: 0,
    lastError: 'status 500',
  })
  const [one] = channelFindings([channel('c')], 60_000, 'https://m')
  expect(one?.message).toBe(
    'The channel hook (json) of Ann fails every message for 60 s; 3 wait or failed. Last: status 500.',
  )
  expect(one?.next).toContain('https://m/v1/notification-channels/c/test')
  expect(channelFindings(['1', '2', '3', '4', '5', '6', '7'].map(channel), 1, '').at(-1)?.message).toBe(
    '2 more channels fail every message.',
  )
  expect(worst(channelFindings([], 0, ''))).toBe('')
})
