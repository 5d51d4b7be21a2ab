import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Assignment, SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { BrowserSettings } from '@probe-mesh/check-types/browser/settings'
import { describe, expect, test } from 'vitest'
import type { CatchUp, Scheduler } from '../schedule/scheduler.ts'
import { createAssignmentTable, ownerAmong } from './assignment-table.ts'

const beganAt = 1_700_000_000_000

/** A schedule that only records its calls. */
const open = (self = 'a') => {
  const scheduled = new Map<string, CatchUp>()
  const released = new Set<string>()
  const scheduler: Scheduler = {
    put: ({ checkId }, how) => scheduled.set(checkId, how),
    remove: (checkId) => scheduled.delete(checkId),
    release: (checkId) => {
      scheduled.delete(checkId)
      released.add(checkId)
    },
    get size() {
      return scheduled.size
    },
    skipped: () => 0,
    close: () => undefined,
  }
  const table = createAssignmentTable(self, scheduler, beganAt)
  return { table, scheduled, released }
}
const region = (count: number): Assignment[] => Array.from({ length: count }, () => anAssignment())
const browserCheck = (): SettingsAssignment<'browser'> => {
  const { url, assertions: _none, ...base } = anAssignment()
  return { ...base, type: 'browser', settings: BrowserSettings.parse({ url }) }
}
const idsOf = (assignments: Assignment[], owner: string, members: string[]) =>
  assignments.map(({ checkId }) => checkId).filter((id) => ownerAmong(members)(id) === owner)

describe('the assignments of a region', () => {
  test("run nothing until the members are known, then this agent's share since its start", () => {
    const { table, scheduled } = open()
    const assignments = region(50)
    for (const assignment of assignments) table.put(assignment, { catchUp: false })
    expect([table.size, scheduled.size]).toEqual([50, 0])
    table.shareAmong(['a', 'b'])
    expect([...scheduled.keys()].toSorted()).toEqual(idsOf(assignments, 'a', ['a', 'b']).toSorted())
    for (const how of scheduled.values()) expect(how).toEqual({ catchUp: true, since: beganAt })
  })

  test('catch up for a member that left, and are released to one that joins', () => {
    const { table, scheduled, released } = open()
    const assignments = region(100)
    for (const assignment of assignments) table.put(assignment, { catchUp: false })
    table.shareAmong(['a', 'b'])
    const own = new Set(scheduled.keys())
    table.shareAmong(['a'])
    expect(scheduled.size).toBe(100)
    for (const [checkId, how] of scheduled) {
      expect(how).toEqual(own.has(checkId) ? { catchUp: true, since: beganAt } : { catchUp: true })
    }
    table.shareAmong(['a', 'c'])
    expect([...scheduled.keys()].toSorted()).toEqual(idsOf(assignments, 'a', ['a', 'c']).toSorted())
    expect([...released].toSorted()).toEqual(idsOf(assignments, 'c', ['a', 'c']).toSorted())
  })

  test('accept an assignment once, a later revision always, an earlier one never', () => {
    const { table } = open()
    const assignment = anAssignment({ revision: 2 })
    const how = { catchUp: true }
    expect(table.put(assignment, how)).toBe(true)
    expect(table.put(structuredClone(assignment), how)).toBe(false)
    expect(table.put({ ...assignment, url: 'https://example.com/2' }, how)).toBe(true)
    expect(table.put({ ...assignment, revision: 1 }, how)).toBe(false)
    expect(table.put({ ...assignment, revision: 3 }, how)).toBe(true)
    expect(table.revisionOf(assignment.checkId)).toBe(3)
  })

  test('stay removed when the shares change', () => {
    const { table, scheduled } = open()
    const assignment = anAssignment()
    table.put(assignment, { catchUp: false })
    table.shareAmong(['a'])
    expect([table.remove(assignment.checkId), table.remove(assignment.checkId)]).toEqual([true, false])
    table.shareAmong(['a', 'b'])
    table.shareAmong(['a'])
    expect([table.size, scheduled.size]).toEqual([0, 0])
  })

  test('share browser checks among agents with Chromium, and the others as usual', () => {
    const { table, scheduled } = open()
    const [others, pages] = [region(60), Array.from({ length: 60 }, browserCheck)]
    for (const assignment of [...others, ...pages]) table.put(assignment, { catchUp: false })
    table.shareAmong(['a', 'b', 'c'], ['a', 'c'])
    const own = [...idsOf(others, 'a', ['a', 'b', 'c']), ...idsOf(pages, 'a', ['a', 'c'])]
    expect([...scheduled.keys()].toSorted()).toEqual(own.toSorted())
    table.shareAmong(['a', 'b', 'c'], ['c'])
    expect([...scheduled.keys()].toSorted()).toEqual(idsOf(others, 'a', ['a', 'b', 'c']).toSorted())
    expect(table.withoutBrowser).toBe(0)
  })

  test('do not run browser checks without Chromium, and count them', () => {
    const { table, scheduled } = open()
    const page = browserCheck()
    table.put(page, { catchUp: false })
    table.shareAmong(['a'])
    table.put(browserCheck(), { catchUp: true })
    expect([scheduled.size, table.size, table.withoutBrowser]).toEqual([0, 2, 2])
    table.remove(page.checkId)
    expect(table.withoutBrowser).toBe(1)
    table.shareAmong(['a', 'b'], ['a'])
    expect([scheduled.size, table.withoutBrowser]).toEqual([1, 0])
    table.shareAmong(['a', 'b'], [])
    expect([scheduled.size, table.withoutBrowser]).toEqual([0, 1])
  })
})
