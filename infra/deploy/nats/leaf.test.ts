import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { anAssignment, until } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Bus } from '@probe-mesh/bus/port'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { patience, startLeafMesh, type LeafMesh } from './testing/leaf-mesh.ts'

/** The leaf node of a region, between its agents and the mesh. */
let mesh: LeafMesh
let credentials: string
beforeAll(async () => {
  mesh = await startLeafMesh()
  credentials = join(mesh.folder, 'fra-1.creds')
}, 120_000)
afterEach(() => mesh.disconnect())
afterAll(() => mesh?.close())

const announce = (bus: Bus, region: string, agent: string) =>
  bus.presence.announce({ agent, region, version: '1', startedAt: 1 })
const refused = { name: 'AuthorizationError' }
const forbidden = { name: 'PermissionViolationError' }

test('keeps its credentials private, and its configuration contains no secret', async () => {
  const at = (name: string) => join(mesh.folder, 'leaf-fra', name)
  expect((await stat(at('leaf.creds'))).mode & 0o777).toBe(0o600)
  expect(await readFile(at('leaf.creds'), 'utf8')).toMatch(/\bSU[A-Z2-7]{56}\b/)
  const files = await Promise.all(
    ['nats-server.conf', 'accounts.conf'].map((name) => readFile(at(name), 'utf8')),
  )
  expect(files.join()).not.toMatch(/\bS[OAU][A-Z2-7]{56}\b/)
  expect(files.join()).toContain('domain: "fra"')
})

test('carries all traffic between its agents and the mesh', async () => {
  const { control } = mesh
  const agent = await mesh.connect('fra', credentials)
  await announce(agent, 'fra', 'fra-1')
  expect((await control.presence.list('fra')).map(({ agent: name }) => name)).toContain('fra-1')
  const held = new Set<string>()
  const marks: number[] = []
  await agent.assignments.watch('fra', {
    onPut: ({ checkId }) => void held.add(checkId),
    onRemove: (checkId) => void held.delete(checkId),
    onCurrent: () => {},
  })
  await agent.persisted.watch('fra', 'fra-1', (_partition, batch) => void marks.push(batch))
  const assignment = anAssignment()
  await control.assignments.put(assignment)
  await until(() => held.has(assignment.checkId))
  const message = { partition: 3, region: 'fra', messageId: 'm', data: Buffer.from('reading') }
  const { sequence } = await agent.readings.publish(message)
  expect(await agent.readings.publish(message)).toEqual({ sequence, duplicate: true })
  expect(await control.readings.replay(3, sequence, sequence)).toMatchObject([{ sequence }])
  await control.persisted.mark('fra', 'fra-1', 3, 7)
  await until(() => marks.includes(7))
  const reply = { agent: 'fra-1', error: 'busy' }
  await agent.runs.serve('fra', async () => reply)
  const request = { kind: 'manual', at: 1, number: 1, assignment } as const
  await vi.waitFor(
    async () => expect(await control.runs.request('fra', request, 2_000)).toEqual(reply),
    patience,
  )
  await control.assignments.remove('fra', assignment.checkId)
  await until(() => !held.has(assignment.checkId))
})

test('refuses agents of another region, and its agents are refused elsewhere', async () => {
  const elsewhere = await mesh.enroll('iad', 'iad-1')
  await expect(mesh.connect('iad', elsewhere)).rejects.toMatchObject(refused)
  const agent = await mesh.connect('fra', credentials)
  const foreign = { partition: 3, region: 'iad', messageId: 'f', data: Buffer.from('foreign') }
  await expect(agent.readings.publish(foreign)).rejects.toMatchObject(forbidden)
})

test('has credentials that are refused in another region', async () => {
  const thief = await mesh.connect('fra', join(mesh.folder, 'leaf-fra', 'leaf.creds'), mesh.hub)
  await expect(announce(thief, 'iad', 'x')).rejects.toMatchObject(forbidden)
  const foreign = { partition: 3, region: 'iad', messageId: 't', data: Buffer.from('foreign') }
  await expect(thief.readings.publish(foreign)).rejects.toMatchObject(forbidden)
  const nothing = { onPut: () => {}, onRemove: () => {}, onCurrent: () => {} }
  await expect(thief.assignments.watch('iad', nothing)).rejects.toMatchObject(forbidden)
})

test('disconnects a revoked agent after an update, and refuses it from then on', async () => {
  const revoked = await mesh.enroll('fra', 'fra-bad')
  const bad = await mesh.connect('fra', revoked)
  const good = await mesh.connect('fra', credentials)
  await announce(bad, 'fra', 'fra-bad')
  const revocation = await mesh.admin(['revoke', 'fra-bad'], mesh.hub.url)
  expect(revocation).toMatchObject({ code: 0 })
  expect(revocation.error).toContain('agent tell --leaf fra')
  expect(await mesh.admin(['tell', '--leaf', 'fra'], mesh.leaf.url)).toMatchObject({ code: 0 })
  await vi.waitFor(
    () => expect(announce(bad, 'fra', 'fra-bad')).rejects.toMatchObject({ name: 'BusUnavailable' }),
    patience,
  )
  await expect(mesh.connect('fra', revoked)).rejects.toMatchObject(refused)
  await announce(good, 'fra', 'fra-good')
})
