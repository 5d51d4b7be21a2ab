import { beforeEach, describe, expect, test } from 'vitest'
import { warningAt } from '../diagnostic.ts'
import { toObject, unknown, type Value } from '../value.ts'
import { nothing, startToys, thingOf, type Kept } from './testing.ts'

let toys: ReturnType<typeof startToys>
beforeEach(async () => {
  toys = startToys()
  await toys.configure()
})

const one = { name: 'one', note: 'n', tags: ['b', 'a'], labels: toObject([['__proto__', 'x']]) }
/** A plan and its apply, as Terraform does both; a replace removes first. */
const write = async (values: Record<string, Value> | null, kept: Kept): Promise<Kept> => {
  let from = kept
  let plan = await toys.plan(values, from)
  expect(plan.diagnostics).toEqual([])
  if (plan.replaces.length > 0) {
    expect((await toys.apply(null, from)).diagnostics).toEqual([])
    from = { ...nothing, private: plan.private }
    plan = await toys.plan(values, from)
  }
  const applied = await toys.apply(plan.planned, { ...from, private: plan.private })
  expect(applied.diagnostics).toEqual([])
  return applied
}

test('plans nothing after a create', async () => {
  const kept = await write(one, nothing)
  expect(kept.state).toMatchObject({ ...one, id: 'i1', seconds: 60, limit: 10, status: 'up' })
  expect(await toys.plan(one, kept)).toMatchObject({ planned: kept.state, replaces: [] })
  expect((await toys.read(kept)).state).toEqual(kept.state)
})

test('written twice it is written once', async () => {
  const kept = await write(one, await write(one, nothing))
  expect(toys.client.things.size).toBe(1)
  expect(kept.state).toMatchObject({ id: 'i1' })
})

test('it is updated in place', async () => {
  const kept = await write({ ...one, note: 'm' }, await write(one, nothing))
  expect(toys.client.calls).toEqual(['create', 'update'])
  expect(kept.state).toMatchObject({ id: 'i1', note: 'm' })
})

test('it is replaced by another, of which nothing is known', async () => {
  const kept = await write(one, nothing)
  const plan = await toys.plan({ ...one, name: 'two' }, kept)
  expect(plan.replaces).toEqual(['name'])
  const { state } = await write({ ...one, name: 'two' }, kept)
  expect(toys.client.calls).toEqual(['create', 'remove', 'create'])
  expect(state).toMatchObject({ name: 'two', id: 'i3' })
  expect([...toys.client.things.keys()]).toEqual(['i3'])
})

test('it is destroyed', async () => {
  const kept = await write(one, nothing)
  const plan = await toys.plan(null, kept)
  expect(plan).toMatchObject({ planned: null, replaces: [], diagnostics: [] })
  expect(await toys.apply(plan.planned, kept)).toMatchObject({ state: null, diagnostics: [] })
  expect(toys.client.things.size).toBe(0)
})

test('reads drift and plans it back', async () => {
  const kept = await write(one, nothing)
  toys.client.things.set('i1', { ...kept.state, note: 'drifted' })
  const read = await toys.read(kept)
  expect(read.state).toMatchObject({ note: 'drifted' })
  expect((await write(one, read)).state).toMatchObject({ note: 'n', id: 'i1' })
})

test('plans to create an object that was deleted elsewhere', async () => {
  const kept = await write(one, nothing)
  toys.client.things.clear()
  const read = await toys.read(kept)
  expect(read).toMatchObject({ state: null, diagnostics: [] })
  expect((await toys.plan(one, read)).planned).toMatchObject({ id: unknown })
})

test('plans nothing after an import', async () => {
  const made = await write(one, nothing)
  const imported = await toys.importState('i1')
  expect(imported.state).toEqual(thingOf({ id: 'i1' }))
  const read = await toys.read({ ...nothing, state: imported.state })
  expect(read.state).toEqual(made.state)
  expect((await toys.plan(one, read)).planned).toEqual(made.state)
})

test('an import of nothing is read as nothing, and one of no id is refused', async () => {
  const { state } = await toys.importState('absent')
  expect(await toys.read({ ...nothing, state })).toMatchObject({ state: null, diagnostics: [] })
  const refused = await toys.importState('a/b')
  expect(refused).toMatchObject({ state: null, diagnostics: [{ detail: 'No id.' }] })
})

test('upgrades the state of an older schema', async () => {
  const { state, diagnostics } = await toys.upgrade(1, '{"id":"i9","title":"one","gone":true}')
  expect({ state, diagnostics }).toEqual({
    state: thingOf({ id: 'i9', name: 'one' }),
    diagnostics: [],
  })
})

test.each([
  ['of a newer provider', 3, '{}', 'A newer provider wrote this toy_thing'],
  ['of before Terraform 0.12', 1, '', 'older than 0.12'],
])('a state %s is refused', async (_, version, json, problem) => {
  const { state, diagnostics } = await toys.upgrade(version, json)
  expect(state).toBeNull()
  expect(diagnostics).toMatchObject([{ severity: 'error' }])
  expect(diagnostics[0]?.detail).toContain(problem)
})

describe('bytes that a resource keeps for itself', () => {
  test('come back from a plan, an apply and a read', async () => {
    toys = startToys({ plan: ({ planned }) => ({ planned, private: new Uint8Array([5]) }) })
    await toys.configure()
    const kept = await write(one, nothing)
    expect(kept.private).toEqual(new Uint8Array([5]))
    expect((await toys.read(kept)).private).toEqual(new Uint8Array([5]))
    toys.client.broken = { read: 'not now', update: new Error('broken') }
    expect((await toys.read(kept)).private).toEqual(new Uint8Array([5]))
    const plan = await toys.plan({ ...one, note: 'm' }, kept)
    expect((await toys.apply(plan.planned, kept)).private).toEqual(new Uint8Array([5]))
  })
})

describe('what the service says of a change', () => {
  const reviewing = async (review: () => Promise<ReturnType<typeof warningAt>[]>) => {
    toys = startToys({ review })
    await toys.configure()
  }

  test('is a refusal or a warning of the plan', async () => {
    const warning = warningAt(['name'], 'There is one', 'of that name.')
    await reviewing(async () => [warning, { ...warning, severity: 'error' }])
    const { diagnostics } = await toys.plan(one, nothing)
    const said = {
      summary: 'There is one',
      detail: 'of that name.',
      attribute: { steps: [{ attributeName: 'name' }] },
    }
    expect(diagnostics).toEqual([
      { severity: 'warning', ...said },
      { severity: 'error', ...said },
    ])
  })

  test('never fails a plan', async () => {
    await reviewing(async () => {
      throw new Error('away')
    })
    expect((await toys.plan(one, nothing)).diagnostics).toEqual([])
    expect(toys.logged).toEqual(['warn: No review of toy_thing: Error: away'])
  })
})
